"""What the bots of this session have used, read from /proc: all but PID 1, `spared` and the reader itself."""

from __future__ import annotations

import os
import re
import time

TYPE_CHECKING = False  # importing typing would make every fork dearer
if TYPE_CHECKING:
    from .setup import Setup

_TICKS = os.sysconf("SC_CLK_TCK")
_SOCKET_BYTES = 208 << 10  # the kernel's default; a bot whose memory is added up here cannot ask for more
_NOTICEABLE_US = 50_000  # counters of processes that have ended are rounded down to ticks


spared: set[str] = set()  # further processes that are ours


def bots() -> list[str]:
    own = {"1", str(os.getpid())} | spared
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


def ready(*ours: int) -> bool:
    """Whether any thread, or one of these processes, runs or waits for a processor now.

    A wait is counted only once it is over. So ask this before the counters: if it was not so then, they
    hold every wait until then. One of ours that waits for a bot's end is looked at last, or that end could
    fall between the two looks and neither be seen at work.
    """
    pids = [*bots(), *map(str, ours)]
    return any(_stat(task)[:1] == [b"R"] for pid in pids for task in _tasks(pid))


class Unseen:
    """Processor time that the box's control group has counted and no process shows.

    A child that ends and for which nobody waits takes its counters with it; so would a bot that uses up its
    time in such children not be charged for it. Where no group counts, nothing is unseen.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._before_us = setup.processor_us() - own_us()

    def since(self, seen_us: int, ours_us: int) -> int:
        """Microseconds since this was made that are neither in `seen_us` nor our own, if that is a lot."""
        missing = self._setup.processor_us() - self._before_us - ours_us - seen_us
        return missing if missing > _NOTICEABLE_US else 0


def own_kib() -> int:
    """Memory of this process: pages that others share count in part."""
    return _kib(rb"Pss:\s+(\d+)", "/proc/self/smaps_rollup")


def own_us() -> int:
    """Processor time of this process."""
    return time.process_time_ns() // 1000


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


def with_children_us(pid: int) -> int:
    """Processor time of a process and of its children that have ended, in whole ticks."""
    return _ended(str(pid))


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
    first figure. What sockets may hold shows in no process: each counts as if it were full.
    """
    limit -= _SOCKET_BYTES * _sockets()
    rough = {pid: _kib(rb"Rss(?:Anon|Shmem):\s+(\d+)", f"/proc/{pid}/status") for pid in bots()}
    if sum(rough.values()) << 10 <= limit:
        return False
    exact = (
        _kib(rb"Pss_(?:Anon|Shmem):\s+(\d+)", f"/proc/{pid}/smaps_rollup") or rough[pid] for pid in rough
    )
    return sum(exact) << 10 > limit


def _sockets() -> int:
    """How many sockets there are in this box: Unix ones, for there are no others."""
    with open("/proc/net/unix", "rb") as file:
        return file.read().count(b"\n") - 1


def _kib(pattern: bytes, path: str) -> int:
    return sum(map(int, re.findall(pattern, _read(path))))


def _read(path: str) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(fd, 4096)
    except OSError:
        return b""
    finally:
        os.close(fd)
