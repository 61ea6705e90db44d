"""What the bots of this session have used, read from /proc: every process but PID 1 and the keeper."""

import os
import re
import time

_TICKS = os.sysconf("SC_CLK_TCK")


def bots() -> list[str]:
    own = ("1", str(os.getpid()))
    return [name for name in os.listdir("/proc") if name.isdigit() and name not in own]


def processor() -> tuple[int, int, int]:
    """Microseconds of processor time used, and of waiting for one, by all living threads; how many.

    Processor time of threads and children that have ended is taken from their process's counters.
    """
    cpu = wait = threads = 0
    for pid in bots():
        running = 0
        for task in _tasks(pid):
            used, waited = schedstat(task)
            running += used
            wait += waited
            threads += 1
        cpu += max(running, _ended(pid))
    return cpu, wait, threads


def beside(main: int, age_us: int) -> tuple[int, int, int]:
    """About the threads other than the main thread of process `main`.

    (processor time, waiting time) of those that are younger than `age_us`; how many are older.
    """
    born = time.clock_gettime(time.CLOCK_BOOTTIME) - age_us / 1e6
    cpu = wait = older = 0
    for task in (task for pid in bots() for task in _tasks(pid)):
        if task == f"/proc/{main}/task/{main}":
            continue
        words = _stat(task)
        if len(words) > 19 and int(words[19]) / _TICKS >= born - 1 / _TICKS:
            used, waited = schedstat(task)
            cpu += used
            wait += waited
        else:
            older += 1
    return cpu, wait, older


def schedstat(task: str) -> tuple[int, int]:
    """(used, waited) in microseconds; zeros if the task is gone."""
    words = _read(f"{task}/schedstat").split()
    return (int(words[0]) // 1000, int(words[1]) // 1000) if len(words) > 1 else (0, 0)


def _tasks(pid: str) -> list[str]:
    try:
        return [f"/proc/{pid}/task/{task}" for task in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []  # it has ended meanwhile


def _ended(pid: str) -> int:
    """Processor time of a process with its threads and children that have ended, in whole ticks."""
    words = _stat(f"/proc/{pid}")
    return sum(map(int, words[11:15])) * 1_000_000 // _TICKS if len(words) > 15 else 0


def _stat(task: str) -> list[bytes]:
    """The words after the name, which may hold anything but its last ")"."""
    return _read(f"{task}/stat").rpartition(b")")[2].split()


def more_memory_than(limit: int) -> bool:
    """Whether the bots together hold more than `limit` bytes, pages of program files left out.

    First what each holds is added up, which counts shared pages more than once. If that is too much,
    each page is counted once, which takes longer; a process that will not be looked into keeps its
    first figure.
    """
    rough = {pid: _kib(rb"Rss(?:Anon|Shmem):\s+(\d+)", f"/proc/{pid}/status") for pid in bots()}
    if sum(rough.values()) << 10 <= limit:
        return False
    exact = (
        _kib(rb"Pss_(?:Anon|Shmem):\s+(\d+)", f"/proc/{pid}/smaps_rollup") or rough[pid] for pid in rough
    )
    return sum(exact) << 10 > limit


def _kib(pattern: bytes, path: str) -> int:
    return sum(map(int, re.findall(pattern, _read(path))))


def _read(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(4096) or b""
    except OSError:
        return b""
