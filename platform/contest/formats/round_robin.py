"""For games of 2 seats: a round is every ordered pair of different entrants once, in entry order.

The order is that of `itertools.permutations` (rules/coup.md section 8). N rounds play each ordered pair
exactly N times. The seed changes nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from contest.formats.base import Format, Round, Seating
from games.core.story import mark


def _fill(round: Round) -> Iterator[Seating]:
    return itertools.permutations(range(round.entrants), 2)


def _count(round: Round) -> int:
    return round.entrants * (round.entrants - 1)


FORMAT = Format("round_robin", mark("Round robin: every ordered pair"), 2, 2, _fill, _count)
