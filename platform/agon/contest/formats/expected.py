"""How many matches a knock-out is likely to have, for estimates; the most that it may have are far more."""

from collections.abc import Sequence
from fractions import Fraction

from agon.contest.formats.base import Plan

GUESS_WEIGHS = 2  # like so many pairings that were played


def likely_matches(
    plan: Plan, over: Sequence[int], begun: Sequence[int], pairings: Fraction | int
) -> Fraction:
    """The likely number of matches. over, begun: of each pairing or table so far. pairings: of all.

    A pairing that is not over is likely to have the mean of those that are. Before any is, the guess is
    halfway between the fewest and the most matches of a pairing that does not stay equal. At a table, where
    two are seldom far apart and often equal, it is one more than the most.
    """
    best_of = plan.number("best_of")
    guess = Fraction(best_of // 2 + 1 + best_of, 2) if plan.seats == 2 else Fraction(best_of + 1)
    mean = (sum(over) + GUESS_WEIGHS * guess) / (len(over) + GUESS_WEIGHS)
    left = max(Fraction(0), pairings - len(over) - Fraction(len(begun)))
    return sum(over) + sum((max(mean, Fraction(played + 1)) for played in begun), Fraction(0)) + left * mean
