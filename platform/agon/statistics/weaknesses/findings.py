"""Finds what costs a bot most, and leaves out what chance may explain.

- Residuals: a bot should lose against stronger ones. So each comparison has a residual: the share that the
  bot got, less the share expected from ratings and its seat. A group of comparisons is a weakness if its mean
  residual is below that of all other comparisons. So neither a rating that is wrong as a whole, nor a
  weakness elsewhere that lowered the rating, is taken for a weakness.
- Variance: comparisons within one match of k seats are correlated by 1/3 (agon.statistics.ratings.fit); a
  comparison with expectation p has variance p (1 - p). Both are multiplied by a ratio that the bot's own
  results show, which is below 1 if there are ties. The rating of an opponent is uncertain, too: its standard
  error is added for a group that is one opponent.
- Many groups are tested, and the worst of many looks bad by chance. So a group is named only if it is
  significant at LEVEL divided by the number of groups (Bonferroni), one-sided, with a continuity correction
  of half a comparison; the intervals are corrected in the same way. benchmarks/weakness_simulations.py
  measures how often a weakness is named for a bot that has none.
- Order: the first one is the one that costs most, in shares of all comparisons that the bot would gain if it
  were as good in the group as elsewhere. Its comparisons are removed, and the rest is tested again, since one
  weakness makes groups that share its matches look bad. A strength does the same to all that is not part of
  it: if a strength is more significant than every weakness, it is removed first, and not named.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agon.statistics.ratings.scale import POINTS
from agon.statistics.weaknesses.groups import Group, Kind, Mask, groups
from agon.statistics.weaknesses.outcomes import Outcome

LEVEL = 0.05  # probability that any group of a bot without a weakness is named first
LEAST_MATCHES = 8  # matches in a group, and outside of it
CLEARER = 1.1  # times as clear a strength must be as any weakness, to be what explains these
LARGEST = 0.6  # of the comparisons: where a group is most of them, the others show a strength
MOST_FINDINGS = 5  # weaknesses that are named
AS_IF = 20  # matches of the model's variance that are added to those that show the ratio
LEAST_RATIO = 0.1
CORRELATION = 1 / 3  # of two comparisons in one match


class Finding(NamedTuple):
    """One weakness. matches: those of the group. share: what the bot got in them, of 1. level: what it would
    get there, were it as good as elsewhere. low, high: the interval of `share - level`, corrected for the
    number of groups. cost: shares of all comparisons; points: the rating that this is worth.
    """

    kind: Kind
    value: int | str
    matches: int
    share: float
    level: float
    low: float
    high: float
    cost: float
    points: float


class _Table:
    """All comparisons as arrays, in the order of the matches."""

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        every = [each for outcome in outcomes for each in outcome.comparisons]
        self.match = np.repeat(np.arange(len(outcomes)), [len(each.comparisons) for each in outcomes])
        self.share = np.array([each.share for each in every])
        self.residual = self.share - np.array([each.expected for each in every])
        self.spread = np.array([each.expected * (1 - each.expected) for each in every])

    def by_match(self, chosen: Mask, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(self.match[chosen], values[chosen]).astype(np.float64)

    def variances(self, chosen: Mask) -> NDArray[np.float64]:
        """The model's variance of the sum of each match's chosen comparisons."""
        counts = np.bincount(self.match[chosen])
        return self.by_match(chosen, self.spread) * (1 + np.maximum(counts - 1, 0) * CORRELATION)

    def variance_ratio(self, chosen: Mask) -> float:
        """How much residuals vary, in units of the model."""
        residual = self.residual - self.residual[chosen].mean()
        seen, model = float((self.by_match(chosen, residual) ** 2).sum()), float(self.variances(chosen).sum())
        as_if = AS_IF * model / np.count_nonzero(np.bincount(self.match[chosen]))
        return max(LEAST_RATIO, (seen + as_if) / (model + as_if))


class _Part(NamedTuple):
    """Some comparisons: how many, of how many matches, and means; variance: of `residual`, in the model."""

    size: int
    matches: int
    share: float
    residual: float
    variance: float
    spread: float

    @classmethod
    def of(cls, table: _Table, chosen: Mask) -> _Part:
        size = int(chosen.sum())
        if not size:
            return cls(0, 0, 0.0, 0.0, 0.0, 0.0)
        return cls(
            size=size,
            matches=int(np.count_nonzero(np.bincount(table.match[chosen]))),
            share=float(table.share[chosen].mean()),
            residual=float(table.residual[chosen].mean()),
            variance=float(table.variances(chosen).sum()) / size**2,
            spread=float(table.spread[chosen].mean()),
        )


def findings(outcomes: Sequence[Outcome], errors: Mapping[int, float] | None = None) -> list[Finding]:
    """The weaknesses, the one that costs most first; none if chance explains all.

    errors: the standard errors of opponents' ratings, in points.
    """
    table = _Table(outcomes)
    left: Mask = np.ones(len(table.match), dtype=np.bool_)
    every = groups(outcomes)
    found: list[Finding] = []
    while len(found) < MOST_FINDINGS:
        looked_at = _looked_at(table, every, left, errors or {})
        weaknesses = [each for each in looked_at if each.finding.high < 0]
        strengths = [each for each in looked_at if each.finding.low > 0]
        if not weaknesses:
            break
        worst = max(weaknesses, key=lambda each: each.finding.cost)
        best = max(strengths, key=lambda each: each.errors, default=worst)
        if best.errors > CLEARER * max(each.errors for each in weaknesses):
            left = left & ~best.group.mask
        else:
            found.append(worst.finding)
            left = left & ~worst.group.mask
    return found


class _LookedAt(NamedTuple):
    """A group. errors: how many standard errors it is away from all others."""

    group: Group
    finding: Finding
    errors: float


def _looked_at(
    table: _Table, every: Sequence[Group], left: Mask, errors: Mapping[int, float]
) -> list[_LookedAt]:
    """All groups of the comparisons that are left, but those that are too small or too large."""
    candidates = []
    for group in every:
        inside, outside = _Part.of(table, left & group.mask), _Part.of(table, left & ~group.mask)
        is_part = inside.size <= LARGEST * (inside.size + outside.size)
        if is_part and min(inside.matches, outside.matches) >= LEAST_MATCHES:
            candidates.append((group, inside, outside))
    if not candidates:
        return []
    ratio = table.variance_ratio(left)
    width = NormalDist().inv_cdf(1 - LEVEL / len(candidates))
    found = []
    for group, inside, outside in candidates:
        error = errors.get(int(group.value), 0.0) if group.kind == Kind.OPPONENT else 0.0
        deviation = math.sqrt(
            ratio * (inside.variance + outside.variance) + (inside.spread / POINTS * error) ** 2
        )
        half = width * deviation + 0.5 / inside.size
        finding = _finding(group, inside, outside, half, len(table.match))
        found.append(_LookedAt(group, finding, abs(inside.residual - outside.residual) / deviation))
    return found


def _finding(group: Group, inside: _Part, outside: _Part, half: float, comparisons: int) -> Finding:
    below = inside.residual - outside.residual
    cost = -below * inside.size / comparisons
    spread = (inside.spread * inside.size + outside.spread * outside.size) / (inside.size + outside.size)
    return Finding(
        kind=group.kind,
        value=group.value,
        matches=inside.matches,
        share=inside.share,
        level=min(max(inside.share - below, 0.0), 1.0),
        low=below - half,
        high=below + half,
        cost=cost,
        points=cost / spread * POINTS,
    )
