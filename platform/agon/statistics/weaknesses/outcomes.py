"""What a match says about one bot in it, and what its ratings and its seat led to expect."""

import math
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agon.statistics.ratings.scale import POINTS

LEAST_CHANCE = 0.02  # no result is more certain than this: ratings are not that exact
SEATS_AS_IF = 20  # matches

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]


class FaultSeen(NamedTuple):
    """What the bot did wrong, and at which step (from 0)."""

    kind: str
    step: int


class PairedComparison(NamedTuple):
    """The bot and one opponent of a match. share: 1 if the bot was ahead, 1/2 at the same rank, else 0.

    expected: the mean of `share` that ratings and the seat led to expect, in (0, 1).
    """

    opponent: int
    share: float
    expected: float


class Outcome(NamedTuple):
    """One match. seat: from 0. steps: how many asks it had. time: the slowest answer's charged time as a
    share of the limit; None where it was not kept.
    """

    match: int
    seat: int
    comparisons: tuple[PairedComparison, ...]
    steps: int
    faults: tuple[FaultSeen, ...] = ()
    time: float | None = None

    @property
    def share(self) -> float:
        """The part of the opponents that the bot beat."""
        return math.fsum(comparison.share for comparison in self.comparisons) / len(self.comparisons)

    @property
    def expected(self) -> float:
        """The mean expected share over the opponents of the match."""
        return math.fsum(comparison.expected for comparison in self.comparisons) / len(self.comparisons)


def compared(
    rank: int, others: Iterable[tuple[int, int, float]], rating: float, bonus: float = 0.0
) -> tuple[PairedComparison, ...]:
    """A bot of this rank and rating against (bot, rank, rating) of the other seats.

    bonus: what the seat is worth, in natural units (`seat_bonuses`).
    """
    return tuple(
        PairedComparison(bot, _share(rank, other_rank), _clipped(_chance(rating - theirs, bonus)))
        for bot, other_rank, theirs in others
    )


def seat_bonuses(matches: Ints, ranks: Ints, ratings: Floats) -> Mapping[tuple[int, int], float]:
    """What sitting in a seat is worth to any bot, in natural units: by (number of seats, seat).

    matches, ranks, ratings: of each seat, match by match, the seats of a match in order. The bonus is the
    first step of Newton's method for a shift of all strengths in that seat, from none; SEATS_AS_IF matches of
    equals in which the seat made no difference are added.
    """
    bonuses: dict[tuple[int, int], float] = {}
    _, firsts, sizes = np.unique(matches, return_index=True, return_counts=True)
    for size in np.unique(sizes).tolist():
        seats = firsts[sizes == size][:, np.newaxis] + np.arange(size)
        excess, slope = np.zeros(size), np.zeros(size)
        for seat, later in combinations(range(size), 2):
            rank, beaten = ranks[seats[:, seat]], ranks[seats[:, later]]
            chances = 1 / (1 + np.exp((ratings[seats[:, later]] - ratings[seats[:, seat]]) / POINTS))
            over = float(((rank < beaten) + (rank == beaten) / 2 - chances).sum())
            excess[seat] += over  # by as much the later one is under what was expected
            excess[later] -= over
            slope[[seat, later]] += float((chances * (1 - chances)).sum())
        shifts = excess / (slope + SEATS_AS_IF * (size - 1) / 4)
        bonuses |= {(size, place): shift for place, shift in enumerate(shifts.tolist())}
    return bonuses


def _chance(points: float, bonus: float = 0.0) -> float:
    """Bradley and Terry's model, as in agon.statistics.ratings.fit; points: the difference of the ratings."""
    return 1 / (1 + math.exp(-points / POINTS - bonus))


def _share(rank: int, other_rank: int) -> float:
    return (rank < other_rank) + (rank == other_rank) / 2


def _clipped(chance: float) -> float:
    return min(max(chance, LEAST_CHANCE), 1 - LEAST_CHANCE)
