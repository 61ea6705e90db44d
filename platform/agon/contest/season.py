"""The board of a season: points of competitors over several tournaments, from their places alone.

A competitor is an account: a person's, or a team's. Of several bots of one account in a tournament, the
best placed counts. House bots, and bots that were withdrawn or disqualified, take no place. Those who share
a place share the points of the places that they take: two winners get half of the points of the first and
the second place each.

- `table`: the sum of points by place, from a table; places beyond it get none.
- `mean`: the mean of normalized places: 1 for the first place of a tournament, 0 for the last one. A
  tournament in which a competitor did not take part counts as 0.

With `best`, only the best so many tournaments of each competitor count. Points are exact fractions. Equal
totals share a place.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple


class Kind(StrEnum):
    TABLE = "table"
    MEAN = "mean"


@dataclass(frozen=True)
class Rule:
    """table: the points of the first place, the second, ...; for Kind.TABLE. best: None for all."""

    kind: Kind
    table: tuple[int, ...] = ()
    best: int | None = None


class Finisher(NamedTuple):
    """A bot in the standings of a tournament. competitor: None if it takes no place."""

    competitor: int | None
    rank: int


class Place(NamedTuple):
    """A place among competitors. first: the place, from 1. shared: by how many, oneself included.

    entrants: how many took a place.
    """

    competitor: int
    first: int
    shared: int
    entrants: int


class Scored(NamedTuple):
    """A place and its points. counts: whether it is among the best ones."""

    tournament: int
    place: Place
    points: Fraction
    counts: bool


class Row(NamedTuple):
    """A row of the board. results: by tournament, in their order."""

    rank: int
    competitor: int
    total: Fraction
    results: list[Scored]


def places(standings: Iterable[Finisher]) -> list[Place]:
    """The places of the competitors in a tournament, best first. standings: in any order."""
    best: dict[int, int] = {}
    for competitor, rank in standings:
        if competitor is not None:
            best[competitor] = min(rank, best.get(competitor, rank))
    ranks = sorted(best.values())
    shared = Counter(ranks)
    return [
        Place(competitor, bisect_left(ranks, rank) + 1, shared[rank], len(ranks))
        for competitor, rank in sorted(best.items(), key=lambda item: (item[1], item[0]))
    ]


def points(rule: Rule, place: Place) -> Fraction:
    """The points of a place: the mean over the places that are shared."""
    return _points(rule, place.first, place.shared, place.entrants)


@lru_cache(maxsize=8192)  # thousands of competitors have the same places, season after season
def _points(rule: Rule, first: int, shared: int, entrants: int) -> Fraction:
    taken = range(first, first + shared)
    if rule.kind is Kind.TABLE:
        worth = [rule.table[place - 1] if place <= len(rule.table) else 0 for place in taken]
        return Fraction(sum(worth), shared)
    if entrants == 1:
        return Fraction(1)
    return Fraction(sum(entrants - place for place in taken), shared * (entrants - 1))


def board(rule: Rule, tournaments: Mapping[int, Sequence[Place]]) -> list[Row]:
    """The rows, best first. tournaments: the places of each that counts, in the order of the season."""
    scored: dict[int, list[tuple[int, Place, Fraction]]] = defaultdict(list)
    for tournament, taken in tournaments.items():
        for place in taken:
            scored[place.competitor].append((tournament, place, points(rule, place)))
    counted = len(tournaments) if rule.best is None else min(rule.best, len(tournaments))
    rows = []
    for competitor, results in scored.items():
        # Among equal results the earlier ones count.
        order = sorted(range(len(results)), key=lambda number: (-results[number][2], number))
        counting = set(order[:counted])
        total = sum((results[number][2] for number in counting if results[number][2]), Fraction(0))
        if rule.kind is Kind.MEAN:
            total /= counted
        scores = [Scored(*result, number in counting) for number, result in enumerate(results)]
        rows.append((competitor, total, scores))
    rows.sort(key=lambda row: (-row[1], row[0]))
    first: dict[Fraction, int] = {}
    for rank, (_competitor, total, _scores) in enumerate(rows, start=1):
        first.setdefault(total, rank)
    return [Row(first[total], competitor, total, scores) for competitor, total, scores in rows]
