"""Single elimination: an entrant that loses is out.

In games of 2 seats, entrants meet in pairings (agon.contest.formats.knockout); in games of more seats they
sit at tables, and the better half of each advances (agon.contest.formats.tables).

Guarantees, with 2 seats. The number of places in the bracket is the next power of two; the best seeds have
byes in the first stage. The two best seeds cannot meet before the final, the four best not before the
semifinals, and so on. Entrants that lose in the same stage share a rank, except that a match for third place
separates the losers of the semifinals.
"""

from collections.abc import Sequence
from fractions import Fraction

from agon.contest.formats import tables
from agon.contest.formats.base import Format, History, Plan, Setting
from agon.contest.formats.equal import most_deciders
from agon.contest.formats.knockout import (
    FOLLOWS,
    SETTINGS,
    Bracket,
    Pairing,
    PairingSource,
    Part,
    main_part,
    pair_of,
    rank_of,
    show_of,
)
from agon.contest.formats.seeding import seeding
from agon.contest.formats.tables import Tables
from games.core.story import mark

THIRD = Setting(
    "third",
    mark("Third place"),
    True,
    help=mark("The losers of the semifinals play for third place."),
    seats=(2, 2),
)


def pairings(entrants: int, third: bool) -> list[Pairing]:
    """The bracket; every pairing comes after those that its entrants come from."""
    stages = main_part(entrants, out=True)
    result = [pairing for stage in stages for pairing in stage]
    if third and len(stages) > 1 and entrants > 3:
        semifinals = [number for number, pairing in enumerate(result) if pairing.stage == len(stages) - 2]
        sides = (PairingSource("loser", semifinals[0]), PairingSource("loser", semifinals[1]))
        result = [
            pairing._replace(loser_rank=0) if number in semifinals else pairing
            for number, pairing in enumerate(result)
        ]
        result.insert(-1, Pairing(Part.THIRD, len(stages) - 1, sides, 4))
    return result


def bracket(plan: Plan, history: History) -> Bracket | Tables:
    return knockout(plan, history, seeding(plan))


def knockout(plan: Plan, history: History, order: Sequence[int], first: int = 0) -> Bracket | Tables:
    """order: those who play, the best seeds first. first: the round from which on they play."""
    if plan.seats > 2:
        return Tables(plan, order, history, first)
    return Bracket(plan, pairings(len(order), bool(plan.settings["third"])), order, history, first)


def expected(plan: Plan, so_far: Bracket | Tables, entrants: int) -> Fraction:
    """How many matches are likely to be played. so_far: the knock-out so far."""
    return so_far.expected() if isinstance(so_far, Tables) else so_far.expected(_ties_played(plan, entrants))


def most_matches(plan: Plan, entrants: int) -> int:
    if plan.seats > 2:
        return tables.most_matches(plan, entrants)
    return _ties_played(plan, entrants) * (plan.number("best_of") + most_deciders(plan))


def _ties_played(plan: Plan, entrants: int) -> int:
    return entrants - 1 + (bool(plan.settings["third"]) and entrants > 3)


FORMAT = Format(
    "single_elimination",
    mark("Single elimination"),
    mark(
        "A bot that loses a pairing is out. The best seeds meet as late as possible. In games of more than "
        "two seats, the better half of each table advances."
    ),
    2,
    64,
    pair_of(bracket),
    lambda plan: most_matches(plan, plan.entrants),
    (*SETTINGS, THIRD),
    needs_results=True,
    takes_rounds=False,
    expect=lambda plan, history: expected(plan, bracket(plan, history), plan.entrants),
    rank=rank_of(bracket),
    counts_wins=True,
    decided_by=mark("The stage in which a bot was eliminated decides."),
    follows=FOLLOWS,
    show=show_of(bracket),
)
