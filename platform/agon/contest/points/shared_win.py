"""1 point for every first place, shared or not."""

from fractions import Fraction

from agon.contest.points.base import PointsRule, Result
from games.core.story import mark


def _points(result: Result) -> list[Fraction]:
    return [Fraction(rank == 1) for rank in result.ranks]


RULE = PointsRule("shared_win", mark("1 point for a win, shared or not"), _points)
