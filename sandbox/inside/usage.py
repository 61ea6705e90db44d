"""What the bots of this session have used, read from /proc: every process but PID 1 and the keeper."""

import os
import re


def bots() -> list[str]:
    own = ("1", str(os.getpid()))
    return [name for name in os.listdir("/proc") if name.isdigit() and name not in own]


def processor() -> tuple[int, int]:
    """Microseconds of processor time used, and of waiting for one, by all living threads.

    Processor time of threads and children that have ended is taken from their process's counters.
    """
    cpu = wait = 0
    for pid in bots():
        running = 0
        for task in _names(f"/proc/{pid}/task"):
            used, waited = schedstat(f"/proc/{pid}/task/{task}/schedstat")
            running += used
            wait += waited
        cpu += max(running, _ended(pid))
    return cpu, wait


def schedstat(path: str) -> tuple[int, int]:
    """(used, waited) in microseconds; zeros if the task is gone."""
    words = _read(path).split()
    return (int(words[0]) // 1000, int(words[1]) // 1000) if len(words) > 1 else (0, 0)


def _ended(pid: str) -> int:
    # utime, stime, cutime, cstime in ticks; the name before them may hold anything but its last ")"
    words = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return sum(map(int, words[11:15])) * 1_000_000 // os.sysconf("SC_CLK_TCK") if len(words) > 15 else 0


def memory() -> int:
    """Bytes of memory that the bots hold together, pages of program files left out."""
    found = (re.findall(rb"Rss(?:Anon|Shmem):\s+(\d+)", _read(f"/proc/{pid}/status")) for pid in bots())
    return sum(int(kib) for numbers in found for kib in numbers) << 10


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []  # it has ended meanwhile


def _read(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(4096) or b""
    except OSError:
        return b""
