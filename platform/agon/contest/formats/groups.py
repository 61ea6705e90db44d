"""Groups in which all entrants play the same number of matches, then a single elimination of the best.

The entrants, in the order of the seeding, are dealt to the groups to and fro (1 2 3 3 2 1 1 ...), so that the
sizes of groups differ by at most one. In each round of a group, every ordered pair plays once; with more than
2 seats, a round is a balanced block (agon.contest.formats.balanced): every entrant sits once in every seat,
and all meet as evenly as possible. All groups play at the same time. The order in a group: points (1, 1/2 or
0 per match, or the share of the others that were beaten), then points from the matches among equals, then a
lot or the seeding (agon.contest.formats.equal). Where lots decide, equals that do not advance share a place.
An entrant that has left advances to the knock-out only if too few others are left.

All first places are seeded before all second places, and so on; agon.contest.formats.single_elimination
describes the rest. Guarantees: the entrants of a group play equally often; the winners of groups meet as late
as their number allows.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from agon.contest.formats import balanced
from agon.contest.formats.base import (
    BadFormat,
    Format,
    History,
    Outcome,
    Plan,
    Ranking,
    Seating,
    Setting,
    Value,
    place_points,
    shared_ranks,
)
from agon.contest.formats.equal import BY_LOT, criteria, decides_by_lot, drawn
from agon.contest.formats.knockout import SETTINGS, Bracket
from agon.contest.formats.seeding import seeding
from agon.contest.formats.shown import GroupShown, Shown, Text
from agon.contest.formats.single_elimination import THIRD, expected, knockout, most_matches
from agon.contest.formats.tables import Tables, dealt
from games.core.story import mark

_ = mark
GROUPS = Setting("groups", mark("Groups"), 2, 1, 64)
ADVANCE = Setting("advance", mark("Advance from each group"), 2, 1, 64)

USUAL = 40  # group matches of each entrant, where the organizer chooses no number of rounds


def proposed_rounds(entrants: int, seats: int, settings: Mapping[str, Value]) -> int:
    """The rounds in which each entrant of the largest group plays about USUAL matches."""
    largest = -(-entrants // int(settings.get(GROUPS.name, GROUPS.default)))
    in_a_round = 2 * (largest - 1) if seats == 2 else seats
    return max(1, round(USUAL / max(1, in_a_round)))


def fitted(entrants: int, seats: int, settings: Mapping[str, Value]) -> Mapping[str, Value]:
    """As many of the groups as the entrants can fill; from one that they cannot fill, all of them advance."""
    for count in range(int(settings[GROUPS.name]), 0, -1):
        advance = max(int(settings[ADVANCE.name]), _least_advancing(count, seats))
        if entrants >= _least_entrants(count, advance, seats):
            return {**settings, GROUPS.name: count, ADVANCE.name: advance}
    return {**settings, GROUPS.name: 1, ADVANCE.name: max(entrants, seats)}


def groups(plan: Plan) -> list[list[int]]:
    """The entrants of each group, the best seeds first."""
    return dealt(seeding(plan), plan.number("groups"))


def bracket(plan: Plan, history: History) -> Bracket | Tables | None:
    """The knock-out part; None while the groups play."""
    if not history.number or not _are_over(history):
        return None
    return knockout(plan, history, _qualified(plan, history), first=1)


def _are_over(history: History) -> bool:
    """Whether every match of the groups was played."""
    return history.number > 0 and not any(outcome.is_open for outcome in history.rounds[0].outcomes)


class Placed(NamedTuple):
    """An entrant in the table of its group. place: from 1; equals share it where lots decide. by_lot: whether
    it advances since a lot decided among equals.
    """

    entrant: int
    points: Fraction
    place: int
    by_lot: bool


def group_table(plan: Plan, history: History, group: Sequence[int]) -> list[Placed]:
    """The entrants of a group, best first. history: at most the round of the groups."""
    outcomes = [
        outcome
        for played_round in history.rounds[:1]
        for outcome in played_round.outcomes
        if set(outcome.seats) <= set(group)
    ]
    points = _points(outcomes, group)
    away = history.away(min(history.number, 1))
    keys: dict[int, tuple[bool, Fraction, Fraction]] = {}
    for entrant in group:
        equal = [rival for rival in group if points[rival] == points[entrant]]
        among = _points([outcome for outcome in outcomes if set(outcome.seats) <= set(equal)], equal)
        keys[entrant] = (entrant in away, -points[entrant], -among[entrant])
    by_lot = decides_by_lot(plan) and _are_over(history)
    if by_lot:
        seeds = [outcome.seed for outcome in outcomes if outcome.seed is not None]
        group = drawn(plan, group, seeds, "group")  # of the seeding: the order of entry decides nothing
    order = sorted(group, key=keys.__getitem__)  # stable
    in_order = [keys[entrant] for entrant in order]
    line = in_order[plan.number("advance") :][:1] if by_lot else []
    return [
        Placed(
            entrant,
            points[entrant],
            1 + (in_order.index(keys[entrant]) if by_lot else place),
            place < plan.number("advance") and in_order[place : place + 1] == line,
        )
        for place, entrant in enumerate(order)
    ]


def _points(outcomes: Sequence[Outcome], group: Sequence[int]) -> dict[int, Fraction]:
    points = dict.fromkeys(group, Fraction(0))
    for outcome in outcomes:
        for entrant, earned in zip(outcome.seats, place_points(outcome.ranks), strict=False):
            points[entrant] += earned
    return points


def _qualified(plan: Plan, history: History) -> list[int]:
    tables = [group_table(plan, history.before(1), group) for group in groups(plan)]
    return [table[place].entrant for place in range(plan.number("advance")) for table in tables]


def _pair(plan: Plan, history: History) -> list[Seating] | None:
    after_groups = bracket(plan, history)
    if after_groups is not None:
        return after_groups.wave() or None
    away = history.away(0)
    present = [[entrant for entrant in group if entrant not in away] for group in groups(plan)]
    if plan.seats > 2:
        return [seating for number, group in enumerate(present) for seating in _blocks(plan, number, group)]
    once: list[Seating] = [pair for group in present for pair in itertools.permutations(group, 2)]
    return once * plan.rounds


def _blocks(plan: Plan, number: int, group: Sequence[int]) -> Iterator[Seating]:
    """The matches of a group of a game of more than two seats; none if too few are there."""
    if len(group) < plan.seats:
        return
    seed = plan.draw("group", number).getrandbits(32)
    own = Plan("balanced", len(group), plan.seats, plan.rounds, seed)
    for round in range(plan.rounds):
        for seating in balanced.block(own, round):
            yield tuple(group[place] for place in seating)


def _rank(plan: Plan, history: History) -> Ranking:
    """Rank by the knock-out, then by the place and the points in the group."""
    out = [0] * plan.entrants
    points = [Fraction(0)] * plan.entrants
    after_groups = bracket(plan, history)
    far = [0] * plan.entrants
    won, lots = [0] * plan.entrants, [0] * plan.entrants
    criterion = "ties_won" if plan.seats == 2 else "tables_won"
    if after_groups is not None:
        ranking = after_groups.ranking(plan.entrants)
        going_on = set(_qualified(plan, history))
        far = [plan.entrants - rank + 1 if e in going_on else 0 for e, rank in enumerate(ranking.ranks)]
        won = [int(values[0]) for values in ranking.values]
        lots = [int(sum(values[1:])) for values in ranking.values]
    for group in groups(plan):
        for entrant, earned, place, by_lot in group_table(
            plan, history.before(min(history.number, 1)), group
        ):
            out[entrant], points[entrant] = place, earned
            lots[entrant] += by_lot
    keys = [
        (Fraction(far[e]), Fraction(0) if far[e] else Fraction(-out[e]), Fraction(0) if far[e] else points[e])
        for e in range(plan.entrants)
    ]
    names, counts = criteria(plan, criterion, won, lots)
    values = tuple((*counts[e], Fraction(out[e]), points[e]) for e in range(plan.entrants))
    return Ranking(shared_ranks(keys), (*names, "group_place", "group_points"), values)


def _show(plan: Plan, history: History) -> Shown:
    after_groups = bracket(plan, history)
    of_groups = history.before(min(1, history.number))
    tables = [group_table(plan, of_groups, group) for group in groups(plan)]
    shown = [
        GroupShown(
            Text(mark("Group %(number)d"), {"number": number}),
            [(placed.entrant, placed.points) for placed in table],
            BY_LOT if any(placed.by_lot for placed in table) else "",
        )
        for number, table in enumerate(tables, start=1)
    ]
    return Shown(after_groups.charts() if after_groups is not None else [], shown)


def _count(plan: Plan) -> int:
    going_on = plan.number("groups") * plan.number("advance")
    return _in_groups(plan) + most_matches(plan, going_on)


def _in_groups(plan: Plan) -> int:
    """The number of matches of the groups."""
    sizes = [len(group) for group in groups(plan)]
    return plan.rounds * sum(size * (size - 1) if plan.seats == 2 else size for size in sizes)


def _expected(plan: Plan, history: History) -> Fraction:
    after_groups = bracket(plan, history)
    going_on = plan.number("groups") * plan.number("advance")
    if after_groups is None:
        after_groups = knockout(plan, History(), range(going_on))
    return _in_groups(plan) + expected(plan, after_groups, going_on)


def _check(plan: Plan) -> None:
    count, advance = plan.number("groups"), plan.number("advance")
    least = _least_entrants(count, advance, plan.seats)
    if plan.entrants < least:
        raise BadFormat(
            "entrants",
            _("expected %(least)d or more for %(groups)d groups of which %(advance)d advance, got %(got)d"),
            least=least,
            groups=count,
            advance=advance,
            got=plan.entrants,
        )
    least = _least_advancing(count, plan.seats)
    if advance < least:
        raise BadFormat(
            "advance",
            _("expected %(least)d or more for %(groups)d groups, so that they fill a table; got %(got)d"),
            least=least,
            groups=count,
            got=advance,
        )


def _least_entrants(groups: int, advance: int, seats: int) -> int:
    return max(seats, advance) * groups


def _least_advancing(groups: int, seats: int) -> int:
    """How many have to advance from each group, so that together they fill a table."""
    return -(-seats // groups)


FORMAT = Format(
    "groups",
    mark("Groups, then knock-out"),
    mark(
        "In each group, every pair plays both seatings a round; in games of more than two seats, every bot "
        "sits once in every seat. The best of each group advance to a single elimination."
    ),
    2,
    64,
    _pair,
    _count,
    (GROUPS, ADVANCE, *SETTINGS, THIRD),
    needs_results=True,
    rank=_rank,
    check=_check,
    expect=_expected,
    proposed_rounds=proposed_rounds,
    rounds_rule=mark("as many as give every entrant about 40 matches in its group"),
    fitted=fitted,
    counts_wins=True,
    decided_by=mark("The stage of the knock-out decides, then the place and the points in the group."),
    follows=mark(
        "The knock-out begins when all matches of the groups are over. "
        "Its next matches begin when those in play are over."
    ),
    show=_show,
)
