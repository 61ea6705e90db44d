"""How much better a version is, after a test that stopped when it looked convincing.

The plain mean is biased then: a comparison that ends early does so because of a large mean. So the estimate
counts what else could have happened. For any true difference d, `at_least` is the probability that the
comparison ends, at whichever look, with a mean as large as the observed one or larger (the ordering by means
of Emerson and Fleming 1990). It grows with d:

    0.5  at the estimate, which is median-unbiased: too large as often as too small
    0.02 at the lower, 0.98 at the upper end of the interval, called a 95 % interval for what is approximate

Both follow from the bounds of the test, look by look: the sum of the differences that is still between them
is a density on a grid, which each step convolves with a normal one (Armitage, McPherson and Rowe 1969). The
variance is taken as known: it is that of the last look.

The interval agrees with the verdict: after "better" it is above zero, after "worse" below, since means beyond
the observed one end with the same verdict, and after "no difference" within -least and least.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from agon.statistics.compare.sequential import NOMINAL, ComparisonPlan, CycleTally, bounds
from agon.statistics.score import Estimate

_CELLS = 4  # of the grid, for a standard deviation of a step
_REACH = 6  # standard deviations of a step
_NOTHING = 1e-10
_HALVINGS = 14
_Array = NDArray[np.float64]


def estimate(plan: ComparisonPlan, tally: CycleTally) -> Estimate:
    """The true mean difference, if a comparison ended with this tally: median-unbiased."""
    deviation = math.sqrt(tally.variance / tally.cycles)

    def solve(probability: float) -> float:
        return _solve(lambda d: at_least(plan, tally, d) - probability, tally.mean, deviation)

    return Estimate(solve(0.5), solve(NOMINAL), solve(1 - NOMINAL))


def _solve(function: Callable[[float], float], near: float, step: float) -> float:
    """The zero of an increasing function between -1 and 1, by bisection, beginning near `near`."""
    low = high = near
    while low > -1 and function(low) > 0:
        low, high, step = max(-1.0, low - step), low, 2 * step
    while high < 1 and function(high) < 0:
        low, high, step = high, min(1.0, high + step), 2 * step
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return (low + high) / 2


def at_least(plan: ComparisonPlan, tally: CycleTally, drift: float) -> float:
    """P(the comparison ends with this mean or a larger one), if `drift` is the true mean difference."""
    looks = _looks(plan, tally)
    steps = [later - earlier for earlier, later in zip([0, *looks], looks, strict=False)]
    cell = math.sqrt(tally.variance * min(steps)) / _CELLS
    density, first = np.ones(1), 0
    result = 0.0
    for look, step in zip(looks[:-1], steps[:-1], strict=True):
        density, first = _convolved(density, first, step, drift, tally.variance, cell)
        inner, outer = bounds(plan, look, tally.variance)
        inner, cut = max(inner, 0.0), tally.mean * look
        above = _Above(first, len(density), cell)
        better = above(max(outer, cut))
        neither = above(max(-inner, cut)) - above(max(inner, cut))
        worse = above(cut) - above(max(-outer, cut))
        result += float(density @ (better + neither + worse))
        density = density * (above(-outer) - above(-inner) + above(inner) - above(outer))
        kept = np.flatnonzero(density > _NOTHING)
        if not len(kept):
            return result
        density, first = density[kept[0] : kept[-1] + 1], first + int(kept[0])
    density, first = _convolved(density, first, steps[-1], drift, tally.variance, cell)
    return result + float(density @ _Above(first, len(density), cell)(tally.mean * looks[-1]))


def _looks(plan: ComparisonPlan, tally: CycleTally) -> list[int]:
    """The looks at which this comparison could have ended.

    Because of void cycles it may have missed the last.
    """
    if tally.cycles in plan.looks:
        return list(plan.looks)
    return [*(look for look in plan.looks if look < tally.cycles), tally.cycles]


class _Above:
    """The part of each cell of a grid that is above a bound. Cell i has its center at (first + i) * cell."""

    def __init__(self, first: int, count: int, cell: float) -> None:
        self._tops = (first + np.arange(count) + 0.5) * cell
        self._cell = cell

    def __call__(self, bound: float) -> _Array:
        return np.clip((self._tops - bound) / self._cell, 0.0, 1.0)


def _convolved(
    density: _Array, first: int, step: int, drift: float, variance: float, cell: float
) -> tuple[_Array, int]:
    """The density after `step` more cycles, and the number of its first cell."""
    kernel, offset = _normal(step * drift / cell, math.sqrt(variance * step) / cell)
    return np.convolve(density, kernel), first + offset


def _normal(mean: float, deviation: float) -> tuple[_Array, int]:
    """A normal distribution on whole numbers: probabilities, and the number of the first."""
    first = math.floor(mean - _REACH * deviation)
    places = np.arange(first, math.ceil(mean + _REACH * deviation) + 1)
    weights = np.exp(-0.5 * ((places - mean) / deviation) ** 2)
    return weights / weights.sum(), first
