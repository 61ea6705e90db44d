"""For games of 2 seats: a round robin in which every entrant also plays against itself.

The order is that of `itertools.product` (rules/honest_rps.md section 5). The seed changes nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from contest.formats.base import Format, Round, Seating
from games.core.story import mark


def _fill(round: Round) -> Iterator[Seating]:
    return itertools.product(range(round.entrants), repeat=2)


def _count(round: Round) -> int:
    return round.entrants**2


TITLE = mark("Round robin: every ordered pair, including each bot against itself")
FORMAT = Format("round_robin_self", TITLE, 2, 2, _fill, _count)
