"""Double elimination, for games of 2 seats: an entrant is out when it has lost two pairings.

agon.contest.formats.knockout says how a pairing is decided. The losers of the main part continue in the lower
part, which alternates: first its own winners meet; then these meet the losers of the latest stage of the main
part, in reverse order so that the same two do not meet again at once. The winners of both parts meet in the
final; if the one from the lower part wins it, both have lost once and play a second final.

Guarantees. At the end every entrant except the winner has lost exactly two pairings, or left; the winner at
most one. The seeding is that of a single elimination.
"""

from fractions import Fraction

from agon.contest.formats.base import Format, History, Plan
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
from games.core.story import mark


def pairings(entrants: int) -> list[Pairing]:
    """The bracket; every pairing comes after those that its entrants come from."""
    stages = main_part(entrants, out=False)
    all_pairings = [pairing for stage in stages for pairing in stage]
    first = 0
    dropped: list[list[PairingSource]] = []
    for stage in stages:
        dropped.append([PairingSource("loser", first + place) for place in range(len(stage))])
        first += len(stage)
    lower: list[list[tuple[PairingSource, PairingSource]]] = []
    going, number = dropped[0], len(all_pairings)

    def play(pairs: list[tuple[PairingSource, PairingSource]]) -> list[PairingSource]:
        nonlocal number
        lower.append(pairs)
        number += len(pairs)
        return [PairingSource("winner", number - len(pairs) + place) for place in range(len(pairs))]

    for fresh in dropped[1:]:
        going = play(list(zip(going[::2], going[1::2], strict=True)))
        going = play(list(zip(going, reversed(fresh), strict=True)))
    rank = 3 + sum(map(len, lower))
    for place, pairs in enumerate(lower):
        rank -= len(pairs)
        all_pairings += [Pairing(Part.LOWER, place, pair, rank) for pair in pairs]
    top = PairingSource("winner", len([pairing for stage in stages for pairing in stage]) - 1)
    final = Pairing(Part.FINAL, 0, (top, going[0]), 0)
    last = len(all_pairings)
    again = Pairing(Part.FINAL, 1, (PairingSource("loser", last), PairingSource("winner", last)), 2, last)
    return [*all_pairings, final, again]


def bracket(plan: Plan, history: History) -> Bracket:
    return Bracket(plan, pairings(plan.entrants), seeding(plan), history)


def _count(plan: Plan) -> int:
    return (2 * plan.entrants - 1) * (plan.number("best_of") + most_deciders(plan))


def _expected(plan: Plan, history: History) -> Fraction:
    """There is a second final about half of the time."""
    return bracket(plan, history).expected(2 * plan.entrants - 2 + Fraction(1, 2))


FORMAT = Format(
    "double_elimination",
    mark("Double elimination"),
    mark("A bot that loses two pairings is out. The best seeds meet as late as possible."),
    2,
    2,
    pair_of(bracket),
    _count,
    SETTINGS,
    needs_results=True,
    takes_rounds=False,
    expect=_expected,
    rank=rank_of(bracket),
    counts_wins=True,
    decided_by=mark("The stage in which a bot was eliminated decides."),
    follows=FOLLOWS,
    show=show_of(bracket),
)
