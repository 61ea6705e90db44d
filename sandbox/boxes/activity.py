"""What the threads of one bot did between two samples of the kernel's counters: see allowance.py."""

from collections.abc import Iterable
from typing import NamedTuple

_TICK_US = 10_000  # the kernel's resolution of the time at which a thread was started


class Thread(NamedTuple):
    """One thread of a bot, as read by inside/usage.py."""

    number: int
    age_us: int
    run_ns: int
    wait_ns: int  # of the waits that are over
    # 1: running, or ready to run; 0: asleep; -1: blocked inside the kernel (by the disk, a page, a lock)
    ready: int
    given_up: int  # how often it has given up the processor voluntarily


class Activity:
    """The threads of one bot from `started_ns` on."""

    def __init__(self, started_ns: int) -> None:
        self.ready = False  # at the last sample some thread was running, or ready to run
        self.begun = False  # a thread has been seen
        self.asleep_us = 0  # proved: nothing of it was running, ready or blocked all that time
        self.given_up = 0  # how often the bot has voluntarily given up a processor
        self._at_ns = started_ns
        self._threads: dict[int, Thread] = {}

    def sample(self, at_ns: int, threads: Iterable[Thread]) -> None:
        """Note the threads that are alive."""
        passed_us, before = (at_ns - self._at_ns) // 1000, self._threads
        now = {thread.number: thread for thread in threads}
        for thread in now.values():
            if thread.number in before:
                self.given_up += max(0, thread.given_up - before[thread.number].given_up)
            elif thread.age_us <= passed_us + _TICK_US:
                self.given_up += thread.given_up
        if now and now.keys() == before.keys() and all(_slept(before[number], now[number]) for number in now):
            self.asleep_us += passed_us
        self.ready = any(thread.ready > 0 for thread in now.values())
        self.begun = self.begun or bool(now)
        self._at_ns, self._threads = at_ns, now


def _slept(before: Thread, now: Thread) -> bool:
    """Whether a thread was asleep all the time between two samples."""
    return now.ready == 0 and before == now._replace(age_us=before.age_us)
