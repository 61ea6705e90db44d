"""Fits the strengths of a contest's entrants to many tables of results at once, as arrays.

The model is that of fit.py, with its weak prior for each entrant, without versions and bounds. A bootstrap
fits hundreds of resamples of the same results; one after the other they take several times as long.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agon.statistics.ratings.counts import Pair
from agon.statistics.ratings.fit import MOST_STEPS, PRIOR, RISE

NEAR = 1e-6  # Newton's method doubles the exact digits: after a step this small twelve of them are exact
SURE = 1e-3  # a step this small raises the likelihood, but by less than rounding errors
AT_ONCE = 2_000_000  # numbers in an array: 16 MB

Array: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.int64]
Places: TypeAlias = NDArray[np.intp]


class _Tables(NamedTuple):
    """What pairs of entrants, first and second, did. score, weight: by table and pair, weighted."""

    first: Places
    second: Places
    score: Array
    weight: Array


def fit_each(
    entrants: int, pairs: Sequence[Sequence[Pair]], numbers: Numbers, start: Array | None = None
) -> Array:
    """The strengths in natural units by table and entrant; the mean of each table is 0.

    pairs: what each distinct result says of each pair of entrants; Pair.first and Pair.second are below
    `entrants`. numbers: by table and result, how often it occurred. start: strengths near all of these.
    """
    of_result = np.array([place for place, row in enumerate(pairs) for _ in row], dtype=np.intp)
    rows = np.array([pair for row in pairs for pair in row], dtype=np.int64).reshape(-1, len(Pair._fields))
    first, second, seats, ahead, tied, behind, _spread = rows.T
    met, of_row = np.unique(first * entrants + second, return_inverse=True)
    weights = 3 / (seats + 1.0)
    scores, weights = weights * (ahead + tied / 2), weights * (ahead + tied + behind)

    strengths = np.zeros((len(numbers), entrants))
    if start is not None:
        strengths += start
    step = max(1, AT_ONCE // max(1, len(met), entrants**2))
    for place in range(0, len(numbers) if len(met) else 0, step):
        occurred = [table[of_result] for table in numbers[place : place + step]]
        score, weight = (
            np.array([np.bincount(of_row, of_pair * times, len(met)) for times in occurred])
            for of_pair in (scores, weights)
        )
        tables = _Tables(met // entrants, met % entrants, score, weight)
        strengths[place : place + step] = _maximize(strengths[place : place + step], tables)
    return np.asarray(strengths - strengths.mean(axis=1, keepdims=True) if entrants else strengths)


def _maximize(strengths: Array, tables: _Tables) -> Array:
    """Newton's method for each table; a step that hardly raises the likelihood is halved."""
    height = _height(strengths, tables)
    for _ in range(MOST_STEPS):
        slope, curvature = _derivatives(strengths, tables)
        step = np.linalg.solve(curvature, slope[:, :, np.newaxis])[:, :, 0]
        size = np.abs(step).max(axis=1)
        if size.max() < NEAR:
            return strengths + step
        raised = _height(strengths + step, tables)
        while (low := (size > SURE) & (raised < height + RISE * (slope * step).sum(axis=1))).any():
            step[low] /= 2
            raised = _height(strengths + step, tables)
        strengths, height = strengths + step, raised
    return strengths


def _height(strengths: Array, tables: _Tables) -> Array:
    """The logarithm of the likelihood of each table."""
    ahead = strengths[:, tables.first] - strengths[:, tables.second]
    likelihood = tables.score * ahead - tables.weight * np.logaddexp(0.0, ahead)
    return np.asarray(likelihood.sum(axis=1) - (strengths**2).sum(axis=1) / PRIOR**2 / 2)


def _derivatives(strengths: Array, tables: _Tables) -> tuple[Array, Array]:
    """The slope and the negative Hessian of `_height`, by table."""
    number, entrants = strengths.shape
    first, second = tables.first, tables.second
    expected = (1 + np.tanh((strengths[:, first] - strengths[:, second]) / 2)) / 2
    gained = np.zeros((number, entrants, entrants))
    gained[:, first, second] = tables.score - tables.weight * expected
    slope = gained.sum(axis=2) - gained.sum(axis=1) - strengths / PRIOR**2
    curvature = np.zeros((number, entrants, entrants))
    curvature[:, first, second] = curvature[:, second, first] = -tables.weight * expected * (1 - expected)
    own = np.arange(entrants)
    curvature[:, own, own] = PRIOR**-2 - curvature.sum(axis=2)
    return slope, curvature
