"""How long others kept a bot from running. allowance.py says how that is used.

`CountedPreemption`: the kernel counts it, as pressure of the control group of the bot's box (PSI).
`EstimatedPreemption`, where it does not: the time in which the bot was ready to run, no processor that it may
use was idle, and the bot did not use it. A bot can be ready whenever it is sampled and sleep in between, and
is credited with that, too. So the estimate is for hosts without pressure only.
"""

import time

from sandbox.boxes.agent_link import AgentHost, Status
from sandbox.boxes.host_load import snapshot

_READ_EVERY_NS = 20_000_000  # two ticks of a slow kernel: see PressureFiles.preempted_us()
_TICK_US = 10_000  # in which the kernel counts idle time


class CountedPreemption:
    """How long a box has been kept from running since this was made, as the kernel counts it.

    While our own processes run in the box, for example to measure what the bot has used, the bot cannot run,
    because its box has one processor. But if a sample finds no thread of the bot ready, it has delayed
    nothing.
    """

    is_exact = True

    def __init__(self, host: AgentHost, counted_us: int) -> None:
        """counted_us: by the kernel until now."""
        self.since_ns = self._read_ns = time.monotonic_ns()
        self._host = host
        self._before_us = self._last_us = counted_us
        self._first: Status | None = None
        self._last: Status | None = None
        self._only_ours_us = 0  # of samples that found no thread of the bot ready

    def so_far_us(self) -> int:
        """The time without that of our own processes, read again if the last reading is old enough."""
        if (now_ns := time.monotonic_ns()) - self._read_ns >= _READ_EVERY_NS:
            self._read_ns, self._last_us = now_ns, self._host.pressure.preempted_us() or self._last_us
        return self._last_us - self._before_us

    def sample(self, status: Status, cpu_us: int, ready: bool, spawner_us: int = 0) -> int:
        """How long others, or we, kept the bot from running. `spawner_us`: CPU time of its spawner."""
        self._first, last, self._last = self._first or status, self._last or status, status
        if status.threads and not any(thread.ready for thread in status.threads):
            self._only_ours_us += status.looks_us - last.looks_us
        ours_us = status.ours_us - self._first.ours_us + spawner_us - self._only_ours_us
        return max(0, self.so_far_us() + ours_us)

    def unread_us(self) -> int:
        """How long ago the time was read: the box may have been kept from running ever since."""
        return (time.monotonic_ns() - self._read_ns) // 1000


class EstimatedPreemption:
    """How long a bot may have been kept from running since this was made, by the host's idle time."""

    is_exact = False

    def __init__(self) -> None:
        self._last = snapshot()
        self.since_ns = self._last.at_ns
        self._cpu_us = 0  # of the bot, at the last sample
        self._estimate_us = 0

    def so_far_us(self) -> int:
        """The estimate at the last sample."""
        return self._estimate_us

    def sample(self, status: Status, cpu_us: int, ready: bool, spawner_us: int = 0) -> int:
        """`cpu_us`: what the bot has used since it was asked. `ready`: some thread of it runs or is ready."""
        now = snapshot()
        passed_us = (now.at_ns - self._last.at_ns) // 1000
        taken_us = passed_us - (now.idle_us - self._last.idle_us) - (cpu_us - self._cpu_us)
        if ready:
            # Idle time is counted in ticks: what is too much at one sample is too little at the next.
            self._estimate_us = max(0, self._estimate_us + max(-_TICK_US, taken_us))
        self._last, self._cpu_us = now, cpu_us
        return self._estimate_us

    def unread_us(self) -> int:
        return _TICK_US


Preemption = CountedPreemption | EstimatedPreemption


def preemption(host: AgentHost) -> Preemption:
    """Begin to measure how long the bot of a box is kept from running."""
    counted_us = host.pressure.preempted_us()
    return EstimatedPreemption() if counted_us is None else CountedPreemption(host, counted_us)
