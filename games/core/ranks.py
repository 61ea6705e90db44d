"""Ranks from exact scores."""

from collections.abc import Sequence
from fractions import Fraction


def ranks(scores: Sequence[int | Fraction]) -> tuple[int, ...]:
    """The rank of each seat: 1 is best, ties share the better rank and use up the next ones (1, 1, 3)."""
    best_first = sorted(scores, reverse=True)
    return tuple(best_first.index(score) + 1 for score in scores)
