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
- What one pair of bots and one author's bots can weigh is bounded, if their authors are given (bounds.py).
- Ties make results vary less than this: in a game in which only the first place counts the variance is 1
  times the information for any k, and two bots that always draw have no variance. The intervals use the ratio
  that the competition's matches show (`_variance_ratio`); the strengths do not, so that a better place never
  lowers one.

A better place never lowers a strength, not even in relation to any other: the negative Hessian is a symmetric
M-matrix, and the difference that a changed comparison makes is its inverse times a vector that is positive
for the one bot and negative for the other (tests/agon/statistics/test_ratings.py).
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agon.statistics.ratings import bounds
from agon.statistics.ratings.counts import Pair, added

PRIOR = 2.0  # standard deviation of the strengths of bots of which nothing is known; 347 points
VERSION = 1.0  # of the difference between a version and its predecessor; 174 points
EXACT = 1e-11  # largest change of the last step of Newton's method
MOST_STEPS = 200
AS_IF = 20  # matches without ties that are added to those that show how much results vary
COLUMNS = len(Pair._fields)
RISE = 1e-4  # the least part of the rise that a step promises
BOUNDED = 0.7  # of the information of a pair remains where its score is bounded: Huber's variance
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
    """Pairs of bots as arrays.

    first, second: places. score: the weighted score of the first. weight, information: what its comparisons
    weigh for strengths and for intervals. most: how far the score may count as above or below the expected
    one. low, high: the differences of strength between which it is no farther away.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    score: Vector
    weight: Vector
    information: Vector
    most: Vector
    low: Vector
    high: Vector


def fit(
    bots: Iterable[int],
    pairs: Iterable[Pair],
    predecessors: Mapping[int, int] | None = None,
    start: Mapping[int, float] | None = None,
    authors: Mapping[int, int] | None = None,
) -> Fit:
    """Fit the strengths of `bots`, among whom are all bots of `pairs`.

    predecessors: the former version of each bot that has one; no circles. start: strengths near the result,
    which make it faster and change no digit that is published. authors: of each bot that has one; bounds what
    each pair and each author weighs. None: no bounds.
    """
    table = np.array(added(pairs), dtype=np.int64).reshape(-1, COLUMNS)
    ordered = sorted(set(bots))
    place = {bot: index for index, bot in enumerate(ordered)}
    compared = _comparisons(place, table, authors)
    prior = _prior(place, predecessors or {})
    strengths = np.array([(start or {}).get(bot, 0.0) for bot in ordered])
    strengths = _maximize(strengths, compared, prior)
    information = np.where(_is_bounded(strengths, compared), BOUNDED, 1.0) * compared.information
    covariance = np.linalg.inv(_curvature(strengths, compared, information, prior))
    return Fit(place, strengths, np.asarray(covariance, dtype=np.float64))


def _comparisons(
    place: Mapping[int, int], table: NDArray[np.int64], authors: Mapping[int, int] | None
) -> _Comparisons:
    seats, wins, ties, losses = table[:, 2], table[:, 3], table[:, 4], table[:, 5]
    number = wins + ties + losses
    per_comparison = 3 / (seats + 1.0)
    ratios = {int(k): _variance_ratio(int(k), table[seats == k]) for k in np.unique(seats)}
    ratio = np.array([ratios[k] for k in seats.tolist()], dtype=np.float64)
    pairs, of_row = np.unique(table[:, :2], axis=0, return_inverse=True)
    of_row = of_row.reshape(-1)

    def by_pair(of_rows: Vector) -> Vector:
        return np.bincount(of_row, of_rows, len(pairs)).astype(np.float64)

    weight = by_pair(per_comparison * number)
    bound = (
        bounds.unbounded(pairs)
        if authors is None
        else bounds.bounds(pairs, weight, by_pair(per_comparison**2 * number), authors)
    )
    score, weight = bound.share * by_pair(per_comparison * (wins + ties / 2)), bound.share * weight
    return _Comparisons(
        first=np.array([place[bot] for bot in pairs[:, 0].tolist()], dtype=np.intp),
        second=np.array([place[bot] for bot in pairs[:, 1].tolist()], dtype=np.intp),
        score=score,
        weight=weight,
        information=bound.share * by_pair(number / ratio),
        most=bound.most,
        low=_log_odds((score - bound.most) / weight),
        high=_log_odds((score + bound.most) / weight),
    )


def _log_odds(probability: Vector) -> Vector:
    """Infinite at and beyond 0 and 1."""
    inside = np.clip(probability, 0.0, 1.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(inside) - np.log1p(-inside))


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
    """Newton's method; a step that hardly raises the likelihood is halved."""
    height = _height(strengths, compared, prior)
    for _ in range(MOST_STEPS if len(strengths) else 0):
        slope = _slope(strengths, compared, prior)
        weight = np.where(_is_bounded(strengths, compared), 0.0, compared.weight)
        step = np.linalg.solve(_curvature(strengths, compared, weight, prior), slope)
        size = float(np.abs(step).max())
        if size < EXACT:
            return strengths + step
        if size > 1e-3:  # nearer to the maximum the heights differ by less than their rounding errors
            while (raised := _height(strengths + step, compared, prior)) < height + RISE * (slope @ step):
                step = step / 2
            height = raised
        strengths = strengths + step
    return strengths


def _height(strengths: Vector, compared: _Comparisons, prior: Matrix) -> float:
    ahead = strengths[compared.first] - strengths[compared.second]
    inside = np.clip(ahead, compared.low, compared.high)
    likelihood = compared.score * inside - compared.weight * np.logaddexp(0.0, inside)
    beyond = np.abs(ahead - inside)
    bounded = beyond > 0
    likelihood[bounded] -= compared.most[bounded] * beyond[bounded]
    return float(likelihood.sum() - strengths @ prior @ strengths / 2)


def _slope(strengths: Vector, compared: _Comparisons, prior: Matrix) -> Vector:
    excess = compared.score - compared.weight * _expected(strengths, compared)
    excess = np.clip(excess, -compared.most, compared.most)
    count = len(strengths)
    gained = np.bincount(compared.first, excess, count) - np.bincount(compared.second, excess, count)
    return gained - prior @ strengths


def _is_bounded(strengths: Vector, compared: _Comparisons) -> NDArray[np.bool_]:
    """Whether the score of each pair is farther away from the expected one than it may count."""
    ahead = strengths[compared.first] - strengths[compared.second]
    return np.asarray((ahead < compared.low) | (ahead > compared.high))


def _curvature(strengths: Vector, compared: _Comparisons, weight: Vector, prior: Matrix) -> Matrix:
    """The negative Hessian."""
    expected = _expected(strengths, compared)
    information = weight * expected * (1 - expected)
    matrix = prior.copy()
    for rows, columns in ((compared.first, compared.second), (compared.second, compared.first)):
        np.add.at(matrix, (rows, rows), information)
        np.add.at(matrix, (rows, columns), -information)
    return matrix


def _expected(strengths: Vector, compared: _Comparisons) -> Vector:
    """The probability that the first is ahead, without overflow."""
    ahead = strengths[compared.first] - strengths[compared.second]
    return np.asarray((1 + np.tanh(ahead / 2)) / 2)
