"""For games of 2 seats or more: a round is one match for every ten entrants, the last ten perhaps incomplete.

Each match seats different entrants, drawn from the seed. Nothing is guaranteed about how often an entrant
plays. So the default ranks by the mean points of a match; the original contest ranked by the sum.
"""

from collections.abc import Iterator

from agon.contest.formats.base import Format, Plan, Seating, Setting, fixed
from games.core.story import mark

RANK_BY = Setting(
    "rank_by",
    mark("Ranked by"),
    "mean",
    choices={"mean": mark("mean points of a match"), "sum": mark("sum of points")},
)


def _fill(plan: Plan, number: int) -> Iterator[Seating]:
    draw = plan.draw(number)
    for _ in range(_matches_a_round(plan)):
        yield tuple(draw.sample(range(plan.entrants), plan.seats))


def _matches_a_round(plan: Plan) -> int:
    return -(-plan.entrants // 10)


def _count(plan: Plan) -> int:
    return plan.rounds * _matches_a_round(plan)


FORMAT = Format(
    "started_tens",
    mark("Random: one match per round for every ten entrants"),
    mark("Entrants are drawn for each match, so some play more often than others."),
    2,
    64,
    fixed(_fill),
    _count,
    (RANK_BY,),
    repeats_rounds=True,
)
