"""Drawn blocks, for games of 2 seats or more: a round is one drawn block (base.blocks).

Guarantee: a round has as many matches as entrants, and every entrant sits exactly once in every seat. The
opponents are drawn again for each round.
"""

from collections.abc import Iterator

from agon.contest.formats.base import Format, Plan, Seating, blocks, fixed
from games.core.story import mark


def _fill(plan: Plan, number: int) -> Iterator[Seating]:
    return blocks(plan, number, 1)


def _count(plan: Plan) -> int:
    return plan.rounds * plan.entrants


FORMAT = Format(
    "drawn",
    mark("Random seatings drawn from the seed"),
    mark("In each round, every entrant plays once in every seat. Opponents are drawn."),
    2,
    64,
    fixed(_fill),
    _count,
    repeats_rounds=True,
)
