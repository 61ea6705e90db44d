"""Fair time: how much longer a bot that was asked, or a program that was started, may take.

This is the one description of fair time. The channel (channel.py) and the runs (runs.py) apply it.

Theory of operation.

Processes:
- A bot runs in its box, with as many threads and children as its limits allow.
- If an answer takes long, the agent of the box reads the kernel's counters of all of them (a *sample*).
- The referee, here, charges the bot and decides when to take the next one. Its time is partly random, so
  that no bot can know it.
- Others run on the same processors: the other bots of the match, other matches, the rest of the host.

Pipes:
- None of its own. A sample is one request to the agent and one read of the host's counters in /proc/stat.

Trust:
- A bot is charged its wall time minus the time in which others kept it from running, but never less than the
  CPU time that it used.
- It was *kept from running* while at least one of its threads was ready and none was running. The kernel
  counts that as pressure of its box's control group (PressureFiles.preempted_us). The waits of our own
  processes in the box are included: they have to run for the bot's sake. So is the CPU time of those that
  measure or start it, which grows with the number of samples. But while the bot is proved to sleep, only our
  own processes wait, which is not credited. Nor is the time of a sample that finds no thread of the bot ready
  (KeptFromRunning.preempted_us).
- Not every host counts that, the count is exact only if the box has one processor, and it begins some
  milliseconds after the question if the bot usually answers at once. So a bot is also credited with as much
  as the counters of its threads prove (waiting.py).
- The count can be read some fifty times a second (PressureFiles.preempted_us). What may be missing
  since the last read is a reason to take the next sample.
- Before the first process of a program exists, only our own process works. The bot is credited with that
  time, for two seconds at most, and as much longer as that process is proved to have waited for a processor.
- A bot is credited with the time in which some thread of it is proved to have been blocked inside the kernel,
  but only as far as processes of the host waited for disk or memory meanwhile. This is never a reason to call
  the machine too busy, since a bot can block itself. For other waits that are not for a processor, the limit
  is extended on a host under pressure (extension.py).
- That a thread is ready, or blocked, at a sample proves nothing, because a bot can arrange that. It is a
  reason to take the next sample soon, until the unproved time adds up to a twentieth of a second, or to two
  waits as long as the bot usually has. Then the limit is reached.
- The counters of threads and children that have ended are gone. So where pressure is not counted, a bot that
  has had several gets a quarter of its limit on top. While it is found ready to run and no processor of the
  host was idle since the last sample, it is credited with that time, too.
- It reaches its limit at ten times the limit in wall time, plus half a second, unless it is proved that it
  was kept from running for half of that.
- While a pipe that it writes to is full, a bot waits for the referee, which reads it. It is credited with the
  time in which the referee, too, waited for a processor (reading.py).
- CPU time is always charged, so all that a bot can gain by pretending is time to sleep.
- A bot cannot make itself wait: it can neither lower its priority nor choose its processor, yielding does
  nothing (backends/seccomp_policy.py), and while its threads wait for each other they use the processor. A
  bot that repeatedly sleeps for a moment does have to wait after each sleep if others are busy. It is
  credited with that, too, up to the point where the platform would have failed. Then the bot has reached its
  limit.
- No bot can starve another bot of its match: boxes have equal shares of the processors where control groups
  can be made (cgroup.py), and bots that run without having been asked are suspended while another one is kept
  waiting (suspend.py).

Failure:
- A bot that sleeps is stopped at its limit; a bot that spins, when it has used its limit of CPU time.
- Five seconds after ten times the limit there has to be evidence from outside the box: the bot was kept from
  running; others have used the processors for at least half as long; and the bot was not offered what it
  needs. Each time it gave up a processor voluntarily it could have had the processor for a turn: all these
  turns together are shorter than its limit. Otherwise the limit is reached.
- With that evidence a bot plays on, at the speed that the host leaves it: for sixty times its limit, which is
  what a bot needs that has a sixtieth of a processor, and for at most a minute. Then the platform fails
  (MachineTooBusy).
"""

import os
import random
import threading
from collections.abc import Iterable

from sandbox.api import NO_TIMES, MachineTooBusy, Times
from sandbox.boxes.waiting import Pressure, Thread, Waiting

_PATIENCE_US = 5_000_000  # beyond ten times the limit, before there has to be evidence of others
_CROWD = 60  # as many processes may share a processor with a bot before the match is given up
_LONGEST_PATIENCE_US = 60_000_000  # the longest further wait, with that evidence
_TURN_US = 3000  # what a thread can use each time it is given a processor
_LEAST_US = 1000  # between two samples
_SOON_US = 25_000  # more than two kernel ticks: by then the counters of a running thread have changed


