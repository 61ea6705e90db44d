"""A points rule from outside the project."""

from fractions import Fraction

from agon.contest.points.base import PointsRule, Result


def points(result: Result) -> list[Fraction]:
    return [Fraction(2 * (rank == 1)) for rank in result.ranks]


RULE = PointsRule("double_win", "2 points for a first place", points)
