"""The deadline at which the platform gives up on a match.

A bot's limits are in charged time (sandbox.boxes.allowance), and a game's `match_s` exceeds their sum
(games.core.compliance.checks). So bots alone never reach it, however slow they are. But a bot is also
credited for time in which it waited for a processor, and on a busy host a bot can cause such waits. If these
counted against the deadline, a losing bot could make its match void by waiting. So each credited wait extends
the deadline; each wait is itself bounded.
"""

import time
from collections.abc import Iterable

from sandbox.api import Times


class OutOfTime(Exception):
    """The match took longer than its match_s."""


class MatchClock:
    """The deadline of one match."""

    def __init__(self, seconds: float) -> None:
        self._deadline = time.monotonic() + seconds

    def credit(self, together: Iterable[Times]) -> None:
        """Extend the deadline by the longest uncharged wait of bots that were asked together."""
        waits = [times.wall_us - times.charged_us for times in together if times.wait_us]
        if waits:
            self._deadline += max(waits) / 1_000_000

    def check(self) -> None:
        """Raise OutOfTime if the match has taken too long."""
        if self.over:
            raise OutOfTime("the match took longer than its match_s: the machine is too busy")

    @property
    def over(self) -> bool:
        """Whether the match has taken too long."""
        return time.monotonic() > self._deadline