class Allowance:
    """The time of one answer or one run, in microseconds."""

    def __init__(self, limit_us: int, started_ns: int) -> None:
        self.limit_us = limit_us
        # Wall time after which a bot must be proved to have been kept from running.
        self.longest_us = 10 * limit_us + 500_000
        self.times = NO_TIMES  # at the last sample
        self.blocked_us = 0  # how long the referee waited for a processor while the bot could not write
        self.uncounted_us = 0  # how long it may have been kept from running, but that was not counted
        self.counted = False  # at the last sample, the kernel counted how long it was kept from running
        self.waiting = Waiting(started_ns)
        self._proved_us = 0  # how long it was kept from running, or from writing
        self._pressure = Pressure()
        self._started_ns = started_ns
        self._over_us: int | None = None  # how far beyond its limit it was when that was first seen

    @property
    def kept_waiting(self) -> bool:
        """Whether the bot has spent a quarter of its time or more waiting for a processor."""
        return 4 * max(self.times.wait_us, self.waiting.pending_us) >= self.times.wall_us

    @property
    def used_full_limit(self) -> bool:
        """Whether the bot surely had its limit of time, however busy others were: its waits are known."""
        return self.counted and max(self.times.charged_us, self._given_us) >= self.limit_us

    @property
    def _given_us(self) -> int:
        """What it used, and could have used when it gave up the processor."""
        return self.times.cpu_us + self.waiting.given_up * _TURN_US

    def sample(
        self,
        at_ns: int,
        cpu_us: int,
        threads: Iterable[Thread],
        multithreaded: bool,
        preempted_us: int | None = None,
    ) -> int:
        """Microseconds until the next sample; 0 if the limit is reached.

        `cpu_us`: CPU time of the bot since it was asked. `multithreaded`: it has had several threads, those
        of children included. `preempted_us`: how long it was kept from running, by others or by our own
        processes (KeptFromRunning.preempted_us); None if the kernel does not count that. Raises
        MachineTooBusy.
        """
        self.counted = preempted_us is not None
        self.waiting.sample(at_ns, cpu_us, threads)
        self._pressure.sample(at_ns, cpu_us, self.waiting.ready)
        wall_us = (at_ns - self._started_ns) // 1000
        preempted_us = min(preempted_us or 0, wall_us - self.waiting.asleep_us)
        self._proved_us = max(self.waiting.proved_us, preempted_us) + self.blocked_us
        wait_us = self._proved_us
        if multithreaded and not self.counted:
            wait_us = max(wait_us, self._pressure.possible_us + self.blocked_us)
        wait_us += min(self.waiting.blocked_us, self._pressure.stalled_us)
        self.times = Times(wall_us, cpu_us, min(wait_us, wall_us))
        if wall_us >= self.longest_us and not self._machine_to_blame(wall_us):
            return 0
        return self._next_look(self._doubt_us(multithreaded))

    def _machine_to_blame(self, wall_us: int) -> bool:
        """Whether the machine is to blame that there is still no answer."""
        proved_us, others_us = self._proved_us, self._pressure.others_us
        if 2 * proved_us < wall_us:
            return False
        if wall_us < self.longest_us + _PATIENCE_US:
            return True
        if 2 * others_us < proved_us or self._given_us >= self.limit_us:
            return False
        if wall_us < self.longest_us + _PATIENCE_US + min(_CROWD * self.limit_us, _LONGEST_PATIENCE_US):
            return True
        got, waited = self.times.cpu_us / 1e6, proved_us / 1e6
        bot = f"a bot got {got:g} s of CPU time and waited {waited:g} s for a processor"
        raise MachineTooBusy(f"the machine is too busy: {bot}, while others used {others_us / 1e6:g} s")

    def _doubt_us(self, multithreaded: bool) -> int:
        """How much more it may have waited than is known."""
        unclear = self.waiting.blocked or (self.waiting.ready and not self.counted)
        doubt_us = 2 * max(_SOON_US, self.waiting.usual_us) if unclear else 0
        if self.counted:
            return doubt_us + self.uncounted_us
        return doubt_us + (self.limit_us // 4 if multithreaded else 0)

    def _next_look(self, doubt_us: int) -> int:
        often_us = int(self.limit_us / 4 * random.uniform(0.5, 1))  # so that no bot can know when
        left_us = self.limit_us - self.times.charged_us
        if left_us > 0:
            self._over_us = None
            return max(_LEAST_US, min(left_us, often_us))
        if self._over_us is None:
            self._over_us = -left_us
        if self.times.cpu_us >= self.limit_us or -left_us - self._over_us >= doubt_us:
            return 0
        return max(_SOON_US, min(max(self.waiting.usual_us, self.waiting.pending_us), often_us))


_own_counters: dict[tuple[int, int], int] = {}  # descriptors, by process and thread


def own_wait_ns() -> int:
    """How long this thread has waited for a processor since it was started."""
    me = os.getpid(), threading.get_native_id()
    if me not in _own_counters:
        _own_counters[me] = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    return int(os.pread(_own_counters[me], 100, 0).split()[1])
