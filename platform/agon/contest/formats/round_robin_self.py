"""For games of 2 seats: a round robin in which every entrant also plays against itself.

Guarantee: every ordered pair exactly once a round, in the order of `itertools.product`. The seed
changes nothing.
"""

import itertools
from collections.abc import Iterator

from agon.contest.formats.base import Format, Plan, Seating, fixed
from games.core.story import mark


def _fill(plan: Plan, number: int) -> Iterator[Seating]:
    return itertools.product(range(plan.entrants), repeat=2)


def _count(plan: Plan) -> int:
    return plan.rounds * plan.entrants**2


FORMAT = Format(
    "round_robin_self",
    mark("Round robin: every ordered pair, including each bot against itself"),
    mark("Every ordered pair plays once a round, and every bot once against itself."),
    2,
    2,
    fixed(_fill),
    _count,
    repeats_rounds=True,
)
