"""What the bots of this session have used, read from /proc: all but PID 1, `own_pids` and the reader
itself."""

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


own_pids: set[str] = set()  # further processes that are ours


def bots() -> list[str]:
    own = {"1", str(os.getpid())} | own_pids
    return [name for name in os.listdir("/proc") if name.isdigit() and name not in own]


def processor() -> tuple[int, list[list[int]]]:
    """Microseconds of processor time used by all bots, and what is known of each of their living threads.

    Processor time of threads and children that have ended is taken from their process's counters.
    """
    cpu, threads = 0, []
    for pid in bots():
        found = [known for task in _tasks(pid) if (known := _thread(task))]
        cpu += max(sum(thread[2] for thread in found) // 1000, _ended(pid))
        threads += found
    return cpu, threads


def thread(pid: int) -> list[int]:
    """What is known of the main thread of one process; nothing if it is gone."""
    return _thread(f"/proc/{pid}/task/{pid}")


def _thread(task: str) -> list[int]:
    """The words of sandbox.boxes.waiting.Thread.

    The counters are read before and after the state: a wait is counted only once it is over. Where they are
    the same, a thread that is ready was so with these counters, and if they still are the same later, has
    waited since. And a thread that is not ready has all of its waits in the second reading.
    """
    before = _read(f"{task}/schedstat").split()
    state = _stat(task)
    after = _read(f"{task}/schedstat").split()
    if len(after) < 3 or len(state) < 20:
        return []  # it has ended meanwhile
    ready = (1 + (before == after)) if state[0] == b"R" else 0
    age_us = int(time.clock_gettime(time.CLOCK_BOOTTIME) * 1e6) - int(state[19]) * 1_000_000 // _TICKS
    number = int(task.rpartition("/")[2])
    return [number, age_us, int(after[0]), int(after[1]), int(after[2]), ready, _given_up(task)]


def _given_up(task: str) -> int:
    """How often a thread has given up the processor of its own will."""
    found = re.search(rb"\nvoluntary_ctxt_switches:\s+(\d+)", _read(f"{task}/status", 1 << 15))
    return int(found[1]) if found else 0


class UnattributedCpu:
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


def _read(path: str, most: int = 4096) -> bytes:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(fd, most)
    except OSError:
        return b""
    finally:
        os.close(fd)
