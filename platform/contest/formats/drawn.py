"""For games of 2 seats or more: a round is one drawn block (base.blocks).

There are as many matches as entrants, and every entrant sits exactly once in every seat.
"""

from __future__ import annotations

from collections.abc import Iterator

from contest.formats.base import Format, Round, Seating, blocks
from games.core.story import mark


def _fill(round: Round) -> Iterator[Seating]:
    return blocks(round, 1)


def _count(round: Round) -> int:
    return round.entrants


FORMAT = Format("drawn", mark("Random seatings drawn from the seed"), 2, 64, _fill, _count)
