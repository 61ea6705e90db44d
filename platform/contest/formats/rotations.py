"""For games of k >= 3 seats: a round is every subset of k entrants, once in each of its k rotations.

So every entrant sits in every seat equally often. The seed draws the order in which a subset sits round the
table. Where a round would have more than SUBSETS_LIMIT matches it is drawn instead: as many whole blocks
(see base.blocks) as fit into SUBSETS_LIMIT, at least one. With four seats every subset is played up to 12
entrants (1,980 matches a round); from 13 on the round is drawn.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from math import comb

from contest.formats.base import Format, Round, Seating, blocks
from games.core.story import mark

SUBSETS_LIMIT = 2_000


def _fill(round: Round) -> Iterator[Seating]:
    if _count_subsets(round) > SUBSETS_LIMIT:
        return blocks(round, _blocks_within_limit(round))
    return _rotated_subsets(round)


def _count(round: Round) -> int:
    every = _count_subsets(round)
    return every if every <= SUBSETS_LIMIT else _blocks_within_limit(round) * round.entrants


def _count_subsets(round: Round) -> int:
    return comb(round.entrants, round.seats) * round.seats


def _blocks_within_limit(round: Round) -> int:
    return max(1, SUBSETS_LIMIT // round.entrants)


def _rotated_subsets(round: Round) -> Iterator[Seating]:
    draw = round.draw()
    for subset in itertools.combinations(range(round.entrants), round.seats):
        table = draw.sample(subset, round.seats)
        for first in range(round.seats):
            yield tuple(table[first:] + table[:first])


FORMAT = Format("rotations", mark("Every group of entrants, with rotated seats"), 3, 64, _fill, _count)
