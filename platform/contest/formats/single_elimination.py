"""Who loses is out: a tie in games of 2 seats, else a table of which the better half goes on.

contest.formats.knockout says how a tie is decided, contest.formats.tables all of games of more seats.

Guarantees, with 2 seats. The bracket has the next power of two of places; the best seeds have byes in the
first stage. The two best seeds meet in the final at the earliest, the four best in the semifinals, and so on.
Entrants that lose in the same stage share a rank; with a match for third place, the losers of the semifinals
do not.
"""

from __future__ import annotations

from collections.abc import Sequence

from contest.formats import tables
from contest.formats.base import Format, History, Plan, Setting
from contest.formats.knockout import (
    BEST_OF,
    DECIDERS,
    SEEDING,
    Bracket,
    Part,
    Tie,
    TieSource,
    main_part,
    pair_of,
    rank_of,
    seeding,
)
from contest.formats.tables import Tables
from games.core.story import mark

THIRD = Setting(
    "third",
    mark("Third place"),
    True,
    help=mark("The losers of the semifinals play for third place."),
    seats=(2, 2),
)


def ties(entrants: int, third: bool) -> list[Tie]:
    """The bracket; every tie comes after those that its entrants come from."""
    stages = main_part(entrants, out=True)
    found = [tie for stage in stages for tie in stage]
    if third and len(stages) > 1 and entrants > 3:
        semifinals = [number for number, tie in enumerate(found) if tie.stage == len(stages) - 2]
        sides = (TieSource("loser", semifinals[0]), TieSource("loser", semifinals[1]))
        found = [
            tie._replace(loser_rank=0) if number in semifinals else tie for number, tie in enumerate(found)
        ]
        found.insert(-1, Tie(Part.THIRD, len(stages) - 1, sides, 4))
    return found


def bracket(plan: Plan, history: History) -> Bracket | Tables:
    return knockout(plan, history, seeding(plan, range(plan.entrants)))


def knockout(plan: Plan, history: History, order: Sequence[int], first: int = 0) -> Bracket | Tables:
    """order: those who play, the best seeds first. first: the round from which on they play."""
    if plan.seats > 2:
        return Tables(plan, order, history, first)
    return Bracket(plan, ties(len(order), bool(plan.settings["third"])), order, history, first)


def most_matches(plan: Plan, entrants: int) -> int:
    if plan.seats > 2:
        return tables.most_matches(plan, entrants)
    played = entrants - 1 + (bool(plan.settings["third"]) and entrants > 3)
    return played * (plan.number("best_of") + DECIDERS)


FORMAT = Format(
    "single_elimination",
    mark("Single elimination"),
    mark(
        "A bot that loses a tie is out. The best seeds meet as late as possible. In games of more than two "
        "seats, the better half of each table goes on."
    ),
    2,
    64,
    pair_of(bracket),
    lambda plan: most_matches(plan, plan.entrants),
    (BEST_OF, SEEDING, THIRD),
    needs_results=True,
    takes_rounds=False,
    rank=rank_of(bracket),
)
