"""Fits strengths of bots to the counts of their pairs with the Bradley-Terry model.

The order of matches does not matter. Strengths are natural logarithms of odds.

- Model: a bot of strength a is ahead of one of strength b with probability 1 / (1 + exp(b - a)); a tie is
  half of each (R. A. Bradley and M. E. Terry, Biometrika 39, 1952). The strengths maximize the product of all
  comparisons' likelihoods and of a weak prior: PRIOR for a bot's first version, VERSION for the difference
  between a later version and its predecessor. The logarithm is strictly concave, so there is one maximum.
  Newton's method finds it from any start, to far more digits than are published.
- Matches of k seats make k (k - 1) / 2 comparisons, which are not independent. Between equals, without ties,
  the variance of the comparisons' score is (k + 1) / 3 times their information: the number of seats behind a
  bot has variance (k² - 1) / 12, where independent comparisons would have (k - 1) / 4. Comparisons are
  therefore weighted by 3 / (k + 1), which makes the information equal to Godambe's (C. Varin, N. Reid and D.
  Firth, "An overview of composite likelihood methods", Statistica Sinica 21, 2011). That is 1 with two seats,
  and 3/5 with four.
- Ties make results vary less than this: in a game in which only the first place counts the variance is 1
  times the information for any k, and two bots that always draw have no variance. The intervals use the ratio
  that the competition's matches show (`_variance_ratio`); the strengths do not, so that a better place never
  lowers one.

A better place never lowers a strength, not even in relation to any other: the negative Hessian is a symmetric
M-matrix, and the difference that a changed comparison makes is its inverse times a vector that is positive
for the one bot and negative for the other (tests/platform/contest/test_ratings.py).
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from contest.ratings.counts import Pair, added

PRIOR = 2.0  # standard deviation of the strengths of bots of which nothing is known; 347 points
VERSION = 1.0  # of the difference between a version and its predecessor; 174 points
EXACT = 1e-11  # largest change of the last step of Newton's method
MOST_STEPS = 200
AS_IF = 20  # matches without ties that are added to those that show how much results vary
COLUMNS = len(Pair._fields)
LEAST_RATIO = 0.1  # a competition of nothing but draws

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


class Fit(NamedTuple):
    """Strengths in natural units (difference 1: ahead in 73 % of comparisons) and their covariances.

    `place` is the index of each bot in both.
    """

    place: dict[int, int]
    strengths: Vector
    covariance: Matrix


class _Comparisons(NamedTuple):
    """Pairs as arrays: places, the weighted score of the first, and weights for strengths and intervals."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    score: Vector
    weight: Vector
    information: Vector


def fit(
    bots: Iterable[int],
    pairs: Iterable[Pair],
    predecessors: Mapping[int, int] | None = None,
    start: Mapping[int, float] | None = None,
) -> Fit:
    """Fit the strengths of `bots`, among whom are all bots of `pairs`.

    predecessors: the former version of each bot that has one; no circles. start: strengths near the result,
    which make it faster and change no digit that is published.
    """
    return fit_table(bots, np.array(added(pairs), dtype=np.int64).reshape(-1, COLUMNS), predecessors, start)


def fit_table(
    bots: Iterable[int],
    table: NDArray[np.int64],
    predecessors: Mapping[int, int] | None = None,
    start: Mapping[int, float] | None = None,
) -> Fit:
    """The same from a table: a row for each pair, with the fields of Pair as columns; none is there twice."""
    ordered = sorted(set(bots))
    place = {bot: index for index, bot in enumerate(ordered)}
    compared = _comparisons(place, table)
    prior = _prior(place, predecessors or {})
    strengths = np.array([(start or {}).get(bot, 0.0) for bot in ordered])
    strengths = _maximize(strengths, compared, prior)
    covariance = np.linalg.inv(_curvature(strengths, compared, compared.information, prior))
    return Fit(place, strengths, np.asarray(covariance, dtype=np.float64))


