"""1 point for a sole first place: players who share it draw."""

from fractions import Fraction

from agon.contest.points.base import PointsRule, Result
from games.core.story import mark


def _points(result: Result) -> list[Fraction]:
    return [Fraction(rank == 1 and result.has_one_winner) for rank in result.ranks]


RULE = PointsRule("win", mark("1 point for a win, none for a draw"), _points)
