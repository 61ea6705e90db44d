"""The exact scores."""

from collections.abc import Sequence
from fractions import Fraction

from agon.contest.points.base import PointsRule, Result
from games.core.story import mark


def _points(result: Result) -> Sequence[Fraction]:
    return result.scores


RULE = PointsRule("score", mark("the sum of the scores of all matches"), _points)
