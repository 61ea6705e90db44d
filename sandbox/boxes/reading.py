"""Reading what bots write besides their answers, so that no bot has to wait for this process.

Theory of operation. A bot that has filled a pipe sleeps until this process reads from it.

Processes:
- The worker, here, which reads whenever it waits for something: for an answer, the end of a run, or an agent.

Pipes:
- Standard error of bots that are asked, and all output of a run. At most 1 MiB is read at once, because a bot
  may keep writing.

Trust:
- A bot can sleep and keep a pipe full by means of another thread. So it is credited only with the time in
  which this process provably waited for a processor since the reading before, if a reading finds the pipe
  full. A bot that has just filled it gets no more than one that kept it full.
- It is not credited with the time for which its agent takes to answer, because its own processes may starve
  the agent. Instead its output is read meanwhile.

Failure:
- None of its own. A pipe that was closed is not read anymore.
"""

import os
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from sandbox.inside.head_tail import HeadTail

ROOM = 256 << 10  # of a pipe for output of any length: the more room, the less often a bot has to wait
# A full pipe is emptied with one read. A smaller read would wake the bot, which would fill the freed room and
# sleep again before the next read.
_CHUNK = ROOM
_CHUNKS = 4
# A pipe of the usual size has 16 pages, and may be full when each is a little more than half full. A larger
# pipe counts as full with the same amount in it: a bot that pretends has to write just as much.
_FULL = 32 << 10

_local = threading.local()
_own_counters: dict[tuple[int, int], int] = {}  # descriptors, by process and thread


def own_wait_ns() -> int:
    """How long this thread has waited for a processor since it was started."""
    me = os.getpid(), threading.get_native_id()
    if me not in _own_counters:
        _own_counters[me] = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    return int(os.pread(_own_counters[me], 100, 0).split()[1])


def drain(fd: int, into: HeadTail) -> bool:
    """Read what is there. Returns whether the pipe was so full that the bot may have waited for room."""
    full = False
    for _ in range(_CHUNKS):
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            break
        into.add(data)
        full = full or len(data) >= _FULL
        if len(data) < _CHUNK:
            break
    return full


class LateReading:
    """Measures how long this process waited for a processor while a bot's pipe was full, or became full."""

    def __init__(self) -> None:
        self.blocked_ns = 0
        self._waited_ns = own_wait_ns()  # by this process, at the last reading

    def note(self, full: bool) -> None:
        """Call after each reading. `full`: what drain() returned."""
        waited_ns = own_wait_ns()
        if full:
            self.blocked_ns += waited_ns - self._waited_ns
        self._waited_ns = waited_ns


@contextmanager
def reading(readers: Mapping[int, Callable[[], object]]) -> Iterator[None]:
    """While this thread waits for an agent, call the reader of each descriptor that can be read.

    The mapping may change meanwhile.
    """
    _local.readers = readers
    try:
        yield
    finally:
        _local.readers = {}


def read_until(sock: socket.socket, seconds: float) -> None:
    """Return when `sock` can be read, or after `seconds`."""
    readers: Mapping[int, Callable[[], object]] = getattr(_local, "readers", {})
    if not readers:
        return
    poll = select.poll()
    for fd in (sock.fileno(), *readers):
        poll.register(fd, select.POLLIN)
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        for fd, event in poll.poll(left * 1000):
            if fd == sock.fileno():
                return
            if event & select.POLLIN:
                readers[fd]()
            else:
                poll.unregister(fd)
