"""Suspending bots that run without having been asked while another bot is kept waiting.

A bot may think while others are asked. But when a bot that was asked is kept from running (allowance.py), all
other bots of the match are sampled. Those that have a running thread at that moment are suspended by their
agent, with a signal that no bot can catch, until they are asked again. A bot whose timers resume it has
failed. Bots that wait for a line, as most do, are left alone.

A bot that was too late, and stays in play, is suspended at once by the caller (Process.suspend): it has had
its time.

The bots of a match are those that the current thread has started and whose session is still open.
"""

import threading
import weakref
from collections.abc import Collection

from sandbox.boxes.process import Process

_local = threading.local()


def _playing() -> "weakref.WeakSet[Process]":
    if not hasattr(_local, "playing"):
        _local.playing = weakref.WeakSet()
    playing: weakref.WeakSet[Process] = _local.playing
    return playing


def register(process: Process) -> None:
    """Note that the current thread has started this bot."""
    _playing().add(process)


def suspend_unasked(asked: Collection[Process]) -> None:
    """Suspend all running bots except those in `asked`. Raises SandboxError."""
    for process in list(_playing()):
        if process.link.closed:
            _playing().discard(process)
        elif process not in asked and process.failed is None:
            process.suspend_if_running()
