"""Fair time: how long a bot that has been asked, or a program that has been started, may still take.

What is charged is wall time less the time in which the bot was ready to run but had to wait for a processor,
and less that in which our own processes had to for its sake; and never less than the processor time it used
(several busy threads wait for each other all the time). A bot that sleeps is thus stopped at its limit, one
that spins when it has used it: on a host that gives it a processor that is at its limit, too, else as much
later as it had to wait. Nobody waits for ever. Several threads or children can wait for each other, and
nothing tells that from waiting for somebody else: at ten times its limit such a bot is too late. With any
other it is the platform that fails, a while after that (SandboxError: the machine is too busy).

A wait is counted when it is over: a bot that is ready to run when it is looked at is too late only if the
processor time that it has used says so, else it is looked at again a quarter of its limit later.
A thread or child that ends takes the count of its waiting with it. So a bot that has had several is looked
at four times within its limit, and gets a quarter of it on top before it is too late.
"""

import os
import threading

from sandbox.api import SandboxError, Times

_PATIENCE_US = 5_000_000  # with a machine that is too busy
_LEAST_US = 1000  # between two looks


class Allowance:
    """Of one answer or one run, microseconds."""

    def __init__(self, limit_us: int) -> None:
        self.limit_us = limit_us
        # How long, in wall time, a bot of several threads that has not used up its limit is waited for.
        self.longest_us = 10 * limit_us + 500_000
        self._allowed_us = limit_us
        self._graced = False

    def left_us(self, times: Times, ready: bool, crowded: bool) -> int:
        """When to look again, from now; 0: it is too late.

        `ready`: it ran or waited for a processor just before `times` were taken. `crowded`: it has had
        several threads, children included. Raises SandboxError if the machine is too busy to go on.
        """
        if times.charged_us >= self._allowed_us and crowded and not self._graced:
            # One may have ended, and how long it had waited since the last look has gone with it.
            self._graced = True
            self._allowed_us = times.charged_us + self.limit_us // 4
        left_us = self._allowed_us - times.charged_us
        if left_us <= 0 and ready and times.cpu_us < self._allowed_us:
            left_us = self.limit_us // 4  # it may be waiting for a processor: that counts when it is over
        if left_us <= 0 or (crowded and times.wall_us >= self.longest_us):
            return 0
        if times.wall_us >= self.longest_us + _PATIENCE_US:
            got, wall = times.cpu_us / 1e6, times.wall_us / 1e6
            raise SandboxError(f"the machine is too busy: a bot got {got:g} s of a processor in {wall:g} s")
        return max(_LEAST_US, min(left_us, self.limit_us // 4) if crowded else left_us)


_own_counters: dict[tuple[int, int], int] = {}  # descriptors by process and thread


def own_wait_ns() -> int:
    """How long this thread has waited for a processor since it was started."""
    me = os.getpid(), threading.get_native_id()
    if me not in _own_counters:
        _own_counters[me] = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    return int(os.pread(_own_counters[me], 100, 0).split()[1])
