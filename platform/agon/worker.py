"""What one worker process keeps for its whole life: its core, its sandbox, its warm boxes.

A worker is one process on one core (AGON_CORE), which its bots share: a round trip between two processes on
one core takes a quarter of the time it takes between two cores. Boxes stay warm between matches; when the
worker has had nothing to play for IDLE_SECONDS they are closed, and their memory is the machine's again.
"""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from celery.signals import worker_init, worker_shutdown

from sandbox import open_sandbox
from sandbox.api import Limits, Sandbox
from sandbox.pool import Pool

IDLE_SECONDS = 60.0

_sandbox: Sandbox | None = None
_pools: dict[Limits, Pool] = {}
_in_use = threading.Lock()  # held while boxes are lent, and while they are closed
_idle: threading.Timer | None = None


@cache
def worker_name() -> str:
    """Who holds a lease: the machine and the process."""
    return f"{socket.gethostname()}:{os.getpid()}"


def worker_sandbox() -> Sandbox:
    """This process's sandbox, opened at the first call. Raises SandboxError where none works here."""
    global _sandbox
    if _sandbox is None:
        _sandbox = open_sandbox(os.environ.get("AGON_SANDBOX") or None)
    return _sandbox


def worker_pool(limits: Limits) -> Pool:
    """This process's warm boxes of bots that play under `limits`. Raises SandboxError."""
    if limits not in _pools:
        _pools[limits] = Pool(worker_sandbox(), limits)
    return _pools[limits]


@contextmanager
def using_boxes() -> Iterator[None]:
    """Within this, matches are played; after it, the boxes stay warm for a while."""
    global _idle
    if _idle is not None:
        _idle.cancel()
    with _in_use:
        yield
    _idle = threading.Timer(IDLE_SECONDS, close_boxes)
    _idle.daemon = True
    _idle.start()


def close_boxes() -> None:
    """Close every warm box, once no match is being played."""
    with _in_use:
        while _pools:
            _pools.popitem()[1].close()


@worker_init.connect
def take_core(**_: object) -> None:
    """Bind this process, and all it starts, to its core."""
    core = os.environ.get("AGON_CORE")
    if core:
        os.sched_setaffinity(0, {int(core)})


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
