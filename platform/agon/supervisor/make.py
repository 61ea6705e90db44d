"""Stopping when the `make` that started us is stopped.

Ctrl-C in a terminal reaches both. But GNU make does not pass on a SIGINT sent to it alone (by a script or a
process manager): it resets its handler and waits for us forever. And a killed `make` would leave us behind.
So while there is a `make` above, the supervisor checks it twice a second.
"""

import os
import signal
from collections.abc import Callable
from pathlib import Path


def watch() -> Callable[[], bool] | None:
    """A function: whether the `make` above has ended or been interrupted. None if there is none."""
    parent = os.getppid()
    try:
        if Path(f"/proc/{parent}/comm").read_text() != "make\n":
            return None
    except OSError:
        return None
    # In the background of a shell script, `make` ignores SIGINT from the start.
    caught_at_start = _catches_interrupts(parent)
    return lambda: os.getppid() != parent or (caught_at_start and not _catches_interrupts(parent))


def _catches_interrupts(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    caught = next(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(caught & 1 << (signal.SIGINT - 1))
