"""What a match says about one bot in it, and what its ratings and its seat led to expect."""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from agon.statistics.ratings.scale import POINTS

LEAST_CHANCE = 0.02  # no result is more certain than this: ratings are not that exact
SEATS_AS_IF = 20  # matches


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


def seat_bonuses(matches: Iterable[Sequence[tuple[int, float]]]) -> Mapping[tuple[int, int], float]:
    """What sitting in a seat is worth to any bot, in natural units: by (number of seats, seat).

    matches: (rank, rating) by seat. This is the first step of Newton's method for a shift of all strengths in
    that seat, from none; SEATS_AS_IF matches of equals in which the seat made no difference are added.
    """
    excess: dict[tuple[int, int], float] = {}
    slope: dict[tuple[int, int], float] = {}
    for match in matches:
        for (seat, (rank, rating)), (other_seat, (beaten, theirs)) in combinations(enumerate(match), 2):
            chance = _chance(rating - theirs)
            over = _share(rank, beaten) - chance  # by as much the other one is under what was expected
            for place, difference in (((len(match), seat), over), ((len(match), other_seat), -over)):
                excess[place] = excess.get(place, 0.0) + difference
                slope[place] = slope.get(place, 0.0) + chance * (1 - chance)
    return {key: excess[key] / (slope[key] + SEATS_AS_IF * (key[0] - 1) / 4) for key in excess}


def _chance(points: float, bonus: float = 0.0) -> float:
    """Bradley and Terry's model, as in agon.statistics.ratings.fit; points: the difference of the ratings."""
    return 1 / (1 + math.exp(-points / POINTS - bonus))


def _share(rank: int, other_rank: int) -> float:
    return (rank < other_rank) + (rank == other_rank) / 2


def _clipped(chance: float) -> float:
    return min(max(chance, LEAST_CHANCE), 1 - LEAST_CHANCE)
