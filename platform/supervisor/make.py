"""Being told to stop by the `make` that started us.

Ctrl-C on a terminal reaches both. But SIGINT sent to `make` alone (by a script, by a process manager) is not
passed on: GNU make resets its handler, then waits for us for ever. And `make` killed outright would leave us
behind. So while there is a `make` above, the supervisor looks twice a second.
"""

import os
import signal
from collections.abc import Callable
from pathlib import Path


def watch() -> Callable[[], bool] | None:
    """Whether the `make` above has ended or been interrupted, when asked; None if no `make` is above."""
    parent = os.getppid()
    try:
        if Path(f"/proc/{parent}/comm").read_text() != "make\n":
            return None
    except OSError:
        return None
    # In the background of a shell script `make` ignores SIGINT from the beginning.
    caught_at_first = _catches_interrupts(parent)
    return lambda: os.getppid() != parent or (caught_at_first and not _catches_interrupts(parent))


def _catches_interrupts(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    caught = next(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(caught & 1 << (signal.SIGINT - 1))
