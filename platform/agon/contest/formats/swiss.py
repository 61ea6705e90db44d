"""Swiss: in each round, entrants with equal points meet, and no two meet twice.

A match gives each seat the share of the other seats that it finished ahead of, a tie counting half: with two
seats 1, 1/2, 0 (FIDE Handbook C.04.1). Entrants are ordered by points, then by their seeding
(agon.contest.formats.seeding).

Two seats. Within a group of equal points the upper half meets the lower half; an entrant that cannot be
paired there without a rematch floats down. Guarantees:
- No rematch, in as many rounds as `most_rounds` allows: half the entrants, rounded up. In these rounds every
  entrant has at least n/2 possible opponents, so a pairing without rematches exists (Dirac's theorem), and
  exchanging one pair finds it (`_exchange`).
- If their number is odd, the last entrant that has had no bye has one, for a full point: in pairing, the bye
  is an opponent like any other. So none has two.
- The entrant that sat first less often than its opponent sits first; if equally often, the one that did not
  sit first in its last match.
The first two hold as long as no entrant leaves. If so many leave that only rematches are possible, those that
met least often meet.

More seats. agon.contest.formats.swiss_tables says who sits together, and for how many rounds no two meet
twice. Entrants left over have a bye: the last ones among those with the fewest byes, so that the numbers of
byes differ by at most one. A bye is worth 1/2, the average of a match.

A match without a result gives no points and counts as a meeting. An entrant that leaves is no longer paired;
its matches still count, since later pairings followed from them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from agon.contest.formats import swiss_tables
from agon.contest.formats.base import (
    BadFormat,
    Format,
    History,
    Plan,
    Ranking,
    Seating,
    Setting,
    Value,
    place_points,
    seated,
    shared_ranks,
)
from agon.contest.formats.seeding import SEEDING, seeding
from agon.contest.formats.shown import PairingShown, RoundShown, Shown, Side
from games.core.story import mark

_ = mark
BYE = -1  # the opponent of an entrant without one
LATEST_ROUNDS = 12  # that a tournament's page lists
NO_REMATCHES = Setting(
    "no_rematches",
    mark("Avoid rematches"),
    True,
    help=mark("Two bots meet again only where no exchange between tables avoids it, even far down."),
    seats=(3, 64),
)


def most_rounds(entrants: int, seats: int) -> int:
    """The most rounds for which the guarantees hold; with more than two seats there is no such bound."""
    return -(-entrants // 2) if seats == 2 else 1000


def proposed_rounds(entrants: int, seats: int, settings: Mapping[str, Value]) -> int:
    """The rounds after which at most one entrant is unbeaten: the base-2 logarithm of the entrants, rounded
    up, but at most `most_rounds`.
    """
    return max(1, min((entrants - 1).bit_length(), most_rounds(entrants, seats)))


def bye_points(seats: int) -> Fraction:
    """What a bye is worth: a win with two seats, half a point with more."""
    return Fraction(1) if seats == 2 else Fraction(1, 2)


def pair(plan: Plan, history: History) -> list[Seating] | None:
    """The pairings of the next round; None after the last one."""
    if history.number >= plan.rounds:
        return None
    away = history.away(history.number)
    points = score(plan, history)
    present = [entrant for entrant in seeding(plan) if entrant not in away]
    order = sorted(present, key=lambda entrant: -points[entrant])  # stable
    if len(order) < plan.seats:
        return None
    met = _met(history)
    if plan.seats == 2:
        tables = _pairs(order if len(order) % 2 == 0 else [*order, BYE], points, met)
    else:
        byes = _byes(plan, order, met)
        seated = [entrant for entrant in order if entrant not in byes]
        tables = swiss_tables.near(plan.seats, seated, met)
        if plan.settings["no_rematches"]:
            tables = swiss_tables.apart(tables, met)
    sat = Counter((entrant, seat) for seats in _seatings(history) for seat, entrant in enumerate(seats))
    return [_seated(table, sat, history) for table in tables if BYE not in table]


def score(plan: Plan, history: History) -> list[Fraction]:
    """The points of each entrant after these rounds."""
    points = [Fraction(0)] * plan.entrants
    for played_round in history.rounds:
        for outcome in played_round.outcomes:
            for entrant, earned in zip(outcome.seats, place_points(outcome.ranks), strict=False):
                points[entrant] += earned
        for entrant in played_round.idle:
            points[entrant] += bye_points(plan.seats)
    return points


def rank(plan: Plan, history: History) -> Ranking:
    """Points, then Buchholz without the worst opponent, Buchholz, Sonneborn-Berger, and the number of wins.

    Buchholz: the sum of the opponents' points; Sonneborn-Berger: each opponent's points times the share that
    was won of it (FIDE Handbook C.07). A bye counts as a tie against an opponent with as many points.
    """
    points = score(plan, history)
    opponents: list[list[Fraction]] = [[] for _ in range(plan.entrants)]
    sonneborn = [Fraction(0)] * plan.entrants
    wins = [0] * plan.entrants
    for played_round in history.rounds:
        for entrant in played_round.idle:
            opponents[entrant].append(points[entrant])
            sonneborn[entrant] += points[entrant] / 2
        for outcome in played_round.outcomes:
            for first, second in combinations(range(len(outcome.ranks)), 2):
                for here, there in ((first, second), (second, first)):
                    mine, theirs = outcome.seats[here], outcome.seats[there]
                    opponents[mine].append(points[theirs])
                    won = place_points((outcome.ranks[here], outcome.ranks[there]))[0]
                    sonneborn[mine] += won * points[theirs]
            for entrant, place in zip(outcome.seats, outcome.ranks, strict=False):
                wins[entrant] += place == 1 and outcome.ranks.count(1) == 1
    keys = [
        (
            points[e],
            sum(sorted(opponents[e])[1:], Fraction(0)),
            sum(opponents[e], Fraction(0)),
            sonneborn[e],
            Fraction(wins[e]),
        )
        for e in range(plan.entrants)
    ]
    return Ranking(
        shared_ranks(keys), ("points", "buchholz_cut", "buchholz", "sonneborn", "wins"), tuple(keys)
    )


def _byes(plan: Plan, order: Sequence[int], met: Counter[frozenset[int]]) -> set[int]:
    last_first = sorted(reversed(order), key=lambda entrant: met[frozenset((entrant, BYE))])
    return set(last_first[: len(order) % plan.seats])


def _seatings(history: History) -> list[Seating]:
    return [outcome.seats for played_round in history.rounds for outcome in played_round.outcomes]


def _met(history: History) -> Counter[frozenset[int]]:
    """How often two entrants met, and how often one met BYE."""
    met = Counter(frozenset(pair) for seats in _seatings(history) for pair in combinations(seats, 2))
    met.update(frozenset((entrant, BYE)) for played_round in history.rounds for entrant in played_round.idle)
    return met


def _pairs(
    order: Sequence[int], points: Sequence[Fraction], met: Counter[frozenset[int]]
) -> list[tuple[int, ...]]:
    """Everyone of `order`, an even number, in pairs; no rematch where this can be had."""
    left = list(order)
    pairs: list[tuple[int, ...]] = []
    alone: list[int] = []
    if left[-1] == BYE:  # first, so that the last entrant has it that can
        left.remove(BYE)
        free = [entrant for entrant in left if not met[frozenset((entrant, BYE))]]
        if free:
            left.remove(free[-1])
            pairs.append((free[-1], BYE))
        else:
            alone.append(BYE)
    while left:
        upper = left.pop(0)
        free = [entrant for entrant in left if not met[frozenset((upper, entrant))]]
        if not free:
            alone.append(upper)
            continue
        lower = _opponent(upper, left, free, points)
        left.remove(lower)
        pairs.append((upper, lower))
    while alone:
        first = alone.pop(0)
        second = alone.pop(0)
        pairs += _exchange(first, second, pairs, order, met)
    place_of = {entrant: place for place, entrant in enumerate(order)}
    sides = (tuple(sorted(entrants, key=place_of.__getitem__)) for entrants in pairs)
    return sorted(sides, key=lambda side: place_of[side[0]])


def _opponent(upper: int, left: list[int], free: list[int], points: Sequence[Fraction]) -> int:
    """The best of `free`: in the highest group, half a group below `upper`, else the nearest to that."""
    group = [entrant for entrant in left if points[entrant] == points[upper]]
    wanted = left.index(group[len(group) // 2]) if group else 0
    same = [entrant for entrant in free if points[entrant] == points[free[0]]]
    return min(same, key=lambda entrant: abs(left.index(entrant) - wanted))


def _exchange(
    upper: int, lower: int, pairs: list[tuple[int, ...]], order: Sequence[int], met: Counter[frozenset[int]]
) -> list[tuple[int, ...]]:
    """Pairs for two that are left over: with each other, else by taking the pair apart that costs least.

    Where everyone has n/2 possible opponents, one pair always gives (Dirac): the neighbors of both are n in
    all, spread over fewer than n/2 pairs, so that one pair holds three of them.
    """
    if not met[frozenset((upper, lower))]:
        return [(upper, lower)]
    place_of = {entrant: place for place, entrant in enumerate(order)}
    best: tuple[tuple[int, int], tuple[int, ...], list[tuple[int, ...]]] | None = None
    for old_pair in pairs:
        first, second = old_pair
        for new in ([(upper, first), (lower, second)], [(upper, second), (lower, first)]):
            rematches = sum(met[frozenset(pair)] for pair in new)
            apart = sum(abs(place_of[a] - place_of[b]) for a, b in new)
            if best is None or (rematches, apart) < best[0]:
                best = ((rematches, apart), old_pair, list(new))
    if best is None or best[0][0] >= met[frozenset((upper, lower))]:
        return [(upper, lower)]
    pairs.remove(best[1])
    return best[2]


def _seated(table: Sequence[int], sat: Counter[tuple[int, int]], history: History) -> Seating:
    """Give each seat in turn to the one at the table who sat there least, compared with the later seats."""

    def cost(entrant: int, seat: int) -> tuple[int, bool]:
        least = min(sat[entrant, later] for later in range(seat, len(table)))
        return sat[entrant, seat] - least, _last_seat(entrant, history) == seat

    return seated(table, cost)


def _last_seat(entrant: int, history: History) -> int | None:
    for played_round in reversed(history.rounds):
        for outcome in played_round.outcomes:
            if entrant in outcome.seats:
                return outcome.seats.index(entrant)
    return None


def latest_rounds(history: History) -> Shown:
    """The latest rounds with their matches and byes."""
    numbers = range(history.number - 1, max(-1, history.number - 1 - LATEST_ROUNDS), -1)
    return Shown(rounds=[_round(history, number) for number in numbers])


def _round(history: History, number: int) -> RoundShown:
    played = history.rounds[number]
    ties = [
        PairingShown(
            [
                Side(entrant, None, bool(outcome.ranks) and outcome.ranks[seat] == 1)
                for seat, entrant in enumerate(outcome.seats)
            ],
            [(number, place)],
            over=bool(outcome.ranks),
        )
        for place, outcome in enumerate(played.outcomes)
    ]
    return RoundShown(number + 1, ties, played.idle)


def _count(plan: Plan) -> int:
    return plan.rounds * (plan.entrants // plan.seats)


def _check(plan: Plan) -> None:
    most = most_rounds(plan.entrants, plan.seats)
    if plan.rounds > most:
        raise BadFormat(
            "rounds",
            _("expected at most %(most)d for %(entrants)d entrants, so that no two meet twice; got %(got)d"),
            most=most,
            entrants=plan.entrants,
            got=plan.rounds,
        )


FORMAT = Format(
    "swiss",
    mark("Swiss"),
    mark(
        "In each round, entrants with equal points meet. In games of two seats no two meet twice, and no "
        "entrant has two byes; with more seats, two meet again only where it cannot be avoided. Each round "
        "starts when the one before it is over."
    ),
    2,
    64,
    pair,
    _count,
    (SEEDING, NO_REMATCHES),
    needs_results=True,
    rank=rank,
    check=_check,
    proposed_rounds=proposed_rounds,
    rounds_rule=mark("as many as leave one entrant unbeaten"),
    counts_wins=True,
    decided_by=mark(
        "Points (1 for a win, 1/2 for a draw) decide, then the tie-breaks from left to right. Entrants "
        "that are equal in all of them share the rank."
    ),
    follows=mark("The next round is drawn when all matches of this one are over."),
    counts_rounds=True,
    show=lambda plan, history: latest_rounds(history),
    has_trf=True,
)
