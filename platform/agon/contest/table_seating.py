"""Who sits at which table in a Swiss tournament of more than two seats, and the best swap of two bots.

agon.contest.formats.swiss_tables says what the swaps are for.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Swap(NamedTuple):
    """more: by how much it raises the number of rematches. way: how far apart the two are in the order."""

    more: int
    way: int
    one: int
    other: int


class TableSeating:
    """Who sits where. rematches: how often those who sit together have met.

    Bots are places in the first order here. met: by two bots; each table: by bot and table, how often it has
    met those who sit there. The best swap is sought among all pairs at once.
    """

    def __init__(self, tables: Sequence[Sequence[int]], met: Counter[frozenset[int]]) -> None:
        self._names = np.array([name for table in tables for name in table])
        size = len(tables[0])
        count = len(self._names)
        self._table_of = np.arange(count) // size
        places = {int(name): place for place, name in enumerate(self._names)}
        self._met = np.zeros((count, count), dtype=np.int64)
        for pair, times in met.items():
            if pair <= places.keys():
                first, second = (places[name] for name in pair)
                self._met[first, second] = self._met[second, first] = times
        self._at_table = self._met.reshape(count, len(tables), size).sum(axis=2)
        self.rematches = int(self._costs().sum()) // 2

    @property
    def tables(self) -> list[tuple[int, ...]]:
        """The tables, each with its bots by seat."""
        order = np.argsort(self._table_of, kind="stable")
        return [tuple(map(int, self._names[table])) for table in order.reshape(self._at_table.shape[1], -1)]

    def best_swap(self, not_these: Sequence[int]) -> Swap | None:
        """Of the bots that sit with one whom they have met."""
        costs = self._costs()
        free = ~np.isin(self._names, not_these)
        ones = np.flatnonzero((costs > 0) & free)
        if not len(ones):
            return None
        here, everywhere = self._table_of[ones], self._table_of
        more = self._at_table[ones][:, everywhere] + self._at_table[:, here].T
        # Each leaves the table to which the other goes.
        more -= 2 * self._met[ones] + costs[ones][:, None] + costs
        possible = free & (here[:, None] != everywhere)
        if not possible.any():
            return None
        fewest = int(more[possible].min())
        rows, others = np.nonzero(possible & (more == fewest))
        ways = np.abs(ones[rows] - others)
        names = self._names[ones[rows]], self._names[others]
        chosen = int(np.lexsort((names[1], names[0], ways))[0])
        return Swap(fewest, int(ways[chosen]), int(names[0][chosen]), int(names[1][chosen]))

    def make(self, swap: Swap) -> None:
        """Carry out a swap, and update the counts."""
        first, second = (int(np.flatnonzero(self._names == name)[0]) for name in (swap.one, swap.other))
        here, there = self._table_of[first], self._table_of[second]
        moved = self._met[:, second] - self._met[:, first]
        self._at_table[:, here] += moved
        self._at_table[:, there] -= moved
        self._table_of[first], self._table_of[second] = there, here
        self.rematches += swap.more

    def _costs(self) -> NDArray[np.int64]:
        """How often each has met those at its table."""
        costs: NDArray[np.int64] = self._at_table[np.arange(len(self._names)), self._table_of]
        return costs
