"""Whether processes of this machine are alive, for the health checks of containers.

    python -m agon.supervisor.alive 'worker-*' builder

Each word is the name of a process, or a pattern that at least one has to fit. They are alive if they said so
within SILENT seconds (agon.site.fleet.heartbeat). It imports the standard library only, and asks no database.
"""

import sys
import time
from collections.abc import Sequence

from agon.site.core.alive import alive_file

SILENT = 60.0  # seconds


def main(names: Sequence[str]) -> int:
    """Returns the exit status: 0 if all are alive."""
    if not names:
        print("expected: the names of processes; got: nothing", file=sys.stderr)
        return 2
    silent = [name for name in names if not _is_alive(name)]
    for name in silent:
        print(f"{name}: not alive for {SILENT:.0f} s")
    return 1 if silent else 0


def _is_alive(name: str) -> bool:
    file = alive_file(name)
    ages = [time.time() - path.stat().st_mtime for path in file.parent.glob(file.name)]
    return any(age < SILENT for age in ages)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
