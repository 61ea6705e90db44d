"""A seat whose bot runs on its author's machine, not in a box of this worker: all that the arena knows of it.

Only lines come here, and they are judged as those of a box: the same longest answer, the same `move` of the
game. How long a bot may take is the seat's own business, since the line to it may be slow or lost.
"""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from agon.contest.match_clock import MatchClock
from agon.contest.readiness import not_ready, text_of
from games.core.faults import FaultCause, FaultKind
from sandbox.api import Failed, Line
from sandbox.building.loading import is_ready
from sandbox.reason import NO_REASON

STARTS = -1  # the step in which a bot is started, before the first ask


class AtHome(Protocol):
    """The bot of one seat of one match. Both methods may raise what ends the match as the platform's."""

    def ask(self, step: int, line: bytes, limit_s: float) -> None:
        """Send a line, and return at once. step: of the ask; STARTS: start, and answer READY."""

    def answer(self) -> Line | Failed:
        """The answer to what was asked last; a Failed if it did not come in time."""


class HomePlayer(NamedTuple):
    """A bot for a seat, as agon.contest.arena.Player, with the line to it in the place of a program."""

    name: str
    bot: AtHome


def await_ready_at_home(
    seats: Mapping[int, AtHome], ready_ms: int, clock: MatchClock
) -> dict[int, FaultCause]:
    """Start these bots, and wait until each has answered READY. By seat, why one has not."""
    for bot in seats.values():
        bot.ask(STARTS, b"", ready_ms / 1000)
    faults = {}
    for seat, bot in seats.items():
        with clock.stopped():
            answer = bot.answer()
        last_line = ""
        if isinstance(answer, Line):
            if is_ready(answer.text):
                continue
            last_line = text_of(answer.text)
            answer = Failed(FaultKind.TIMEOUT, NO_REASON, answer.times)
        faults[seat] = FaultCause(FaultKind(answer.kind), not_ready(answer, last_line, ready_ms))
    return faults
