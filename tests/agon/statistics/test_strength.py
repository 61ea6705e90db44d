"""Strengths with intervals, and who won how much against whom."""

import random
from fractions import Fraction

import pytest

from agon.contest.points import POINTS, Result
from agon.contest.tally import tally_of
from agon.statistics import strength


def match(*ranked):
    """A match in this order, without ties."""
    return Result(ranked, (Fraction(0),) * len(ranked), tuple(range(1, len(ranked) + 1)))


def head_to_head(entrants, results):
    return strength.head_to_head(entrants, tally_of(results, POINTS["win"]).played)


def strengths(entrants, results, order):
    return strength.strengths(entrants, tally_of(results, POINTS["win"]).played, order)


def test_each_is_compared_with_each_and_a_tie_is_half():
    results = [match(0, 1), match(1, 0), Result((0, 2), (Fraction(0),) * 2, (1, 1)), match(0, 1, 2)]
    cells = head_to_head(3, results)
    assert cells[0][1] == (3, Fraction(2, 3))
    assert cells[0][2] == (2, Fraction(3, 4))
    assert cells[2][1] == (1, 0)
    assert all(cells[e][e].matches == 0 for e in range(3))
    assert all(cells[a][b].share + cells[b][a].share == 1 for a, b in [(0, 1), (0, 2), (1, 2)])


def test_a_winner_of_everything_is_separated_and_equals_are_not():
    sure = strengths(
        3, [match(*sorted(pair)) for _ in range(20) for pair in [(0, 1), (0, 2), (1, 2)]], [0, 1, 2]
    )
    assert sure.certainty.is_separated
    assert sure.certainty.wins == 1.0
    assert sure.of[0].rating > sure.of[1].rating > sure.of[2].rating

    even = [match(a, b) for a in range(3) for b in range(3) if a != b]
    unsure = strengths(3, even * 5, [0, 1, 2])
    assert not unsure.certainty.is_separated
    assert unsure.of[0].low < 0 < unsure.of[0].high


def test_the_same_results_give_the_same_numbers():
    draw = random.Random(1)
    results = [match(*draw.sample(range(4), 2)) for _ in range(60)]
    assert strengths(4, results, [0, 1, 2, 3]) == strengths(4, results, [0, 1, 2, 3])


@pytest.mark.exhaustive
def test_the_interval_covers_the_true_difference_of_equals():
    """30 contests of two equal bots with 50 matches each: 28 or 29 expected."""
    covered = 0
    for seed in range(30):
        draw = random.Random(seed)
        results = [match(*draw.sample(range(2), 2)) for _ in range(50)]
        difference = strengths(2, results, [0, 1]).certainty.difference
        covered += difference.low <= 0 <= difference.high
    assert covered >= 25


@pytest.mark.parametrize("entrants", [0, 1])
def test_without_matches_there_is_nothing_to_be_sure_of(entrants):
    assert strengths(entrants, [], list(range(entrants))).certainty is None


def test_two_that_are_level_share_the_first_place_of_each_resample():
    """Deterministic bots have the same results in each resample: neither is the strongest in all of them."""
    level = [Result((0, 1), (Fraction(0),) * 2, (1, 1))] * 20
    beaten = [match(entrant, 2) for entrant in (0, 1)] * 20
    fitted = strengths(3, level + beaten, [0, 1, 2])
    assert not fitted.certainty.is_separated
    assert 0.3 < fitted.certainty.wins < 0.7


def test_who_is_out_wins_no_resample_from_the_winner():
    """Its few matches still count for its opponents, where later pairings followed from them."""
    clear = [match(0, 1)] * 60 + [match(1, 0)] * 30
    left = [match(2, 0), match(2, 1)]
    assert strengths(3, clear + left, [0, 1, 2]).certainty.wins < 0.2
    assert strengths(3, clear + left, [0, 1]).certainty.wins > 0.95
