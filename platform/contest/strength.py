"""How strong the entrants of a contest are, how sure that is, and who won how much against whom.

Strengths are those of the Bradley-Terry model (contest.ratings.fit) on a scale like Elo's, less the mean of
all. Their intervals come from the bootstrap: the matches of the contest are drawn again with replacement,
RESAMPLES times, and fitted each time (B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993,
chapter 13: percentiles). How often each result is drawn is multinomial, so it is drawn as a number, whatever
the number of matches. What is drawn is the same for the same results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from contest.ratings.counts import Pair, of_match
from contest.ratings.fit import fit_table
from contest.ratings.scale import POINTS
from contest.tally import RankedSeats, Sums

RESAMPLES = 200
SEED = 1  # of what is drawn

Numbers: TypeAlias = NDArray[np.int64]


class Cell(NamedTuple):
    """One entrant against another: matches in which both had a seat, and the share won, a tie being half."""

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
    """How sure the first place is. second: the entrant compared with. difference: of their strengths, in
    points.

    wins: the share of resamples in which the winner is the strongest.
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
    """Row by row: each entrant against each. Seats of the same entrant are not compared."""
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
    """order: the entrants by the standings, best first."""
    ended = sorted(played)  # what is drawn does not depend on which was first
    numbers = np.array([played[seating].matches for seating in ended], dtype=np.int64)
    pairs = _Pairs([of_match(*seating) for seating in ended])
    found = _fitted(entrants, pairs.of(numbers))
    again = _again(entrants, numbers, pairs, found)
    of = tuple(_interval(found[e], [each[e] for each in again]) for e in range(entrants))
    if len(order) < 2 or not again:
        return Strengths(of, None, len(again))
    winner, second = order[:2]
    difference = _interval(found[winner] - found[second], [each[winner] - each[second] for each in again])
    wins = sum(max(each) == each[winner] for each in again) / len(again)
    return Strengths(of, Certainty(winner, second, difference, wins), len(again))


class _Pairs:
    """The pairs of each result, as a table that adds up those of any number of each."""

    def __init__(self, of_results: Sequence[Sequence[Pair]]) -> None:
        rows = [(place, pair) for place, each in enumerate(of_results) for pair in each]
        keys = sorted({pair[:3] for _, pair in rows})
        number = {key: place for place, key in enumerate(keys)}
        self.keys = np.array(keys, dtype=np.int64).reshape(-1, 3)
        self.result = np.array([place for place, _ in rows], dtype=np.intp)
        self.key = np.array([number[pair[:3]] for _, pair in rows], dtype=np.intp)
        self.counts = np.array([pair[3:] for _, pair in rows], dtype=np.int64).reshape(-1, 4)

    def of(self, numbers: Numbers) -> Numbers:
        """A table as contest.ratings.fit takes it. numbers: of each result."""
        sums = np.zeros((len(self.keys), 4), dtype=np.int64)
        np.add.at(sums, self.key, self.counts * numbers[self.result, np.newaxis])
        drawn = sums[:, :3].any(axis=1)
        return np.hstack([self.keys, sums])[drawn]


def _again(entrants: int, numbers: Numbers, pairs: _Pairs, found: Sequence[float]) -> list[list[float]]:
    """The strengths by as many matches, drawn from these."""
    total = int(numbers.sum())
    if not total:
        return []
    start = {entrant: rating / POINTS for entrant, rating in enumerate(found)}
    drawn = np.random.Generator(np.random.PCG64(SEED)).multinomial(total, numbers / total, RESAMPLES)
    return [_fitted(entrants, pairs.of(each), start) for each in drawn]


def _fitted(entrants: int, table: Numbers, start: Mapping[int, float] | None = None) -> list[float]:
    fitted = fit_table(range(entrants), table, start=start)
    values = [float(fitted.strengths[fitted.place[entrant]]) * POINTS for entrant in range(entrants)]
    mean = sum(values) / max(1, entrants)
    return [value - mean for value in values]


def _interval(value: float, again: Sequence[float]) -> Strength:
    """The percentiles 2.5 and 97.5."""
    if not again:
        return Strength(value, value, value)
    drawn = sorted(again)
    cut = round(len(drawn) * 0.025)
    return Strength(value, drawn[cut], drawn[-1 - cut])
