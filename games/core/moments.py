"""What a game's `moments.py` says of a match: its key moments, and how the players stood at each frame.

Texts are as in a story (`games/core/story.py`). A game without the file has neither: its replay marks faults.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from games.core.story import Term

Standing: TypeAlias = Sequence[int | Fraction]  # one number a seat; the higher, the better


class Moment(NamedTuple):
    """A frame worth looking at. frame: its number, from 0. text, values, seat: as in a StoryLine."""

    frame: int
    text: str
    values: dict[str, str | int | Term]
    seat: int | None = None


def lead_changes(standings: Sequence[Standing]) -> list[tuple[int, int]]:
    """Every (frame, seat) at which a seat takes the lead alone that another had before."""
    found = []
    leader: int | None = None
    for frame, standing in enumerate(standings):
        best = max(standing)
        ahead = [seat for seat, value in enumerate(standing) if value == best]
        if len(ahead) > 1 or ahead[0] == leader:
            continue
        if leader is not None:
            found.append((frame, ahead[0]))
        leader = ahead[0]
    return found
