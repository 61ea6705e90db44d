"""How long a match may still take before the platform gives up on it.

A bot's limits are in charged time (sandbox.boxes.allowance), and a game's `match_s` exceeds their sum
(games.core.compliance.checks). So bots alone never reach it, however slow they are. But a bot is also
credited for time in which it waited for a processor, and on a busy host a bot can cause such waits. If these
counted, a losing bot could make its match void by waiting. So each credited wait extends the deadline; each
wait is itself bounded.
"""

import time
from collections.abc import Iterable

from sandbox.api import Times


class MatchClock:
    def __init__(self, seconds: float) -> None:
        self._deadline = time.monotonic() + seconds

    def credit(self, together: Iterable[Times]) -> None:
        """Extend the deadline by the longest uncharged wait of bots that were asked together."""
        waits = [times.wall_us - times.charged_us for times in together if times.wait_us]
        if waits:
            self._deadline += max(waits) / 1_000_000

    @property
    def over(self) -> bool:
        return time.monotonic() > self._deadline
