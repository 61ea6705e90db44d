"""Key moments of Samurai: the battles, the end of turn 5 that reveals the nights, and changes of the lead.

A daimyo's standing is its points from past battles plus, until the last battle is over, the points that a
battle now would add.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from games.core.match_log import MatchLog
from games.core.moments import Moment, Standing, lead_changes
from games.core.story import mark
from games.hidden_favor import points_now
from games.samurai.referee import BATTLES, REVEAL

_ = mark


def standings(log: MatchLog) -> list[Standing]:
    frames: Sequence[Any] = log.frames  # the referee's own, so their fields are known
    strengths = frames[0]["strengths"]
    return [_standing(frame, strengths, len(log.seats)) for frame in frames]


def _standing(frame: dict[str, Any], strengths: Sequence[int], seats: int) -> Standing:
    if frame["turn"] == 0:
        return [0] * seats
    totals = [Fraction(total) for total in frame["totals"]]
    if frame["turn"] in BATTLES:
        return totals
    return [total + more for total, more in zip(totals, points_now(strengths, frame["real"]), strict=True)]


def moments(log: MatchLog) -> list[Moment]:
    notable = []
    if log.is_over:  # before, nights are hidden
        text = _("would be ahead if the battle were now")
        notable += [Moment(frame, text, {}, seat) for frame, seat in lead_changes(standings(log))]
    for frame in range(1, len(log.frames)):
        if frame in BATTLES:
            text = _("a battle, and the nights are revealed") if frame == REVEAL else _("the last battle")
            notable.append(Moment(frame, text, {}))
    return sorted(notable, key=lambda moment: moment.frame)
