"""How far the results in a part of the matches are below those elsewhere, and how sure that is.

- Residuals: a bot should lose against stronger ones. So each comparison has a residual: the share that the
  bot got, less the share expected from ratings and its seat. The difference of a part is its mean residual,
  less that of all other comparisons. So neither a rating that is wrong as a whole, nor a weakness elsewhere
  that lowered the rating, is taken for a weakness.
- Variance: a comparison with expectation p has variance p (1 - p), less a quarter of the share of ties
  against that opponent; AS_IF comparisons without a tie are added. Each opponent has its own share of ties,
  so exact ties with a copy say nothing about the results against others; nor do they against the copy, from
  which nothing but ties is expected. Comparisons within one match are correlated by 1/3
  (agon.statistics.ratings.fit).
- Repeats: deterministic bots in the same seats play the same match again, which is no further evidence. A
  repeat is a set of matches of the same bots with the same results, whatever the seats, or else of the same
  bots in the same seats. How alike matches of a repeat are is seen outside of the part: it is the share of
  constant ones among those line-ups that would seldom be constant by chance, and 1 where there are
  many, or where there is no such line-up. What is alike has the most variance that there is: one result
  of an unlikely kind is nothing to build on. As far as they are alike, the matches of a repeat count together
  as one does: else the one result against a deterministic opponent would weigh as much as many, and hide what
  the others show. Where a repeat is in the part and outside of it, its one result moves both alike, as exact
  ties with a copy do.
- The rating of an opponent is uncertain: its standard error is added for a part that is one opponent.
- The interval is corrected for the number of parts that are tested (Bonferroni), and for continuity by half a
  comparison.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agon.statistics.ratings.scale import POINTS
from agon.statistics.weaknesses.groups import Mask
from agon.statistics.weaknesses.outcomes import Floats, Ints, Outcome

AS_IF = 4  # comparisons without a tie, added to those against each opponent
LEAST_VARIANCE = 0.1  # of a comparison, as a part of p (1 - p)
MOST_VARIANCE = 1 / 4  # of a comparison, whatever p is
CORRELATION = 1 / 3  # of two comparisons in one match
TELLING = 0.1  # the chance of a line-up to be constant, at which it shows whether bots are deterministic
MANY = 0.15  # of these line-ups, where it is no longer chance or a copy or two that makes them constant


class PartBeside(NamedTuple):
    """A part beside all else. matches, size, share: of the part; comparisons are what `size` counts, `share`
    is what the bot got, from 0 to 1. others: the matches elsewhere; without any, there is no difference.

    difference: the mean residual of the part, less that of the rest. error: its standard error; low, high:
    its interval. spread: the mean p (1 - p) of all comparisons.
    """

    matches: int
    others: int
    size: int
    share: float
    difference: float
    error: float
    low: float
    high: float
    spread: float


class _Side(NamedTuple):
    """The part, or all else. weight: of its comparisons. mean: of their residuals.

    variances: by line-up, what it adds to the variance of `mean` if its matches are independent. deviations:
    by line-up, by how much one result that all its matches share moves `mean`.
    """

    matches: int
    weight: float
    mean: float
    variances: Floats
    deviations: Floats


class Evidence:
    """The comparisons of all matches as arrays, in the order of the matches."""

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        every = [comparison for outcome in outcomes for comparison in outcome.comparisons]
        bots = np.array([paired_comparison.opponent for paired_comparison in every], dtype=np.int64)
        opponents = np.unique(bots, return_inverse=True)[1]
        expected = np.array([paired_comparison.expected for paired_comparison in every], dtype=np.float64)
        self.match = np.repeat(np.arange(len(outcomes)), [len(outcome.comparisons) for outcome in outcomes])
        self.share = np.array([paired_comparison.share for paired_comparison in every], dtype=np.float64)
        self.spread = expected * (1 - expected)
        tied = self.share == 0.5
        ties, met = np.bincount(opponents, tied), np.bincount(opponents)
        copy = (ties == met)[opponents]  # whatever the seat and the ratings
        self.residual = np.where(copy, 0.0, self.share - expected)
        tie = (ties / (met + AS_IF))[opponents]
        self.variance = np.maximum(self.spread - tie / 4, LEAST_VARIANCE * self.spread)
        self.unit_of_match, self.constant = _units(outcomes)
        self.unit = self.unit_of_match[self.match]
        tie = (ties / met)[opponents]  # 1 against a copy, whose matches show nothing
        likeliest = np.maximum(np.maximum(expected, 1 - expected) - tie / 2, tie)
        self.informative = self._informative(likeliest)

    def difference(self, part: Mask, left: Mask, width: float, rating_error: float = 0.0) -> PartBeside:
        """The part beside the other comparisons that are left. width: of the interval, in standard errors.

        rating_error: of the opponent that the part is, in points.
        """
        chosen, others = np.flatnonzero(left & part), np.flatnonzero(left & ~part)
        outside = np.bincount(self.unit[others], minlength=len(self.constant)) > 0
        alike = _alike(self.constant[outside & self.informative])
        weight = self._weights(left, alike)
        inside, rest = self._side(chosen, weight), self._side(others, weight)
        below = inside.mean - rest.mean if len(others) else 0.0
        apart = inside.variances + rest.variances
        together = (inside.deviations - rest.deviations) ** 2
        variance = np.where(self.constant, (1 - alike) * apart + alike * together, apart).sum()
        moved = float(self.spread[chosen].mean()) / POINTS * rating_error
        error = math.sqrt(float(variance) + moved**2)
        half = width * error + 0.5 / inside.weight
        return PartBeside(
            matches=inside.matches,
            others=rest.matches,
            size=len(chosen),
            share=float(self.share[chosen].mean()),
            difference=below,
            error=error,
            low=max(below - half, -1.0),
            high=min(below + half, 1.0),
            spread=float(self.spread[left].mean()),
        )

    def matches(self, chosen: Mask) -> int:
        """How many matches these comparisons are of."""
        return int(np.count_nonzero(np.bincount(self.match[chosen])))

    def _weights(self, left: Mask, alike: float) -> Floats:
        """By comparison, how much it counts: matches of a repeat count together as one does."""
        repeats = np.maximum(np.bincount(self.unit[left], minlength=len(self.constant)), 1)
        weights = np.where(self.constant, (1 - alike) + alike / repeats, 1.0)
        return weights[self.unit].astype(np.float64)

    def _side(self, chosen: Ints, weight: Floats) -> _Side:
        """The comparisons with these numbers. weight: of all."""
        match, weight = self.match[chosen], weight[chosen]
        whole = max(1e-9, float(weight.sum()))
        counts = np.bincount(match)
        more = 1 + np.maximum(counts - 1, 0) * CORRELATION  # what its correlated comparisons add to a match
        variances = np.bincount(match, self.variance[chosen] * weight**2) * more
        deviations = np.bincount(match, weight) * np.sqrt(MOST_VARIANCE * more / np.maximum(counts, 1))
        return _Side(
            matches=int(np.count_nonzero(counts)),
            weight=whole,
            mean=float(self.residual[chosen] @ weight) / whole,
            variances=self._by_unit(variances) / whole**2,
            deviations=self._by_unit(deviations) / whole,
        )

    def _by_unit(self, by_match: NDArray[Any]) -> Floats:
        sums = np.bincount(self.unit_of_match[: len(by_match)], by_match, len(self.constant))
        return sums.astype(np.float64)

    def _informative(self, likeliest: Floats) -> Mask:
        """By line-up, whether its matches would seldom have the same result by chance."""
        by_match = np.bincount(self.match, np.log(likeliest))
        counts = np.bincount(self.unit_of_match)
        sums = np.bincount(self.unit_of_match, by_match)
        chances: Mask = sums * (counts - 1) / counts <= math.log(TELLING)
        return chances


def _alike(constant: Mask) -> float:
    """How alike matches of a repeat are. constant: of the line-ups that can show it, which are."""
    share = float(constant.mean()) if len(constant) else 1.0
    return 1.0 if share > MANY else share


def _units(outcomes: Sequence[Outcome]) -> tuple[NDArray[np.int64], Mask]:
    """By match, the number of its line-up; by line-up, whether all its matches had the same result."""
    results: dict[object, set[object]] = {}
    keys = []
    for outcome in outcomes:
        bots = tuple(sorted((comparison.opponent, comparison.share) for comparison in outcome.comparisons))
        seated = tuple((comparison.opponent, comparison.share) for comparison in outcome.comparisons)
        anywhere = tuple(bot for bot, _ in bots)
        here = (outcome.seat, tuple(bot for bot, _ in seated))
        results.setdefault(anywhere, set()).add(bots)
        results.setdefault(here, set()).add(seated)
        keys.append((anywhere, here))
    lineups = [anywhere if len(results[anywhere]) == 1 else here for anywhere, here in keys]
    numbers = {lineup: number for number, lineup in enumerate(dict.fromkeys(lineups))}
    of_match = np.array([numbers[lineup] for lineup in lineups], dtype=np.int64)
    constant = np.array([len(results[lineup]) == 1 for lineup in numbers], dtype=np.bool_)
    return of_match, constant
