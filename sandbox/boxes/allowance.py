"""Fair time: how much longer a bot that was asked, or a program that was started, may take.

This is the one description of fair time. The channel (channel.py) and the runs (runs.py) apply it.

Theory of operation.

Processes:
- A bot runs in its box, with as many threads and children as its limits allow.
- If an answer takes long, the agent of the box reads the kernel's counters of all of them (a *sample*).
- The referee, here, charges the bot and decides when to take the next sample. The times of samples are partly
  random, so that no bot can know them.
- Others run on the same processors: the other bots of the match, other matches, the rest of the host.

Pipes:
- None of its own. A sample is one request to the agent, and a read of the host's counters where pressure is
  not counted.

Trust:
- A bot is charged its wall time minus the time in which others kept it from running, but never less than the
  CPU time that it used. So all that a bot can gain by pretending is time to sleep.
- How long it was *kept from running* is counted by the kernel, as pressure of its box's control group, or
  else estimated from the host's idle time (preemption.py). The waits of our own processes in the box are
  included: they have to run for the bot's sake. But what is proved to be sleep is never credited
  (activity.py).
- The count begins some milliseconds after the question if the bot usually answers at once, and can be read
  some fifty times a second. What may be missing is a reason to sample again before the limit is reached.
- Where it is not counted, a bot that is ready whenever it is sampled is credited with all the time in which
  no processor of the host was idle. Any bot can arrange that, on a host that others keep busy.
- It reaches its limit at ten times the limit in wall time, plus half a second, unless it was kept from
  running for half of that. So does a program of which nothing has been seen by then.
- While a pipe that it writes to is full, a bot waits for the referee, which reads it. It is credited with the
  time in which the referee, too, waited for a processor (reading.py).
- Waits that are not for a processor are never credited here: on a host that is held up by its disk, memory or
  hypervisor the limit is extended (extension.py).
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
  what a bot needs that has a sixtieth of a processor, but for a minute at most. Then the platform fails
  (MachineTooBusy).
"""

import random

from sandbox.api import NO_TIMES, MachineTooBusy, Times
from sandbox.boxes.activity import Activity
from sandbox.boxes.agent_link import Status
from sandbox.boxes.host_load import Snapshot, load_since
from sandbox.boxes.preemption import Preemption

_EVIDENCE_DUE_US = 5_000_000  # beyond ten times the limit: then there has to be evidence of others
_CROWD = 60  # as many processes may share a processor with a bot before the match is given up
_LONGEST_CROWD_US = 60_000_000  # the longest further wait, with that evidence
_TURN_US = 3000  # what a thread can use each time it is given a processor
_LEAST_SAMPLING_US = 1000  # between two samples
_SOON_US = 25_000  # more than two kernel ticks: by then the counters of a running thread have changed


class Allowance:
    """The time of one answer or one run, in microseconds."""

    def __init__(self, limit_us: int, started_ns: int, asked: Snapshot) -> None:
        """asked: the host when the bot was asked, or somewhat before."""
        self.limit_us = limit_us
        # Wall time after which a bot must be proved to have been kept from running.
        self.longest_us = 10 * limit_us + 500_000
        self.times = NO_TIMES  # at the last sample
        self.blocked_us = 0  # how long the referee waited for a processor while the bot could not write
        self.activity = Activity(started_ns)
        self._asked = asked
        self._started_ns = started_ns
        self._exact = False  # it is known how long others kept the bot from running
        self._over_us: int | None = None  # how far beyond its limit it was when that was first seen

    @property
    def kept_waiting(self) -> bool:
        """Whether the bot has spent a quarter of its time or more waiting for a processor."""
        return 4 * self.times.wait_us >= self.times.wall_us

    @property
    def used_full_limit(self) -> bool:
        """Whether the bot surely had its limit of time, however busy others were: its waits are known."""
        return self._exact and max(self.times.charged_us, self._given_us) >= self.limit_us

    @property
    def _given_us(self) -> int:
        """What it used, and could have used when it gave up the processor."""
        return self.times.cpu_us + self.activity.given_up * _TURN_US

    def sample(
        self, status: Status, cpu_us: int, preemption: Preemption, spawner_us: int = 0, uncounted_us: int = 0
    ) -> int:
        """Microseconds until the next sample; 0 if the limit is reached. Raises MachineTooBusy.

        `cpu_us`: CPU time of the bot since it was asked. `spawner_us`: that of its spawner. `uncounted_us`:
        how long after the start `preemption` began.
        """
        self.activity.sample(status.at_ns, status.threads)
        ready = self.activity.ready or not self.activity.begun
        preempted_us = preemption.sample(status, cpu_us, ready, spawner_us)
        self._exact = preemption.is_exact
        wall_us = (status.at_ns - self._started_ns) // 1000
        wait_us = min(preempted_us, wall_us - self.activity.asleep_us) + self.blocked_us
        self.times = Times(wall_us, cpu_us, min(wait_us, wall_us))
        # A program may have ended before the first sample, after stopping the process that would report it.
        if wall_us >= self.longest_us and not (status.threads and self._machine_to_blame()):
            return 0
        doubt_us = uncounted_us + preemption.unread_us() if self._exact or ready else 0
        return self._next_sample(doubt_us)

    def _machine_to_blame(self) -> bool:
        """Whether the machine is to blame that there is still no answer."""
        wall_us, cpu_us, wait_us = self.times[:3]
        if 2 * wait_us < wall_us:
            return False
        if wall_us < self.longest_us + _EVIDENCE_DUE_US:
            return True
        others_us = load_since(self._asked, cpu_us, None).others_us
        if 2 * others_us < wait_us or self._given_us >= self.limit_us:
            return False
        crowd_us = min(_CROWD * self.limit_us, _LONGEST_CROWD_US)
        if wall_us < self.longest_us + _EVIDENCE_DUE_US + crowd_us:
            return True
        got, waited = cpu_us / 1e6, wait_us / 1e6
        bot = f"a bot got {got:g} s of CPU time and waited {waited:g} s for a processor"
        raise MachineTooBusy(f"the machine is too busy: {bot}, while others used {others_us / 1e6:g} s")

    def _next_sample(self, doubt_us: int) -> int:
        """`doubt_us`: how much more it may have waited than is known."""
        often_us = int(self.limit_us / 4 * random.uniform(0.5, 1))  # so that no bot can know when
        left_us = self.limit_us - self.times.charged_us
        if left_us > 0:
            self._over_us = None
            return max(_LEAST_SAMPLING_US, min(left_us, often_us))
        if self._over_us is None:
            self._over_us = -left_us
        if self.times.cpu_us >= self.limit_us or -left_us - self._over_us >= doubt_us:
            return 0
        return _SOON_US