def _comparisons(place: Mapping[int, int], table: NDArray[np.int64]) -> _Comparisons:
    seats, wins, ties, losses = table[:, 2], table[:, 3], table[:, 4], table[:, 5]
    number = wins + ties + losses
    weight = 3 / (seats + 1.0)
    ratios = {int(k): _variance_ratio(int(k), table[seats == k]) for k in np.unique(seats)}
    ratio = np.array([ratios[k] for k in seats.tolist()])
    return _Comparisons(
        first=np.array([place[bot] for bot in table[:, 0].tolist()], dtype=np.intp),
        second=np.array([place[bot] for bot in table[:, 1].tolist()], dtype=np.intp),
        score=weight * (wins + ties / 2),
        weight=weight * number,
        information=number / ratio if len(table) else weight,
    )


def _variance_ratio(seats: int, table: NDArray[np.int64]) -> float:
    """How much the results of matches of so many seats vary, in units of independent comparisons of equals.

    The ratio is (seats + 1) / 3 without ties, and is taken for that as long as there are few matches.
    """
    comparisons = seats * (seats - 1)
    matches = int(table[:, 3:6].sum()) / (comparisons / 2)
    spread = int(table[:, 6].sum()) / (comparisons / 2)
    seen = spread + AS_IF * comparisons * (seats + 1) / 3
    return max(LEAST_RATIO, seen / ((matches + AS_IF) * comparisons))


def _prior(place: Mapping[int, int], predecessors: Mapping[int, int]) -> Matrix:
    """The precision matrix of the prior, whose mean is zero."""
    precision = np.zeros((len(place), len(place)))
    for bot, index in place.items():
        before = place.get(predecessors.get(bot, bot), index)
        if before == index:
            precision[index, index] += PRIOR**-2
        else:
            precision[[index, before], [index, before]] += VERSION**-2
            precision[[index, before], [before, index]] -= VERSION**-2
    return precision


def _maximize(strengths: Vector, compared: _Comparisons, prior: Matrix) -> Vector:
    """Newton's method; a step that does not raise the likelihood is halved."""
    height = _height(strengths, compared, prior)
    for _ in range(MOST_STEPS if len(strengths) else 0):
        slope = _slope(strengths, compared, prior)
        step = np.linalg.solve(_curvature(strengths, compared, compared.weight, prior), slope)
        size = float(np.abs(step).max())
        if size < EXACT:
            return strengths + step
        if size > 1e-3:  # nearer to the maximum the heights differ by less than their rounding errors
            while (raised := _height(strengths + step, compared, prior)) < height:
                step = step / 2
            height = raised
        strengths = strengths + step
    return strengths


def _height(strengths: Vector, compared: _Comparisons, prior: Matrix) -> float:
    ahead = strengths[compared.first] - strengths[compared.second]
    likelihood = compared.score * ahead - compared.weight * np.logaddexp(0.0, ahead)
    return float(likelihood.sum() - strengths @ prior @ strengths / 2)


def _slope(strengths: Vector, compared: _Comparisons, prior: Matrix) -> Vector:
    excess = compared.score - compared.weight * _expected(strengths, compared)
    count = len(strengths)
    gained = np.bincount(compared.first, excess, count) - np.bincount(compared.second, excess, count)
    return gained - prior @ strengths


def _curvature(strengths: Vector, compared: _Comparisons, weight: Vector, prior: Matrix) -> Matrix:
    """The negative Hessian."""
    expected = _expected(strengths, compared)
    information = weight * expected * (1 - expected)
    matrix = prior.copy()
    for one, other in ((compared.first, compared.second), (compared.second, compared.first)):
        np.add.at(matrix, (one, one), information)
        np.add.at(matrix, (one, other), -information)
    return matrix


def _expected(strengths: Vector, compared: _Comparisons) -> Vector:
    """The probability that the first is ahead, without overflow."""
    ahead = strengths[compared.first] - strengths[compared.second]
    return np.asarray((1 + np.tanh(ahead / 2)) / 2)
