"""Which process made a thing that can outlive it, so that whoever finds the thing can tell."""

import os
from pathlib import Path


def this_process() -> str:
    """A name for this process that no other one ever has (until the machine restarts): "pid-start"."""
    return f"{os.getpid()}-{_started(os.getpid())}"


def alive(process: str) -> bool:
    """Whether the process of that name is still there."""
    pid, _, started = process.partition("-")
    return pid.isdigit() and started != "" and _started(int(pid)) == started


def _started(pid: int) -> str:
    """When it was started, in ticks since boot; "" if there is none of that number."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]
