"""What one worker process keeps for its whole life: its core, its sandbox, its warm boxes.

A worker is one process on one core (AGON_CORE), which its bots share: a round trip between two processes on
one core takes a quarter of the time it takes between two cores.
"""

import os
import socket
from functools import cache

from celery.signals import worker_init, worker_shutdown
from sandbox.pool import Pool

from sandbox import open_sandbox
from sandbox.api import Limits, Sandbox

_sandbox: Sandbox | None = None
_pools: dict[Limits, Pool] = {}


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


@worker_init.connect
def take_core(**_: object) -> None:
    """Bind this process, and all it starts, to its core."""
    core = os.environ.get("AGON_CORE")
    if core:
        os.sched_setaffinity(0, {int(core)})


@worker_shutdown.connect
def close(**_: object) -> None:
    """Close every box. Also for whoever has used a worker's sandbox outside a worker."""
    global _sandbox
    while _pools:
        _pools.popitem()[1].close()
    if _sandbox is not None:
        _sandbox.close()
        _sandbox = None
