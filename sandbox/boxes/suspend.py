"""Bots that are not asked are to leave the processors alone while another one is kept waiting.

Theory of operation. A bot may think while others are asked. But when one that is asked is kept from
running (allowance.py), all others of the match are looked at. Those of which something runs at that moment
are stopped by their agent, with a signal that no bot can catch, until they are asked again. A bot that has
its timers set it going again has failed. Bots that wait for a line, as most do, are left alone.

The bots of a match are those that its thread has started and not let go of.
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
    """It has been started by this thread."""
    _playing().add(process)


def suspend_unasked(asked: Collection[Process]) -> None:
    """Stop what runs of all bots but those that have been asked. Raises SandboxError."""
    for process in list(_playing()):
        if process.session.closed:
            _playing().discard(process)
        elif process not in asked and process.failed is None:
            process.suspend_if_running()
