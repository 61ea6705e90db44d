"""Key moments of a match and the players' standings: the types that a game's `moments.py` returns.

Texts are as in a story (`games/core/story.py`). The replay of a game without `moments.py` marks only faults.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from games.core.story import Term

Standing: TypeAlias = Sequence[int | Fraction]  # one number per seat; higher is better


class Moment(NamedTuple):
    """A frame worth looking at. frame: its number, from 0. text, values, seat: as in a StoryLine."""

    frame: int
    text: str
    values: dict[str, str | int | Term]
    seat: int | None = None


def lead_changes(standings: Sequence[Standing]) -> list[tuple[int, int]]:
    """Every (frame, seat) at which a seat takes the sole lead from another seat."""
    result = []
    leader: int | None = None
    for frame, standing in enumerate(standings):
        best = max(standing)
        ahead = [seat for seat, value in enumerate(standing) if value == best]
        if len(ahead) > 1 or ahead[0] == leader:
            continue
        if leader is not None:
            result.append((frame, ahead[0]))
        leader = ahead[0]
    return result
