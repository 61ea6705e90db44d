"""Pools, for games of 2 seats or more: drawn matches in which all play equally often.

Guarantees. Every entrant plays in exactly `plays(plan)` matches: the chosen number of rounds, raised to the
next number for which all matches can be filled. No match seats an entrant twice. Each seat is given to the
entrant that sat there least so far, which evens them out, without a guaranteed bound.
"""

from collections.abc import Iterator
from math import gcd

from agon.contest.formats.base import Format, History, Plan, Seating, seated
from games.core.story import mark


def plays(plan: Plan) -> int:
    """How many matches each entrant plays."""
    step = plan.seats // gcd(plan.seats, plan.entrants)
    return -(-plan.rounds // step) * step


def _pair(plan: Plan, history: History) -> list[Seating] | None:
    """One round holds the whole tournament."""
    return None if history.number else list(_fill(plan))


def _fill(plan: Plan) -> Iterator[Seating]:
    """A line of drawn fields, cut into matches."""
    draw = plan.draw("pools")
    sat = [[0] * plan.seats for _ in range(plan.entrants)]
    table: list[int] = []
    for _ in range(plays(plan)):
        field = draw.sample(range(plan.entrants), plan.entrants)
        # Those who sit at the table that is still open come last, so that it does not seat them twice.
        field.sort(key=lambda entrant: entrant in table)
        for entrant in field:
            table.append(entrant)
            if len(table) == plan.seats:
                # To the one who sat there least, compared with the later seats.
                seating = seated(table, lambda bot, seat: sat[bot][seat] - min(sat[bot][seat:]))
                for seat, seated_one in enumerate(seating):
                    sat[seated_one][seat] += 1
                yield seating
                table = []


def _count(plan: Plan) -> int:
    return plays(plan) * plan.entrants // plan.seats


FORMAT = Format(
    "pools",
    mark("Pools: drawn matches, equally many for each"),
    mark(
        "Every entrant plays as many matches as there are rounds, or a few more where the places would "
        "not come out even. Opponents are drawn."
    ),
    2,
    64,
    _pair,
    _count,
)
