"""How long is left, as a range: it holds as often as it says, and says nothing without results."""

import random

import pytest

from agon.statistics.remaining import LEAST, remaining


@pytest.mark.parametrize(("done", "left"), [(5, 5), (20, 100), (100, 20), (100, 1000), (10, 1)])
def test_what_was_simulated_ends_within_the_range_nine_times_out_of_ten(done, left):
    draw = random.Random(f"{done} {left}")
    runs, within = 2000, 0
    for _run in range(runs):
        before = sum(draw.expovariate(0.5) for _ in range(done))
        after = sum(draw.expovariate(0.5) for _ in range(left))
        found = remaining(done, before, left)
        within += found.least <= after <= found.most
    assert within / runs >= 0.86


def test_more_results_make_a_narrower_range_around_the_same_pace():
    few, many = remaining(5, 10.0, 50), remaining(500, 1000.0, 50)
    assert few.least < many.least < 100 < many.most < few.most


def test_if_more_may_be_left_the_range_reaches_as_far():
    likely, most = remaining(50, 50.0, 10), remaining(50, 50.0, 10, 40)
    assert most.least == likely.least
    assert most.most > 40 > likely.most


def test_too_few_results_say_nothing_and_nothing_left_takes_no_time():
    assert remaining(LEAST - 1, 10.0, 5) is None
    assert remaining(0, 0.0, 5) is None
    assert remaining(10, 10.0, 0) == (0.0, 0.0)
    assert remaining(10, 10.0, -3) == (0.0, 0.0)
