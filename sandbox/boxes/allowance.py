"""Fair time: how long a bot that has been asked, or a program that has been started, may still take.

Theory of operation.

Processes. A bot runs in its box, with as many threads and children as its limits allow. When an answer takes
long, the agent of the box is asked for the kernel's counters of all of them (a look). The referee, here,
charges the bot and decides when to look again, never quite regularly: no bot is to know when. Others run on
the same processors: the other bots of the match, other matches, whatever the host does besides.

Pipes. None. A look is one request to the agent, and one read of the host's counters in /proc/stat.

Trust. What is charged is wall time less the time in which others kept the bot from running, and never less
than the processor time that it used. It was kept from running while a thread was ready to run and none of
its own was running: only as much is credited as the counters prove (waiting.py). That a thread is ready when
it is looked at proves nothing, since a bot can see to that. It is a reason to look again very soon, until
what has not been proved since has added up to a twentieth of a second, or to two waits as long as it has had.
Then the bot is too late.

The counters of threads and children that end are gone. So a bot that has had several gets a quarter of its
limit on top. If it is found ready to run and no processor of the host was idle since the last look, it is
credited with that time, too, but it is too late at ten times its limit, unless it is proved that it was kept
from running for half of that. Processor time is charged in any case: what a bot can get by pretending is time
to sleep.

No wait is of a bot's own making: it can neither lower its priority nor choose its processor, yielding does
nothing (seccomp.py), and while its threads wait for each other they use the processor. But a bot that sleeps
for a moment again and again has to wait after each sleep where others are busy. It is credited with that,
too, until the platform would have failed: then it is too late.

Failure. A bot that sleeps is stopped at its limit, one that spins when it has used its limit. The platform
fails (SandboxError: the machine is too busy) only long after ten times the limit, and on evidence from
outside the box: the bot was kept from running, others have used the processors for half as long at least, and
it was not offered what it needs. Each time it gave up a processor of its own will it could have had that for
a turn; all these turns together are shorter than its limit.
No bot can bring that about for another one of its match: boxes have equal shares of the processors where
control groups can be made (cgroup.py), and bots that run without being asked are stopped while another one
is kept waiting (suspend.py).
"""

import os
import random
import threading
from collections.abc import Iterable, Sequence

from sandbox.api import NO_TIMES, SandboxError, Times
from sandbox.boxes.waiting import Pressure, Waiting

_PATIENCE_US = 5_000_000  # with a machine that is too busy
_TURN_US = 3000  # what a thread gets, if it wants, each time when it is given a processor
_LEAST_US = 1000  # between two looks
_SOON_US = 25_000  # more than two ticks of the kernel's: counters of a running thread have moved by then


class Allowance:
    """Of one answer or one run, microseconds."""

    def __init__(self, limit_us: int, started_ns: int) -> None:
        self.limit_us = limit_us
        # How long, in wall time, a bot is waited for of which it is not proved that it was kept from running.
        self.longest_us = 10 * limit_us + 500_000
        self.times = NO_TIMES  # at the last look
        self.waiting = Waiting(started_ns)
        self._pressure = Pressure()
        self._started_ns = started_ns
        self._doubted_us: int | None = None  # how far beyond its limit it was when that was first seen

    @property
    def kept_waiting(self) -> bool:
        """Whether the bot has waited for a processor for much of the time."""
        return 4 * max(self.times.wait_us, self.waiting.pending_us) >= self.times.wall_us

    def look(self, at_ns: int, cpu_us: int, threads: Iterable[Sequence[int]], multithreaded: bool) -> int:
        """When to look again, from now; 0: it is too late.

        `cpu_us`: what the bot has used since it was asked. `multithreaded`: it has had several threads,
        children included. Raises SandboxError if the machine is too busy to go on.
        """
        self.waiting.look(at_ns, cpu_us, threads)
        self._pressure.look(at_ns, cpu_us, self.waiting.ready)
        wait_us = max(self.waiting.proved_us, self._pressure.possible_us if multithreaded else 0)
        wall_us = (at_ns - self._started_ns) // 1000
        self.times = Times(wall_us, cpu_us, min(wait_us, wall_us))
        if wall_us >= self.longest_us and not self._may_go_on(wall_us):
            return 0
        return self._next_look(multithreaded)

    def _may_go_on(self, wall_us: int) -> bool:
        """Whether it is the machine's fault that there is no answer after so long a time."""
        proved_us, others_us = self.waiting.proved_us, self._pressure.others_us
        if 2 * proved_us < wall_us:
            return False
        if wall_us < self.longest_us + _PATIENCE_US:
            return True
        given_us = self.times.cpu_us + self.waiting.given_up * _TURN_US
        if 2 * others_us < proved_us or given_us >= self.limit_us:
            return False
        got, waited = self.times.cpu_us / 1e6, proved_us / 1e6
        words = f"a bot got {got:g} s of a processor and waited {waited:g} s for one"
        raise SandboxError(f"the machine is too busy: {words}, while others used {others_us / 1e6:g} s")

    def _next_look(self, multithreaded: bool) -> int:
        often_us = int(self.limit_us / 4 * random.uniform(0.5, 1))  # no bot is to know when
        left_us = self.limit_us - self.times.charged_us
        if left_us > 0:
            self._doubted_us = None
            return max(_LEAST_US, min(left_us, often_us) if multithreaded else left_us)
        usual_us = max(_SOON_US, self.waiting.usual_us)
        doubt_us = (2 * usual_us if self.waiting.ready else 0) + (self.limit_us // 4 if multithreaded else 0)
        if self._doubted_us is None:
            self._doubted_us = -left_us
        if self.times.cpu_us >= self.limit_us or -left_us - self._doubted_us >= doubt_us:
            return 0
        return max(_SOON_US, min(max(self.waiting.usual_us, self.waiting.pending_us), often_us))


_own_counters: dict[tuple[int, int], int] = {}  # descriptors by process and thread


def own_wait_ns() -> int:
    """How long this thread has waited for a processor since it was started."""
    me = os.getpid(), threading.get_native_id()
    if me not in _own_counters:
        _own_counters[me] = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    return int(os.pread(_own_counters[me], 100, 0).split()[1])
