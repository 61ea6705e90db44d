"""The strengths of a contest's entrants with 95 % intervals, and their head-to-head results.

Strengths are those of the Bradley-Terry model (agon.statistics.ratings.fit_each) on a scale like Elo's, with
a mean of 0. Their intervals come from the bootstrap: the matches of the contest are drawn again with
replacement, RESAMPLES times, and fitted each time (B. Efron and R. J. Tibshirani, An Introduction to the
Bootstrap, 1993, chapter 13: percentiles). The counts of the results in a resample are multinomial, so they
are drawn directly, at a cost that does not depend on the number of matches. The same results give the same
resamples.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agon.contest.tally import RankedSeats, Sums
from agon.statistics.ratings.counts import of_match
from agon.statistics.ratings.fit_each import fit_each
from agon.statistics.ratings.scale import POINTS

RESAMPLES = 200
SEED = 1  # of the resamples
LEVEL = 0.01  # points: strengths this close are equal, except for the rounding of the fit

Values: TypeAlias = NDArray[np.float64]


class Cell(NamedTuple):
    """One entrant against another: the matches in which both had a seat, and the share won; a tie is half."""

    matches: int
    share: Fraction


class Strength(NamedTuple):
    """A strength in points: 0 is the mean, 400 points are odds of ten to one.

    low, high: the 95 % interval.
    """

    rating: float
    low: float
    high: float


class Certainty(NamedTuple):
    """How certain the first place is.

    second: the entrant that the winner is compared with. difference: of their strengths, in points. wins: the
    share of resamples in which the winner is the strongest of those in the order; equals share a resample.
    """

    winner: int
    second: int
    difference: Strength
    wins: float

    @property
    def is_separated(self) -> bool:
        """Whether the 95 % interval of the difference is above zero."""
        return self.difference.low > 0


class Strengths(NamedTuple):
    """The fitted strengths by entrant. resamples: the number of resamples behind the intervals."""

    of: tuple[Strength, ...]
    certainty: Certainty | None
    resamples: int


def head_to_head(entrants: int, played: Mapping[RankedSeats, Sums]) -> list[list[Cell]]:
    """A matrix, row by row: each entrant against each. Seats of the same entrant are not compared."""
    met = [[0] * entrants for _ in range(entrants)]
    halves = [[0] * entrants for _ in range(entrants)]  # won, in halves
    for seating, sums in played.items():
        seated = list(zip(seating.seats, seating.ranks, strict=True))
        for mine, my_rank in seated:
            for theirs, their_rank in seated:
                if mine != theirs:
                    met[mine][theirs] += sums.matches
                    halves[mine][theirs] += sums.matches * ((my_rank < their_rank) + (my_rank <= their_rank))
    return [
        [Cell(number, Fraction(won, 2 * number or 1)) for number, won in zip(*row, strict=True)]
        for row in zip(met, halves, strict=True)
    ]


def strengths(entrants: int, played: Mapping[RankedSeats, Sums], order: Sequence[int]) -> Strengths:
    """The strengths and their intervals.

    order: the entrants by the standings, best first, without those that are out: these win no resample.
    """
    seatings = sorted(played)  # so the resamples do not depend on the order of `played`
    numbers = np.array([[played[seating].matches for seating in seatings]], dtype=np.int64)
    pairs = [of_match(*seating) for seating in seatings]
    fitted = fit_each(entrants, pairs, numbers)[0]
    total = int(numbers.sum())
    resamples = fitted[np.newaxis][:0]
    if total:
        source = np.random.Generator(np.random.PCG64(SEED))
        resamples = fit_each(
            entrants, pairs, source.multinomial(total, numbers[0] / total, RESAMPLES), fitted
        )
    resamples, fitted = resamples * POINTS, fitted * POINTS
    intervals = tuple(_interval(float(fitted[e]), resamples[:, e]) for e in range(entrants))
    if len(order) < 2 or not total:
        return Strengths(intervals, None, len(resamples))
    winner, second = order[:2]
    difference = _interval(
        float(fitted[winner] - fitted[second]), resamples[:, winner] - resamples[:, second]
    )
    certainty = Certainty(winner, second, difference, _part_of_first_places(resamples[:, list(order)]))
    return Strengths(intervals, certainty, len(resamples))


def _part_of_first_places(resamples: Values) -> float:
    """The share of resamples in which the first is the strongest; with several equals, a part of one."""
    first = resamples > resamples.max(axis=1, keepdims=True) - LEVEL
    return float((first[:, 0] / first.sum(axis=1)).mean())


def _interval(value: float, resamples: Values) -> Strength:
    """The value with the percentiles 2.5 and 97.5 of its resamples."""
    if not len(resamples):
        return Strength(value, value, value)
    in_order = np.sort(resamples)
    cut = round(len(in_order) * 0.025)
    return Strength(value, float(in_order[cut]), float(in_order[-1 - cut]))
