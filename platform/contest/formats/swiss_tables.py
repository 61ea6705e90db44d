"""Tables of a Swiss tournament of more than two seats: as few rematches as can be found.

The entrants are first seated table by table in the order of their points, each table with those that met its
bots least often among the next ones (`near`). Then entrants change places, two at a time, until no two who
have met sit together (`apart`): of the exchanges of a bot that sits with one it has met, the one that leaves
the fewest rematches, and among these the one over the shortest way. Where none helps, the least bad one is
made, and not taken back for TABU steps; the best seating that was found counts.

Guarantees. At the end no exchange of two bots leaves fewer rematches. With t tables of k seats there are none
in the first 1 + (t - 1) // (k - 1) rounds: no one has met t bots or more then, so that seatings without
rematches exist (Hajnal and Szemeredi, 1970). That they are found is tested for up to 200 entrants, not
proved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

WINDOW = 3  # tables: how far down those are looked for who met least often
STEPS = 200  # exchanges that are tried
TABU = 8

Met = Counter[frozenset[int]]


class _Exchange(NamedTuple):
    """more: by how much it raises the number of rematches. way: how far apart the two are in the order."""

    more: int
    way: int
    one: int
    other: int


def rounds_without_rematch(entrants: int, seats: int) -> int:
    """So many rounds at least need no rematch."""
    return 1 + (entrants // seats - 1) // (seats - 1)


def near(seats: int, order: Sequence[int], met: Met) -> list[tuple[int, ...]]:
    """Everyone of `order` at tables."""
    left = list(order)
    tables: list[tuple[int, ...]] = []
    while left:
        table = [left.pop(0)]
        while len(table) < seats:
            next_ones = left[: seats * WINDOW]
            chosen = min(next_ones, key=lambda one: sum(met[frozenset((one, other))] for other in table))
            left.remove(chosen)
            table.append(chosen)
        tables.append(tuple(table))
    return tables


def apart(tables: Sequence[Sequence[int]], met: Met) -> list[tuple[int, ...]]:
    """These tables, with as few rematches as can be found; each in the order of the first tables."""
    seating = _Seating(tables, met)
    best, found = seating.rematches, seating.tables
    made: list[int] = []
    for _ in range(STEPS):
        if not seating.rematches:
            break
        exchange = seating.best_exchange(made[-TABU:])
        if exchange is None:
            break
        seating.make(exchange)
        made += [exchange.one, exchange.other]
        if seating.rematches < best:
            best, found = seating.rematches, seating.tables
    seating = _Seating(found, met)
    while seating.rematches and (exchange := seating.best_exchange([])) and exchange.more < 0:
        seating.make(exchange)
    return seating.tables


class _Seating:
    """Who sits where. rematches: how often those who sit together have met."""

    def __init__(self, tables: Sequence[Sequence[int]], met: Met) -> None:
        self._tables = [list(table) for table in tables]
        self._table_of = {one: number for number, table in enumerate(tables) for one in table}
        self._place_of = {one: place for place, one in enumerate(one for table in tables for one in table)}
        self._met: dict[int, dict[int, int]] = {one: {} for one in self._table_of}
        for pair, times in met.items():
            if pair <= self._table_of.keys():
                one, other = pair
                self._met[one][other] = self._met[other][one] = times
        self.rematches = sum(
            self._met[one].get(other, 0) for table in tables for one, other in combinations(table, 2)
        )

    @property
    def tables(self) -> list[tuple[int, ...]]:
        return [tuple(sorted(table, key=self._place_of.__getitem__)) for table in self._tables]

    def best_exchange(self, not_these: Sequence[int]) -> _Exchange | None:
        return min(self._exchanges(not_these), default=None)

    def make(self, exchange: _Exchange) -> None:
        one, other = exchange.one, exchange.other
        here, there = self._table_of[one], self._table_of[other]
        self._tables[here][self._tables[here].index(one)] = other
        self._tables[there][self._tables[there].index(other)] = one
        self._table_of[one], self._table_of[other] = there, here
        self.rematches += exchange.more

    def _exchanges(self, not_these: Sequence[int]) -> Iterator[_Exchange]:
        """Those of the bots that sit with one whom they have met."""
        costs = {one: self._cost(one, self._table_of[one]) for one in self._table_of}
        for one, cost in costs.items():
            if not cost or one in not_these:
                continue
            here = self._table_of[one]
            at_each = [self._cost(one, number) for number in range(len(self._tables))]
            for other, there in self._table_of.items():
                if there == here or other in not_these:
                    continue
                both = 2 * self._met[one].get(other, 0)  # each leaves the table to which the other goes
                more = at_each[there] + self._cost(other, here) - both - cost - costs[other]
                yield _Exchange(more, abs(self._place_of[one] - self._place_of[other]), one, other)

    def _cost(self, one: int, table: int) -> int:
        """How often it has met those who sit there."""
        met = self._met[one]
        return sum(met.get(other, 0) for other in self._tables[table])
