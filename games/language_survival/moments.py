"""Key moments of Language Survival: turn 5, which reveals the holidays, changes of the lead, the end.

A player's standing is the points that it would get if the match ended now.
"""

from collections.abc import Sequence
from typing import Any

from games.core.match_log import MatchLog
from games.core.moments import Moment, Standing, lead_changes
from games.core.story import mark
from games.hidden_favor import points_now
from games.language_survival.referee import REVEAL

_ = mark


def standings(log: MatchLog) -> list[Standing]:
    """The last frame is the reckoning, which changes nothing."""
    frames: Sequence[Any] = log.frames  # the referee's own, so their fields are known
    result: list[Standing] = []
    for frame in frames:
        real = frame.get("real")
        before = result[-1] if result else [0] * len(log.seats)
        result.append(before if real is None else points_now(frames[0]["attention"], real))
    return result


def moments(log: MatchLog) -> list[Moment]:
    notable = []
    if log.is_over:  # before, holidays are hidden
        text = _("would win if the match ended now")
        notable += [Moment(frame, text, {}, seat) for frame, seat in lead_changes(standings(log))]
    if len(log.frames) > REVEAL:
        notable.append(Moment(REVEAL, _("the holidays are revealed"), {}))
    if "points" in log.frames[-1]:
        notable.append(Moment(len(log.frames) - 1, _("the reckoning"), {}))
    return sorted(notable, key=lambda moment: moment.frame)
