"""Key moments of Camel Up: ends of rounds, traps that were hit, bets on the winner and on the last camel."""

from collections.abc import Iterator, Sequence
from typing import Any

from games.camel_up.bets import LOSER, WINNER
from games.camel_up.story import describe_bet
from games.core.match_log import MatchLog
from games.core.moments import Moment, Standing
from games.core.story import mark

_ = mark


def standings(log: MatchLog) -> list[Standing]:
    """The coins."""
    frames: Sequence[Any] = log.frames
    return [frame["coins"] for frame in frames]


def moments(log: MatchLog) -> list[Moment]:
    frames: Sequence[Any] = log.frames
    return [moment for number, frame in enumerate(frames) for moment in _of_frame(number, frame)]


def _of_frame(number: int, frame: dict[str, Any]) -> Iterator[Moment]:
    kind, *values = frame.get("action", [None])
    if kind in (WINNER, LOSER):
        yield Moment(number, *describe_bet(kind, values[0]), frame["seat"])
    _camel, _die, owner = frame.get("rolled", (None, None, None))
    if owner is not None:
        yield Moment(number, _("earns a coin from the trap"), {}, owner)
    if "round" in frame:
        first, second, *_others = frame["round"]
        text = _("the round ends: camel %(first)s is first, camel %(second)s second")
        yield Moment(number, text, {"first": first, "second": second})
