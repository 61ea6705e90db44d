"""What one worker process keeps for its whole life: its core, its sandbox, its warm boxes.

A worker is one process on one core (AGON_CORE), which its bots share: a round trip between two processes on
one core takes a quarter of the time it takes between two cores. Boxes stay warm between matches; when the
worker has had nothing to play for IDLE_SECONDS they are closed, and their memory is the machine's again.

What workers that died have left on this machine is swept up when a worker starts (the supervisor starts a
new one for each that dies), after a failure of the platform, and when a worker becomes idle. After a failure
nothing is played before the sandbox is seen to work again: a Docker engine that is restarted costs a match
the attempt during which it went, and no more.
"""

import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from celery.signals import worker_init, worker_ready, worker_shutdown
from django.db import connection

from agon.open_files import raise_limit
from sandbox import SandboxError, open_sandbox
from sandbox.api import Limits, Sandbox
from sandbox.boxes.pool import Pool

IDLE_SECONDS = 60.0

log = logging.getLogger(__name__)

_sandbox: Sandbox | None = None
_doubted = False  # whether the sandbox has failed since it was last seen to work
_pool: Pool | None = None
_in_use = threading.Lock()  # held while boxes are lent, and while they are closed
_idle: threading.Timer | None = None


@cache
def worker_name() -> str:
    """Who holds a lease: the machine and the process."""
    return f"{socket.gethostname()}:{os.getpid()}"


def worker_sandbox() -> Sandbox:
    """This process's sandbox, opened at the first call. Raises SandboxError where none works (any more)."""
    global _sandbox, _doubted
    if _sandbox is None:
        _sandbox = open_sandbox(os.environ.get("AGON_SANDBOX") or None)
    elif _doubted:
        _sandbox.remove_leftovers()
    _doubted = False
    return _sandbox


def doubt_sandbox() -> None:
    """Have the sandbox looked at before it is used again: the platform has failed."""
    global _doubted
    _doubted = True


def worker_pool() -> Pool:
    """This process's warm boxes, of all games. Raises SandboxError."""
    global _pool
    if _pool is None:
        _pool = Pool(worker_sandbox(), Limits())
    return _pool


@contextmanager
def using_boxes() -> Iterator[None]:
    """Within this, matches are played; after it, the boxes stay warm for a while."""
    global _idle
    if _idle is not None:
        _idle.cancel()
    with _in_use:
        yield
    _idle = threading.Timer(IDLE_SECONDS, rest)
    _idle.daemon = True
    _idle.start()


def rest() -> None:
    """What a worker does when it has had nothing to play for a while."""
    close_boxes()
    try:
        with _in_use:
            sweep()
    finally:
        connection.close()  # of the timer's thread


def close_boxes() -> None:
    """Close every warm box, once no match is being played."""
    from bots import artifacts

    global _pool
    with _in_use:
        if _pool is not None:
            _pool.close()
            _pool = None
            artifacts.release()


@worker_init.connect
def take_core(**_: object) -> None:
    """Bind this process, and all it starts, to its core; and let it open what the system allows."""
    raise_limit()
    core = os.environ.get("AGON_CORE")
    if core:
        os.sched_setaffinity(0, {int(core)})


@worker_ready.connect
def sweep(**_: object) -> None:
    """Remove what dead workers of this machine have left."""
    from bots import artifacts

    doubt_sandbox()
    try:
        worker_sandbox()
    except SandboxError as error:
        log.error("this worker has no sandbox: %s", error)
    artifacts.sweep()


@worker_shutdown.connect
def close(**_: object) -> None:
    """Close the boxes and the sandbox. Also for whoever has used them outside a worker."""
    global _sandbox
    if _idle is not None:
        _idle.cancel()
    close_boxes()
    if _sandbox is not None:
        _sandbox.close()
        _sandbox = None
