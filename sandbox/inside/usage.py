"""What the bots of a session have used, read from /proc.

Bots are all processes except PID 1, `own_pids`, and the process that reads.
"""

from __future__ import annotations

import os
import re
import time

TYPE_CHECKING = False  # importing typing would make every fork more expensive
if TYPE_CHECKING:
    from .setup import Setup

_TICKS = os.sysconf("SC_CLK_TCK")
_SOCKET_BYTES = 208 << 10  # the kernel's default, which the filter keeps bots from raising
_ZOMBIE = -2  # in place of `ready`: the thread has ended, and only has to be reaped by a process of ours
_REPEATS = 3  # of a reading, at most
_NOTICEABLE_US = 50_000  # less may be a rounding error: counters of ended processes are in whole ticks


own_pids: set[str] = set()  # further processes of our own


def bots() -> list[str]:
    own = {"1", str(os.getpid())} | own_pids
    return [name for name in os.listdir("/proc") if name.isdigit() and name not in own]


def clock_us() -> int:
    """The time from which the ages of threads are counted: since the host was started."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * 1e6)


def cpu_and_threads(at_us: int) -> tuple[int, list[list[int]]]:
    """CPU time of all bots, in microseconds, and what is known of each of their threads.

    The CPU time of threads and children that have ended is part of their process's counters.
    `at_us`: when the reading began, by clock_us(); the ages of threads refer to it, however long this process
    is kept waiting afterwards. Meanwhile a child may take over from its parent. So a reading that finds no
    thread ready is repeated until two readings agree.
    """
    result = _cpu_and_threads_once(at_us)
    for _ in range(_REPEATS):
        if any(thread[5] for thread in result[1]) or result == (again := _cpu_and_threads_once(at_us)):
            break
        result = again
    return result


def _cpu_and_threads_once(at_us: int) -> tuple[int, list[list[int]]]:
    cpu, threads = 0, []
    for pid in bots():
        own_threads = [known for task in _tasks(pid) if (known := _thread(task, at_us))]
        cpu += max(sum(thread[2] for thread in own_threads) // 1000, _total_cpu_us(pid))
        threads += [known for known in own_threads if known[5] != _ZOMBIE]
    return cpu, threads


def thread(pid: int, at_us: int) -> list[int]:
    """What is known of the main thread of a process; nothing if it has ended."""
    return _thread(f"/proc/{pid}/task/{pid}", at_us)


def _thread(task: str, at_us: int) -> list[int]:
    """The fields of sandbox.boxes.waiting.Thread.

    The counters are read before and after the state, because a wait is counted only when it is over. If they
    are the same, a ready thread was ready with these counters; if they are still the same later, it has
    waited since. And if a thread is not ready, the second reading includes all of its waits.
    How often it has given up the processor is read first. If it is ready after that, and the number is the
    same later, it has not slept in between.
    """
    given_up = _voluntary_switches(task)
    before = _read(f"{task}/schedstat").split()
    state = _stat(task)
    after = _read(f"{task}/schedstat").split()
    if len(after) < 3 or len(state) < 20:
        return []  # it has ended
    ready = (1 + (before == after)) if state[0] == b"R" else -1 if state[0] == b"D" else 0
    age_us = max(0, at_us - int(state[19]) * 1_000_000 // _TICKS)
    number = int(task.rpartition("/")[2])
    if state[0] in b"ZX":
        ready = _ZOMBIE
    return [number, age_us, int(after[0]), int(after[1]), int(after[2]), ready, given_up]


def _voluntary_switches(task: str) -> int:
    """How often a thread has given up the processor voluntarily."""
    matched = re.search(rb"\nvoluntary_ctxt_switches:\s+(\d+)", _read(f"{task}/status", 1 << 15))
    return int(matched[1]) if matched else 0


class UnattributedCpu:
    """CPU time that the box's control group has counted, but that belongs to no process anymore.

    A child that ends without being waited for takes its counters with it. Without this, a bot could use such
    children to avoid being charged. Where there is no control group it is always zero.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._before_us = setup.processor_us() - own_us()

    def since(self, seen_us: int, ours_us: int) -> int:
        """Microseconds since this was made that are neither in `seen_us` nor our own, minus a tolerance.

        The tolerance is never charged. Otherwise a bot would be charged for all of it at once when the sum
        exceeds it, although it has built up since the start.
        """
        missing = self._setup.processor_us() - self._before_us - ours_us - seen_us
        return max(0, missing - _NOTICEABLE_US)


class Sampling:
    """How long our own processes have run or waited for a processor to sample the counters of the bots.

    The agent waits to be woken. From then on until the measurer has ended, one of both runs or waits.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._waited_us = setup.waited_us()
        self._us = 0  # of all samples that are over
        self._began_ns = 0

    def begin(self) -> None:
        self._began_ns = time.monotonic_ns()
        self._us += self._setup.waited_us() - self._waited_us

    def end(self) -> None:
        self._us = self.us()
        self._waited_us = self._setup.waited_us()

    def us(self) -> int:
        """Microseconds since this was made, including a sample that is not over."""
        return self._us + (time.monotonic_ns() - self._began_ns) // 1000


def own_kib() -> int:
    """Memory of this process; pages shared with others count in part."""
    return _kib(rb"Pss:\s+(\d+)", "/proc/self/smaps_rollup")


def own_us() -> int:
    """CPU time of this process."""
    return time.process_time_ns() // 1000


def schedstat(task: str) -> tuple[int, int]:
    """(CPU time, wait time) in microseconds; zeros if the task has ended."""
    words = _read(f"{task}/schedstat").split()
    return (int(words[0]) // 1000, int(words[1]) // 1000) if len(words) > 1 else (0, 0)


def _tasks(pid: str) -> list[str]:
    try:
        return [f"/proc/{pid}/task/{task}" for task in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []  # it has ended


def with_children_us(pid: int) -> int:
    """CPU time of a process and of its children that have ended, in whole ticks."""
    return _total_cpu_us(str(pid))


def _total_cpu_us(pid: str) -> int:
    """CPU time of a process with its threads and children that have ended, in whole ticks."""
    words = _stat(f"/proc/{pid}")
    return sum(map(int, words[11:15])) * 1_000_000 // _TICKS if len(words) > 15 else 0


def _stat(task: str) -> list[bytes]:
    """The fields after the name, which may contain anything."""
    return _read(f"{task}/stat").rpartition(b")")[2].split()


def more_memory_than(limit: int) -> bool:
    """Whether the bots together hold more than `limit` bytes, not counting pages of program files.

    First the memory of each process is added up, which counts shared pages more than once. If that is too
    much, each page is counted once, which takes longer. A process that does not let itself be read so counts
    with all its pages, unless it has ended meanwhile: they are free then.
    What sockets hold belongs to no process: each counts as if it were full.
    """
    limit -= _SOCKET_BYTES * _sockets()
    pids = list(bots())
    if sum(map(_all_pages_kib, pids)) << 10 <= limit:
        return False
    exact = (
        _kib(rb"Pss_(?:Anon|Shmem):\s+(\d+)", f"/proc/{pid}/smaps_rollup") or _all_pages_kib(pid)
        for pid in pids
    )
    return sum(exact) << 10 > limit


def _all_pages_kib(pid: str) -> int:
    """Memory of a process; pages shared with others count in full. 0 if it has ended."""
    return _kib(rb"Rss(?:Anon|Shmem):\s+(\d+)", f"/proc/{pid}/status")


def _sockets() -> int:
    """How many sockets there are in this box. All are Unix sockets."""
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
