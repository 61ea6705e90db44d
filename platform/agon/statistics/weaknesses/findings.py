"""Finds what costs a bot most, and leaves out what chance may explain.

- A group of comparisons is a weakness if the interval of its difference from all others
  (agon.statistics.weaknesses.evidence) is below zero. It is the interval that the tables show, so no weakness
  is named that its table denies. benchmarks/weakness_simulations.py measures how often a weakness is named
  for a bot that has none.
- Order: the first one is the one that costs most, in shares of all comparisons that the bot would gain if it
  were as good in the group as elsewhere. Its comparisons are removed, and the rest is tested again, since one
  weakness makes groups that share its matches look bad: a group is named only if it is a weakness of the
  rest, too. A strength does the same to all that is not part of it: if a strength is more significant than
  every weakness, it is removed first, and not named.
"""

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from agon.statistics.ratings.scale import POINTS
from agon.statistics.weaknesses.evidence import Evidence, PartBeside
from agon.statistics.weaknesses.groups import Group, Kind, Mask, groups
from agon.statistics.weaknesses.outcomes import Outcome

LEVEL = 0.03  # probability that any group is named first without a weakness, were variances known
LEAST_MATCHES = 8  # matches in a group, and outside of it
CLEARER = 1.1  # times as clear a strength must be as any weakness, to be what explains these
LARGEST = 0.6  # of the comparisons: where a group is most of them, the others show a strength
MOST_FINDINGS = 5  # weaknesses that are named


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


class Parts:
    """The groups of a bot's matches, and the difference of each from all else.

    errors: the standard errors of opponents' ratings, in points. bounds: the most steps of all parts by
    length but the last.
    """

    def __init__(
        self, outcomes: Sequence[Outcome], bounds: Sequence[int], errors: Mapping[int, float]
    ) -> None:
        self.outcomes, self.bounds, self.errors = outcomes, bounds, errors
        self.evidence = Evidence(outcomes)
        self.all: Mask = np.ones(len(self.evidence.match), dtype=np.bool_)
        self.groups = [group for group in groups(outcomes, bounds) if self._can_be_tested(group, self.all)]
        self.width = NormalDist().inv_cdf(1 - LEVEL / max(1, len(self.groups)))
        self._known: dict[tuple[bytes, float], PartBeside] = {}

    def difference(self, group: Group) -> PartBeside:
        """From all other comparisons. Findings and tables need the same ones, so each is computed once."""
        error = self._error(group)
        key = (group.mask.tobytes(), error)
        if key not in self._known:
            self._known[key] = self.evidence.difference(group.mask, self.all, self.width, error)
        return self._known[key]

    def tested(self, left: Mask) -> list[tuple[Group, PartBeside]]:
        """The groups of the comparisons that are left, but those that are too small or too large."""
        if left is self.all:
            return [(group, self.difference(group)) for group in self.groups]
        return [
            (group, self.evidence.difference(group.mask, left, self.width, self._error(group)))
            for group in self.groups
            if self._can_be_tested(group, left)
        ]

    def _error(self, group: Group) -> float:
        return self.errors.get(int(group.value), 0.0) if group.kind == Kind.OPPONENT else 0.0

    def _can_be_tested(self, group: Group, left: Mask) -> bool:
        inside = left & group.mask
        if inside.sum() > LARGEST * left.sum():
            return False
        return all(self.evidence.matches(side) >= LEAST_MATCHES for side in (inside, left & ~group.mask))


def findings(parts: Parts) -> list[Finding]:
    """The weaknesses, the one that costs most first; none if chance explains all."""
    whole = {id(group): difference for group, difference in parts.tested(parts.all)}
    left = parts.all
    named: list[Finding] = []
    while len(named) < MOST_FINDINGS:
        tested = parts.tested(left)
        weaknesses = [
            (group, difference)
            for group, difference in tested
            if difference.high < 0 and whole[id(group)].high < 0
        ]
        strengths = [(group, difference) for group, difference in tested if difference.low > 0]
        if not weaknesses:
            break
        worst, _ = max(weaknesses, key=lambda weakness: -weakness[1].difference * weakness[1].size)
        best, strength = max(strengths, key=lambda candidate: _clearness(candidate[1]), default=(worst, None))
        clearest = max(_clearness(difference) for _, difference in weaknesses)
        if strength is not None and _clearness(strength) > CLEARER * clearest:
            left = left & ~best.mask
        else:
            named.append(_finding(worst, whole[id(worst)], len(parts.all)))
            left = left & ~worst.mask
    return named


def _clearness(part: PartBeside) -> float:
    """How many standard errors it is away from all others."""
    return abs(part.difference) / part.error


def _finding(group: Group, part: PartBeside, comparisons: int) -> Finding:
    cost = -part.difference * part.size / comparisons
    return Finding(
        kind=group.kind,
        value=group.value,
        matches=part.matches,
        share=part.share,
        level=min(max(part.share - part.difference, 0.0), 1.0),
        low=part.low,
        high=part.high,
        cost=cost,
        points=cost / part.spread * POINTS,
    )
