"""How long a bot has waited for a processor, by two kinds of evidence. allowance.py says how they are used.

`Waiting` is what the kernel's counters of the bot's threads prove: how long at least one thread was ready to
run while none of the bot's threads was running. Threads that wait for each other prove nothing: while one
waits the others run, and what they used in that time is subtracted. The kernel counts a wait only when it is
over. A wait that is not over is proved by two samples, if the thread was ready and its counters did not
change in between. And a thread that was ready at a sample, and has not given up the processor voluntarily
until the next one, ran or waited all the time. On a crowded host that is most of the proof, because samples
are rare there, and one wait of a thread may be ten times as long as the next.

`Pressure` is what the host's counters allow: how long the bot can have waited at most, because no processor
that it may use was idle; and how much CPU time others have used. It matters for bots with several threads or
children: the counters of a thread or child that has ended are gone, so such a bot may have waited longer than
can be proved.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from sandbox.boxes.host_load import Snapshot, snapshot

_TICK_US = 10_000  # the counters of a running thread may stand still for this long
_STILL_US = 2 * _TICK_US
# A program may end before the first sample, after stopping the process that would report it. Then nothing of
# it is ever seen. So its start may take at most this long, plus the time that our own process waited for a
# processor.
_LONGEST_START_US = 2_000_000
_SPAWNER = 0  # the thread number given to our own process that starts programs
_ALWAYS_US = 1 << 62  # the age of a thread that was there before any question


class Thread(NamedTuple):
    """One thread of a bot, as read by inside/usage.py."""

    number: int
    age_us: int
    run_ns: int
    wait_ns: int  # of the waits that are over
    slices: int
    # 0: asleep; 2: running or waiting, with these counters; 1: the same, but they have just changed;
    # -1: blocked inside the kernel (by the disk, a page, a lock)
    ready: int
    given_up: int  # how often it has given up the processor voluntarily


@dataclass(frozen=True)
class _Observation:
    """One thread at one sample."""

    counters: tuple[int, int, int]
    still_since_ns: int | None  # the thread has been ready, with these counters, since then
    waited_us: int  # including what is proved of a wait that is not over
    run_us: int
    given_up: int
    ready: int


_NOT_STARTED = _Observation((0, 0, 0), None, 0, 0, 0, 0)


class Waiting:
    """The waits of one bot for a processor, from `started_ns` on. `proved_us` never decreases."""

    def __init__(self, started_ns: int) -> None:
        self.proved_us = 0
        self.pending_us = 0  # the longest wait that is not over
        self.ready = False  # at the last sample some thread was running or waiting
        self.blocked = False  # at the last sample some thread of the bot was blocked inside the kernel
        self.usual_us = (
            0  # one wait: the longest average between two samples, or the longest that is not over
        )
        self.given_up = 0  # how often the bot has voluntarily given up a processor
        self.asleep_us = 0  # proved: nothing of it was running, ready or blocked all that time
        self.blocked_us = 0  # proved: some thread was blocked inside the kernel, and none was ready
        self._started_ns = self._at_ns = started_ns
        self._cpu_us = 0
        self._last: dict[int, _Observation] = {}
        self._first: dict[int, _Observation] = {}  # threads as they were at the start
        self._spawned = False  # it is a program: before its first process there is only ours
        self._begun = False
        self._ours_us = 0  # what ours took

    def start_with(self, threads: Iterable[Thread]) -> None:
        """Note what is known of the threads at the start."""
        for thread in threads:
            observation = self._observe(thread, self._started_ns)
            self._last[thread.number] = self._first[thread.number] = observation
            self._spawned = self._spawned or thread.number == _SPAWNER

    def sample(self, at_ns: int, cpu_us: int, threads: Iterable[Thread]) -> None:
        """`cpu_us`: what all threads have used since the start, those that have ended included."""
        passed_us = (at_ns - self._at_ns) // 1000
        threads = list(threads)
        current: dict[int, _Observation] = {}
        best_us = since_start_us = oldest_us = spawner_us = 0
        self.pending_us, self.ready, self.blocked = 0, False, False
        for thread in threads:
            now = current[thread.number] = self._observe(thread, at_ns)
            self.ready = self.ready or thread.ready > 0
            if now.still_since_ns is not None:
                self.pending_us = max(self.pending_us, (at_ns - now.still_since_ns) // 1000)
                self.usual_us = max(self.usual_us, self.pending_us)
            if self._spawned or thread.age_us <= (at_ns - self._started_ns) // 1000 + _TICK_US:
                self._first.setdefault(thread.number, _NOT_STARTED)
            if self._spawned or thread.age_us <= passed_us + _TICK_US:
                self._last.setdefault(thread.number, _NOT_STARTED)
            before, first = self._last.get(thread.number), self._first.get(thread.number)
            if thread.number == _SPAWNER:
                spawner_us = 0 if first is None else now.waited_us - first.waited_us
                continue
            oldest_us = max(oldest_us, thread.age_us)
            self.blocked = self.blocked or thread.ready < 0
            if before is not None:
                self.usual_us = max(self.usual_us, _average_wait(before, now))
                best_us = max(best_us, _ran_or_waited_us(before, now))
                if now.given_up == before.given_up and (before.ready > 0 or before is _NOT_STARTED):
                    best_us = max(best_us, min(passed_us, thread.age_us))
                self.given_up += max(0, now.given_up - before.given_up)
            if first is not None:
                since_start_us = max(since_start_us, _ran_or_waited_us(first, now))
        if self._spawned and not self._begun:
            born_us = max(0, oldest_us - _TICK_US)  # start times of threads are in ticks
            most_us = _LONGEST_START_US + spawner_us - self._ours_us
            ours_us = max(0, min(passed_us - born_us, most_us))
            best_us += ours_us
            self._ours_us += ours_us
            self._begun = oldest_us > 0 or cpu_us > 0
        interval_us = min(best_us, passed_us) - (cpu_us - self._cpu_us)
        self.proved_us = max(self.proved_us + max(0, interval_us), self._ours_us + since_start_us - cpu_us)
        self._note_sleep(current, passed_us)
        self._at_ns, self._cpu_us, self._last = at_ns, cpu_us, current

    def _note_sleep(self, current: dict[int, _Observation], passed_us: int) -> None:
        """Count the time since the last sample as asleep or blocked if no thread ran or was ready in it."""
        bots = current.keys() - {_SPAWNER}
        if bots and bots == self._last.keys() - {_SPAWNER}:
            if not all(_did_not_run(self._last[number], current[number]) for number in bots):
                return
            if any(current[number].ready < 0 for number in bots):
                self.blocked_us += passed_us
            else:
                self.asleep_us += passed_us

    def _observe(self, thread: Thread, at_ns: int) -> _Observation:
        counters = thread.run_ns, thread.wait_ns, thread.slices
        before = self._last.get(thread.number)
        still_since = at_ns if thread.ready == 2 else None
        if thread.ready > 0 and not thread.slices:  # it has been waiting since it was created
            still_since = at_ns - thread.age_us * 1000
        elif before is not None and before.counters == counters and before.still_since_ns is not None:
            still_since = before.still_since_ns
        waited_us = thread.wait_ns // 1000
        if still_since is not None and at_ns - still_since >= _STILL_US * 1000:
            waited_us += (at_ns - still_since) // 1000
        return _Observation(
            counters, still_since, waited_us, thread.run_ns // 1000, thread.given_up, thread.ready
        )


def spawner_thread(counters: tuple[int, int], thread: Thread | None) -> Thread:
    """The process that starts a bot's programs, as a thread that waits but uses nothing of the bot's time."""
    if thread is not None:
        return Thread(_SPAWNER, thread.age_us, 0, thread.wait_ns, thread.slices, thread.ready, 0)
    return Thread(_SPAWNER, _ALWAYS_US, 0, counters[1] * 1000, -1, 0, 0)


def _did_not_run(before: _Observation, now: _Observation) -> bool:
    """Whether a thread slept or was blocked all the time between two samples."""
    same = (before.counters, before.ready, before.given_up) == (now.counters, now.ready, now.given_up)
    return same and now.ready <= 0


def _ran_or_waited_us(before: _Observation, now: _Observation) -> int:
    return now.waited_us - before.waited_us + now.run_us - before.run_us


def _average_wait(before: _Observation, now: _Observation) -> int:
    """Microseconds, of the waits that have ended in between."""
    turns = now.counters[2] - before.counters[2]
    known = before.counters[2] >= 0 and turns > 0
    return (now.counters[1] - before.counters[1]) // turns // 1000 if known else 0


class Pressure:
    """Load on the processors that this process may use, from the first sample on."""

    def __init__(self) -> None:
        self.possible_us = 0  # how long the bot can have waited at most
        self.others_us = 0  # CPU time used by others
        self.stalled_us = 0  # while some process of the host waited for the disk or memory
        self._first: Snapshot | None = None
        self._before: tuple[int, int, int] | None = None

    def sample(self, at_ns: int, cpu_us: int, ready: bool) -> None:
        """`cpu_us`: what the bot has used since the start. `ready`: one of its threads runs or waits."""
        processors = os.sched_getaffinity(0)
        now = snapshot()
        idle_us = now.idle_us
        self._first = self._first or now
        if now.stalled_us is not None and self._first.stalled_us is not None:
            self.stalled_us = now.stalled_us - self._first.stalled_us
        if self._before is not None:
            passed = (at_ns - self._before[0]) // 1000
            idle, own = idle_us - self._before[1], cpu_us - self._before[2]
            busy = passed - idle - own
            # Idle time is counted in ticks: what is too much at one sample is too little at the next.
            if ready and busy > -_STILL_US:
                self.possible_us = max(0, self.possible_us + busy)
            self.others_us = max(0, self.others_us + len(processors) * passed - idle - own)
        self._before = at_ns, idle_us, cpu_us
