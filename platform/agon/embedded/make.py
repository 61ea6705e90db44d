"""Being told to stop by the `make` that started us.

Ctrl-C on a terminal reaches both. But SIGINT sent to `make` alone (by a script, by a process manager) is not
passed on: GNU make resets its handler, then waits for us for ever. And `make` killed outright would leave us
behind. So while there is a `make` above, the supervisor looks once a second.
"""

import os
import signal
from pathlib import Path


def above() -> int | None:
    """The process number of the `make` that is this process's parent, if it is one."""
    parent = os.getppid()
    try:
        return parent if Path(f"/proc/{parent}/comm").read_text() == "make\n" else None
    except OSError:
        return None


def gave_up(make: int) -> bool:
    """Whether `make` has ended, or was interrupted and waits for us."""
    if os.getppid() != make:
        return True
    try:
        status = Path(f"/proc/{make}/status").read_text()
    except OSError:
        return True
    caught = next(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("SigCgt:"))
    return not caught & 1 << (signal.SIGINT - 1)
