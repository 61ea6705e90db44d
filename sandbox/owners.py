"""Which process made a thing that can outlive it, so that whoever finds the thing can tell."""

import os
from pathlib import Path


def this_process() -> str:
    """A name for this process that no other one ever has (until the machine restarts).

    "pid-start-namespace": a number means nothing without the pid namespace that it is counted in.
    """
    return f"{os.getpid()}-{_started(os.getpid())}-{_namespace()}"


def alive(process: str) -> bool:
    """Whether the process of that name may still be there: one of another namespace may."""
    parts = process.split("-")
    if len(parts) != 3 or not all(part.isdigit() for part in parts):
        return False
    pid, started, namespace = parts
    return int(namespace) != _namespace() or _started(int(pid)) == started


def _namespace() -> int:
    return os.stat("/proc/self/ns/pid").st_ino


def _started(pid: int) -> str:
    """When it was started, in ticks since boot; "" if there is none of that number."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]
