"""For games of k >= 3 seats: a round is every subset of k entrants, once in each of its k rotations.

Guarantee: every entrant sits in every seat equally often. The seed draws the order in which a subset sits
round the table. Where a round would have more than SUBSETS_LIMIT matches it is drawn instead: as many whole
blocks (see base.blocks) as fit into SUBSETS_LIMIT, at least one. With four seats every subset is played up to
12 entrants (1,980 matches a round); from 13 on the round is drawn.
"""

import itertools
from collections.abc import Iterator
from math import comb

from agon.contest.formats.base import Format, Plan, Seating, blocks, fixed
from games.core.story import mark

SUBSETS_LIMIT = 2_000


def _fill(plan: Plan, number: int) -> Iterator[Seating]:
    if _count_subsets(plan) > SUBSETS_LIMIT:
        return blocks(plan, number, _blocks_within_limit(plan))
    return _rotated_subsets(plan, number)


def _count(plan: Plan) -> int:
    every = _count_subsets(plan)
    return plan.rounds * (every if every <= SUBSETS_LIMIT else _blocks_within_limit(plan) * plan.entrants)


def _count_subsets(plan: Plan) -> int:
    return comb(plan.entrants, plan.seats) * plan.seats


def _blocks_within_limit(plan: Plan) -> int:
    return max(1, SUBSETS_LIMIT // plan.entrants)


def _rotated_subsets(plan: Plan, number: int) -> Iterator[Seating]:
    draw = plan.draw(number)
    for subset in itertools.combinations(range(plan.entrants), plan.seats):
        table = draw.sample(subset, plan.seats)
        for first in range(plan.seats):
            yield tuple(table[first:] + table[:first])


FORMAT = Format(
    "rotations",
    mark("Every group of entrants, with rotated seats"),
    mark(
        "In each round, every possible group of entrants plays once in each rotation of the seats. A round "
        "that would be too large is drawn; every entrant still plays equally often in every seat."
    ),
    3,
    64,
    fixed(_fill),
    _count,
    repeats_rounds=True,
)
