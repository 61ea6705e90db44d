"""How strong the entrants of a contest are, how sure that is, and who won how much against whom.

Strengths are those of the Bradley-Terry model (contest.ratings.fit) on a scale like Elo's, less the mean of
all. Their intervals come from the bootstrap: the matches of the contest are drawn again with replacement,
RESAMPLES times, and fitted each time (B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993,
chapter 13: percentiles). What is drawn is the same for the same results.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from contest.points import Result
from contest.ratings.counts import Pair, added, of_match
from contest.ratings.fit import fit
from contest.ratings.published import POINTS

RESAMPLES = 200
MOST_DRAWN = 4_000_000  # pairs drawn in all; beyond that fewer resamples are made
LEAST_RESAMPLES = 40


class Cell(NamedTuple):
    """One entrant against another: matches in which both had a seat, and the share won, a tie being half."""

    matches: int
    share: Fraction


class Strength(NamedTuple):
    """In points: rating 0 is the mean, 400 points are odds of ten to one. low, high: the 95 % interval."""

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
        return self.difference.low > 0


class Strengths(NamedTuple):
    of: tuple[Strength, ...]
    certainty: Certainty | None
    resamples: int


def head_to_head(entrants: int, results: Sequence[Result]) -> list[list[Cell]]:
    """Row by row: each entrant against each. Seats of the same entrant are not compared."""
    met: Counter[tuple[int, int]] = Counter()
    won: dict[tuple[int, int], Fraction] = {}
    for result in results:
        for mine, my_rank in zip(result.seats, result.ranks, strict=True):
            for theirs, their_rank in zip(result.seats, result.ranks, strict=True):
                if mine != theirs:
                    met[mine, theirs] += 1
                    earned = Fraction((my_rank < their_rank) * 2 + (my_rank == their_rank), 2)
                    won[mine, theirs] = won.get((mine, theirs), Fraction(0)) + earned
    return [
        [
            Cell(met[row, column], won[row, column] / met[row, column] if met[row, column] else Fraction(0))
            for column in range(entrants)
        ]
        for row in range(entrants)
    ]


def strengths(entrants: int, results: Sequence[Result], order: Sequence[int]) -> Strengths:
    """order: the entrants by the standings, best first."""
    pairs = [of_match(result.seats, result.ranks) for result in results]
    found = _fitted(entrants, [pair for each in pairs for pair in each])
    resamples = _resamples(pairs)
    draw = random.Random("strengths")
    again = [
        _fitted(entrants, [pair for each in draw.choices(pairs, k=len(pairs)) for pair in each])
        for _ in range(resamples)
    ]
    of = tuple(_interval(found[e], [each[e] for each in again]) for e in range(entrants))
    if len(order) < 2 or not again:
        return Strengths(of, None, resamples)
    winner, second = order[:2]
    difference = _interval(found[winner] - found[second], [each[winner] - each[second] for each in again])
    wins = sum(max(each) == each[winner] for each in again) / len(again)
    return Strengths(of, Certainty(winner, second, difference, wins), resamples)


def _resamples(pairs: Sequence[Sequence[Pair]]) -> int:
    size = sum(map(len, pairs))
    return min(RESAMPLES, max(LEAST_RESAMPLES, MOST_DRAWN // size)) if size else 0


def _fitted(entrants: int, pairs: Sequence[Pair]) -> list[float]:
    fitted = fit(range(entrants), added(pairs))
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
