"""Key moments of Honest Rock-Paper-Scissors: the first broken word of each side, and changes of the lead."""

from collections.abc import Sequence
from typing import Any

from games.core.match_log import MatchLog
from games.core.moments import Moment, Standing, lead_changes
from games.core.story import mark

_ = mark


def standings(log: MatchLog) -> list[Standing]:
    """The score after each round."""
    frames: Sequence[Any] = log.frames
    return [frame["score"] for frame in frames]


def moments(log: MatchLog) -> list[Moment]:
    frames: Sequence[Any] = log.frames
    notable = []
    for seat in range(len(log.seats)):
        broken = (n for n, frame in enumerate(frames) if frame["claims"][seat] != frame["throws"][seat])
        first = next(broken, None)
        if first is not None:
            notable.append(Moment(first, _("breaks its word for the first time"), {}, seat))
    taken = lead_changes(standings(log))
    notable += [Moment(frame, _("takes the lead"), {}, seat) for frame, seat in taken]
    return sorted(notable, key=lambda moment: moment.frame)
