"""The strengths of a contest's entrants with 95 % intervals, and their head-to-head results.

Strengths are those of the Bradley-Terry model (agon.statistics.ratings.fit) on a scale like Elo's, with a
mean of 0. Their intervals come from the bootstrap: the matches of the contest are drawn again with
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
from agon.statistics.ratings.counts import Pair, of_match
from agon.statistics.ratings.fit import fit_table
from agon.statistics.ratings.scale import POINTS

RESAMPLES = 200
SEED = 1  # of the resamples
LEVEL = 0.01  # points: strengths this close are equal, except for the rounding of the fit

Numbers: TypeAlias = NDArray[np.int64]


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
    share of resamples in which the winner is the strongest; equals share a resample.
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
    """The strengths and their intervals. order: the entrants by the standings, best first."""
    seatings = sorted(played)  # so the resamples do not depend on the order of `played`
    numbers = np.array([played[seating].matches for seating in seatings], dtype=np.int64)
    pairs = _PairTable([of_match(*seating) for seating in seatings])
    fitted = _fit(entrants, pairs.of(numbers))
    resamples = _resampled_strengths(entrants, numbers, pairs, fitted)
    intervals = tuple(_interval(fitted[e], [resample[e] for resample in resamples]) for e in range(entrants))
    if len(order) < 2 or not resamples:
        return Strengths(intervals, None, len(resamples))
    winner, second = order[:2]
    difference = _interval(
        fitted[winner] - fitted[second], [resample[winner] - resample[second] for resample in resamples]
    )
    wins = sum(_part_of_first_place(resample, winner) for resample in resamples) / len(resamples)
    return Strengths(intervals, Certainty(winner, second, difference, wins), len(resamples))


def _part_of_first_place(strengths: Sequence[float], entrant: int) -> float:
    """1 for the strongest one, and a part of it for each of several equals."""
    first = [strength > max(strengths) - LEVEL for strength in strengths]
    return first[entrant] / sum(first)


class _PairTable:
    """The compared pairs of each distinct result, as a table that is summed for given numbers of results."""

    def __init__(self, on_finished: Sequence[Sequence[Pair]]) -> None:
        rows = [(place, pair) for place, pairs in enumerate(on_finished) for pair in pairs]
        keys = sorted({pair[:3] for _, pair in rows})
        number = {key: place for place, key in enumerate(keys)}
        self.keys = np.array(keys, dtype=np.int64).reshape(-1, 3)
        self.result = np.array([place for place, _ in rows], dtype=np.intp)
        self.key = np.array([number[pair[:3]] for _, pair in rows], dtype=np.intp)
        self.counts = np.array([pair[3:] for _, pair in rows], dtype=np.int64).reshape(-1, 4)

    def of(self, numbers: Numbers) -> Numbers:
        """A table as agon.statistics.ratings.fit takes it. numbers: how often each result occurred."""
        sums = np.zeros((len(self.keys), 4), dtype=np.int64)
        np.add.at(sums, self.key, self.counts * numbers[self.result, np.newaxis])
        not_empty = sums[:, :3].any(axis=1)
        return np.hstack([self.keys, sums])[not_empty]


def _resampled_strengths(
    entrants: int, numbers: Numbers, pairs: _PairTable, fitted: Sequence[float]
) -> list[list[float]]:
    """The strengths fitted to each resample. numbers: as in _PairTable.of. fitted: the fit to these."""
    total = int(numbers.sum())
    if not total:
        return []
    start = {entrant: rating / POINTS for entrant, rating in enumerate(fitted)}
    drawn = np.random.Generator(np.random.PCG64(SEED)).multinomial(total, numbers / total, RESAMPLES)
    return [_fit(entrants, pairs.of(resample), start) for resample in drawn]


def _fit(entrants: int, table: Numbers, start: Mapping[int, float] | None = None) -> list[float]:
    fitted = fit_table(range(entrants), table, start=start)
    values = [float(fitted.strengths[fitted.place[entrant]]) * POINTS for entrant in range(entrants)]
    mean = sum(values) / max(1, entrants)
    return [value - mean for value in values]


def _interval(value: float, resamples: Sequence[float]) -> Strength:
    """The value with the percentiles 2.5 and 97.5 of its resamples."""
    if not resamples:
        return Strength(value, value, value)
    in_order = sorted(resamples)
    cut = round(len(in_order) * 0.025)
    return Strength(value, in_order[cut], in_order[-1 - cut])
