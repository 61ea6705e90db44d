"""The worker's end of the line to a bot at home: asks by rows, waits for answers, and gives up in time.

Time is wall time, since the bot's own cannot be measured:

- An answer may take as long as the game says, and GRACE more for the line.
- What an ask takes beyond that is taken from the PAUSE that a bot has in a match. So a line that is lost
  pauses the match. When the PAUSE is used up the seat forfeits: it is not asked again, and each further ask
  counts as not answered in time, as the game's policy for timeouts has it.
- A match lasts no longer than LONGEST after its first ask; then its bots at home forfeit, too.
- Without a clock (`agon connect --no-clock`, against house bots alone) all that counts is LONGEST_NO_CLOCK. A
  match that has had a clock keeps it: the queue plays one without a clock at a time.

A bot that has left play forfeits at once. So does every bot at home if the worker has lost its lease: the
result will not count, and an operator who requeued the match wants the worker back.
"""

import time
from collections.abc import Sequence

from agon.contest.arena import Player
from agon.contest.at_home import HomePlayer
from agon.site.bots import artifacts
from agon.site.bots.models import HomeLine
from agon.site.bots.states import BotState
from agon.site.matches import home_asks, home_queue, leases
from agon.site.matches.models import HomeAsk, Match, Seat
from agon.site.matches.states import AskState
from games.core.faults import FaultKind
from sandbox.api import Failed, Line, Times
from sandbox.reason import Reason

GRACE = 5.0  # seconds, for each ask
PAUSE = 60.0  # seconds, for all asks of a match together
LONGEST = 900.0  # seconds of a match
LONGEST_NO_CLOCK = 3600.0
QUICK, SLOW = 0.03, 0.25  # seconds between two looks, until QUICK_FOR and after
QUICK_FOR = 3.0
LOOK_EVERY = 1.0  # seconds between two looks at the bot


def players_of(match: Match, seats: Sequence[Seat]) -> list[Player | HomePlayer]:
    """Who plays, by seat. Raises what agon.site.bots.artifacts.fetch does."""
    no_clock = match.queue == Match.Queue.HOME and home_queue.is_without_clock(match)
    return [
        HomePlayer(seat.name, HomeSeat(match, seat, no_clock))
        if seat.submission.is_home
        else Player(seat.name, artifacts.fetch(seat.submission), seat.submission.digest)
        for seat in seats
    ]


class HomeSeat:
    """An agon.contest.at_home.AtHome."""

    def __init__(self, match: Match, seat: Seat, no_clock: bool) -> None:
        self._match, self._seat, self._bot = match, seat.number, seat.submission.bot_id
        self._no_clock = no_clock
        self._began: float | None = None  # monotonic seconds, as all below
        self._asked = self._looked = 0.0
        self._paused = 0.0  # seconds of PAUSE that are used up
        self._limit = 0.0
        self._left = self._is_lost = False
        self._ask: HomeAsk | None = None  # None once the seat has forfeited
        self._gone: Reason | None = None

    def ask(self, step: int, line: bytes, limit_s: float) -> None:
        self._asked, self._limit = time.monotonic(), limit_s
        self._began = self._began or self._asked
        if self._gone is None:
            self._ask = home_asks.put(self._match, self._seat, step, line.removesuffix(b"\n"), limit_s)

    def answer(self) -> Line | Failed:
        if self._gone is not None or self._ask is None:
            return self._failed(self._gone or Reason("home_gone"))
        while True:
            self._look()
            self._ask.refresh_from_db(fields=["state", "answer"])
            if self._ask.state == AskState.ANSWERED:
                answer = self._ask.answer
                return self._answered(None if answer is None else bytes(answer))
            if (why := self._why_to_give_up()) and home_asks.close(self._ask):
                self._gone = why
                return self._failed(why)
            waited = time.monotonic() - self._asked
            time.sleep(QUICK if waited < QUICK_FOR else SLOW)

    def _answered(self, answer: bytes | None) -> Line | Failed:
        times = self._times()
        if not self._no_clock:
            self._paused += max(0.0, times.wall_us / 1e6 - self._limit - GRACE)
        if answer is None:
            return Failed(FaultKind.CRASH, Reason("home_ended"), times)
        return Line(answer, times)

    def _failed(self, why: Reason) -> Failed:
        return Failed(FaultKind.TIMEOUT, why, self._times())

    def _times(self) -> Times:
        return Times(int((time.monotonic() - self._asked) * 1e6), measured=False)

    def _look(self) -> None:
        """See whether the match is still this worker's, whether the bot still plays, and whether its newest
        connection still wants no clock.
        """
        if time.monotonic() - self._looked < LOOK_EVERY:
            return
        self._looked = time.monotonic()
        self._is_lost = not leases.holds(self._match)
        line = HomeLine.objects.filter(bot=self._bot, bot__state=BotState.ENTERED).first()
        if line is None:
            self._left = True
        else:
            self._no_clock = self._no_clock and line.no_clock

    def _why_to_give_up(self) -> Reason | None:
        assert self._began is not None
        now = time.monotonic()
        longest = LONGEST_NO_CLOCK if self._no_clock else LONGEST
        if self._is_lost:
            return Reason("home_gone")
        if self._left:
            return Reason("home_left")
        if now - self._began > longest:
            return Reason("home_too_long", minutes=round(longest / 60))
        beyond = now - self._asked - self._limit - GRACE
        if not self._no_clock and beyond > PAUSE - self._paused:
            return Reason("home_line_lost", limit=self._limit, grace=round(GRACE), pause=round(PAUSE))
        return None
