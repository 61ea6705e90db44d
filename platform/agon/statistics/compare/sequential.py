"""When a comparison ends: a sequential test of the mean difference of cycles
(agon.statistics.compare.cycles).

Two generalized sequential probability ratio tests run side by side, as Sobel and Wald combine them: "no
difference" against "NEW is better by `least`", and against "worse by `least`". The logarithm of a likelihood
ratio is that of normally distributed means, with the variance measured so far, as in fishtest's GSPRT:

    LLR = n * least / v * (mean - least / 2)            (worse: with -mean)

- better: the first LLR reaches LIMIT. worse: the second does.
- no difference larger than `least`: both are at -LIMIT or below.
- undecided: the last look has come, and none of these is true.

LIMIT is ln(1/0.02). By Ville's inequality, NEW is called better although it is not (mean <= 0) in 2 % of
comparisons at most, likewise worse, and a difference of `least` or more is denied in 2 % at most, however
often one looks; as far as means of cycles are normally distributed and the variance is known. To leave room
for that, 2.5 % is promised: benchmarks/compare_errors.py measures it.

v is the variance of the cycles and of two more, with the differences 1 and -1. So a few equal cycles do not
look like certainty (Agresti and Min 2005 add as much to the cells of matched pairs). Looks begin at the 16th
cycle, and are a fixed number of cycles apart: the estimate after the test (agon.statistics.compare.interval)
needs to know when there could have been an end.
"""

import math
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

NOMINAL = 0.02  # probability of each error, were there nothing approximate
CONFIDENCE = 0.95  # of the interval, which takes NOMINAL from each side
LIMIT = math.log(1 / NOMINAL)
FIRST_LOOK = 16  # cycles
_STEP = 8
_MOST_LOOKS = 64


class Verdict(StrEnum):
    """How a comparison ended."""

    BETTER = "better"
    WORSE = "worse"
    NO_DIFFERENCE = "no difference"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class ComparisonPlan:
    """least: the difference that matters, in (0, 1). cycles: at most, FIRST_LOOK or more."""

    least: Fraction
    cycles: int

    @cached_property
    def looks(self) -> tuple[int, ...]:
        """The numbers of cycles at which the comparison may end. The last step may be longer."""
        step = max(_STEP, -(-self.cycles // _MOST_LOOKS))
        return (*range(FIRST_LOOK, self.cycles - step + 1, step), self.cycles)


class CycleTally(NamedTuple):
    """What is known after some cycles: the exact sums of their differences and squared differences."""

    cycles: int = 0
    total: Fraction = Fraction()
    squares: Fraction = Fraction()

    def with_cycle(self, difference: Fraction) -> "CycleTally":
        """The tally with one more cycle. difference: from -1 to 1."""
        return CycleTally(self.cycles + 1, self.total + difference, self.squares + difference**2)

    @property
    def mean(self) -> float:
        """The mean difference of the cycles, from -1 to 1."""
        return float(self.total / self.cycles)

    @property
    def variance(self) -> float:
        """The variance of the differences and of two made-up cycles, of 1 and -1, so that it is never 0."""
        return float((self.squares + 2) / (self.cycles + 2) - (self.total / (self.cycles + 2)) ** 2)


class Bounds(NamedTuple):
    """What a sum of differences means at a look: `outer` or more is better, -`outer` or less is worse, and
    from -`inner` to `inner` there is no difference (never if `inner` is negative).
    """

    inner: float
    outer: float


def bounds(plan: ComparisonPlan, cycles: int, variance: float) -> Bounds:
    """The sums of differences at which the comparison ends after this number of cycles."""
    least = float(plan.least)
    middle, half = cycles * least / 2, LIMIT * variance / least
    return Bounds(middle - half, middle + half)


def decide(plan: ComparisonPlan, tally: CycleTally) -> Verdict | None:
    """The verdict after these cycles; None if more are to be played."""
    if tally.cycles not in plan.looks:
        return None
    inner, outer = bounds(plan, tally.cycles, tally.variance)
    total = float(tally.total)
    if total >= outer:
        return Verdict.BETTER
    if total <= -outer:
        return Verdict.WORSE
    if abs(total) <= inner:
        return Verdict.NO_DIFFERENCE
    return Verdict.UNDECIDED if tally.cycles == plan.looks[-1] else None
