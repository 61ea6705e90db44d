"""For games of 2 seats: who loses a tie is out. contest.formats.knockout says how a tie is decided.

Guarantees. The bracket has the next power of two of places; the best seeds have byes in the first stage. The
two best seeds meet in the final at the earliest, the four best in the semifinals, and so on. Entrants that
lose in the same stage share a rank; with a match for third place, the losers of the semifinals do not.
"""

from __future__ import annotations

from contest.formats.base import Format, History, Plan, Ranking, Seating, Setting
from contest.formats.knockout import (
    BEST_OF,
    DECIDERS,
    SEEDING,
    Bracket,
    Part,
    Source,
    Tie,
    main_part,
    seeding,
)
from games.core.story import mark

THIRD = Setting(
    "third", mark("Third place"), True, help=mark("The losers of the semifinals play for third place.")
)


def ties(entrants: int, third: bool) -> list[Tie]:
    """The bracket; every tie comes after those that its entrants come from."""
    stages = main_part(entrants, out=True)
    found = [tie for stage in stages for tie in stage]
    if third and len(stages) > 1 and entrants > 3:
        semifinals = [number for number, tie in enumerate(found) if tie.stage == len(stages) - 2]
        sides = (Source("loser", semifinals[0]), Source("loser", semifinals[1]))
        found = [
            tie._replace(loser_rank=0) if number in semifinals else tie for number, tie in enumerate(found)
        ]
        found.insert(-1, Tie(Part.THIRD, len(stages) - 1, sides, 4))
    return found


def bracket(plan: Plan, history: History) -> Bracket:
    order = seeding(plan, range(plan.entrants))
    return Bracket(plan, ties(plan.entrants, bool(plan.settings["third"])), order, history)


def _pair(plan: Plan, history: History) -> list[Seating] | None:
    wave = bracket(plan, history).wave()
    return wave if wave else None


def _rank(plan: Plan, history: History) -> Ranking:
    return bracket(plan, history).ranking(plan.entrants)


def _count(plan: Plan) -> int:
    played = plan.entrants - 1 + (bool(plan.settings["third"]) and plan.entrants > 3)
    return played * (plan.number("best_of") + DECIDERS)


FORMAT = Format(
    "single_elimination",
    mark("Single elimination"),
    mark("A bot that loses a tie is out. The best seeds meet as late as possible."),
    2,
    2,
    _pair,
    _count,
    (BEST_OF, SEEDING, THIRD),
    needs_results=True,
    takes_rounds=False,
    rank=_rank,
)
