"""The score of a bot in a challenge, with its interval."""

import random

import pytest

from agon.statistics.score import score


def test_without_results_there_is_no_score():
    assert score(0, 0) is None


def test_eight_of_ten_has_the_interval_of_the_textbooks():
    """E. B. Wilson, 1927; Agresti and Coull, The American Statistician 52, 1998."""
    interval = score(8, 10)
    assert interval.value == 0.8
    assert (round(interval.low, 3), round(interval.high, 3)) == (0.490, 0.943)


@pytest.mark.parametrize(("total", "low", "high"), [(0, 0, 0.161), (20, 0.839, 1)])
def test_equal_results_still_leave_a_range(total, low, high):
    interval = score(total, 20)
    assert (round(interval.low, 3), round(interval.high, 3)) == (low, high)


@pytest.mark.parametrize("chances", [(0.5, 0.0), (0.2, 0.0), (0.4, 0.3), (0.05, 0.9)])
def test_the_interval_holds_the_truth_in_95_of_100_challenges(chances):
    """chances: to win, to draw. Draws make it hold the truth more often."""
    draw = random.Random(1)
    won, drawn = chances
    held = 0
    for _ in range(4000):
        results = draw.choices([1, 0.5, 0], [won, drawn, 1 - won - drawn], k=20)
        interval = score(sum(results), 20)
        held += interval.low <= won + drawn / 2 <= interval.high
    assert held / 4000 > 0.94
