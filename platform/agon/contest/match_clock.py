"""The deadline at which the platform gives up on a match: `match_s` of the game's manifest.

It is for what is not the bots': the referee, which may have come to a state in which it takes too long. The
clock stands still while bots are waited for. So no bot reaches the deadline, however it spreads its time over
its answers, makes a match long, or lets itself be waited for beyond its limit; otherwise a bot that is losing
could have its match played again. Each answer has a limit of its own (sandbox.boxes.allowance, .extension).
The game bounds the number of answers.

A referee that does not come back, as from an endless loop, is interrupted. Workers play in their main thread,
in which a signal raises OutOfTime in the middle of the game's code; anywhere else it would do harm. If the
referee catches that again and again, its process is killed, and what started it starts another one.
"""

import faulthandler
import math
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from games.core import driver

AGAIN = 1.0  # seconds after which it is interrupted again, if it has caught the exception
MOST_INTERRUPTS = 10  # of one match
STDERR = 2


class OutOfTime(Exception):
    """The match took longer than its match_s, or than its caller waits for it."""


class MatchClock:
    """The deadline of one match."""

    def __init__(self, seconds: float, longest_s: float = math.inf) -> None:
        """seconds: without the time of bots. longest_s: for the whole match, bots included."""
        now = time.monotonic()
        self._seconds = seconds
        self._deadline = now + seconds
        self._end = now + longest_s
        self._interrupts = 0

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Let the clock stand still within the block, in which bots are waited for."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._deadline += time.monotonic() - began

    @contextmanager
    def interrupting(self) -> Iterator[None]:
        """Within the block, interrupt the referee at the deadline. Only in the main thread."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGALRM, self._interrupt)
        left = min(self._deadline, self._end) - time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, max(left, 0.001), AGAIN)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def _interrupt(self, _number: int, frame: FrameType | None) -> None:
        while frame is not None:
            if frame.f_code.co_filename == driver.__file__:
                return self._interrupt_referee()
            frame = frame.f_back

    def _interrupt_referee(self) -> None:
        try:
            self.check()
        except OutOfTime:
            self._interrupts += 1
            if self._interrupts > MOST_INTERRUPTS:
                faulthandler.dump_traceback(STDERR)
                os.kill(os.getpid(), signal.SIGKILL)
            raise

    def used(self) -> float:
        """Seconds since the beginning, without those in which the clock stood still."""
        return self._seconds - (self._deadline - time.monotonic())

    def check(self) -> None:
        """Raise OutOfTime if the match has taken too long."""
        now = time.monotonic()
        if now > self._deadline:
            raise OutOfTime("the match took longer than its match_s, without the time of its bots")
        if now > self._end:
            raise OutOfTime("the match took longer than anyone waits for it")
