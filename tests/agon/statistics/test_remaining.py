"""How long is left, as a range: it holds as often as it says, and says nothing without results."""

import random

import pytest

from agon.statistics.remaining import LEAST_RESULTS, Pace, remaining


@pytest.mark.parametrize(("done", "left"), [(5, 5), (20, 100), (100, 20), (100, 1000), (10, 1)])
def test_what_was_simulated_ends_within_the_range_nine_times_out_of_ten(done, left):
    draw = random.Random(f"{done} {left}")
    runs, within = 2000, 0
    for _run in range(runs):
        before = sum(draw.expovariate(0.5) for _ in range(done))
        after = sum(draw.expovariate(0.5) for _ in range(left))
        interval = remaining([Pace(done, before)], left)
        within += interval.least <= after <= interval.most
    assert within / runs >= 0.9


@pytest.mark.parametrize("factor", [0.5, 0.7, 1.5, 2.0])
def test_a_pace_that_has_changed_for_good_or_for_a_while_is_within_the_range_of_both(factor):
    """80 results at one pace, then 20 at another, which stays; or which does not."""
    draw = random.Random(f"{factor}")
    runs = 1000
    stays = passes = 0
    for _run in range(runs):
        recent = sum(draw.expovariate(factor) for _ in range(20))
        paces = [Pace(20, recent), Pace(100, recent + sum(draw.expovariate(1) for _ in range(80)))]
        interval = remaining(paces, 60)
        stays += interval.least <= sum(draw.expovariate(factor) for _ in range(60)) <= interval.most
        passes += interval.least <= sum(draw.expovariate(1) for _ in range(60)) <= interval.most
    assert stays / runs >= 0.9
    assert passes / runs >= 0.9


def test_more_results_make_a_narrower_range_around_the_same_pace():
    few, many = remaining([Pace(5, 10.0)], 50), remaining([Pace(500, 1000.0)], 50)
    assert few.least < many.least < 100 < many.most < few.most


def test_if_more_may_be_left_the_range_reaches_as_far():
    likely, most = remaining([Pace(50, 50.0)], 10), remaining([Pace(50, 50.0)], 10, 40)
    assert most.least == likely.least
    assert most.most > 40 > likely.most


def test_too_few_results_say_nothing_and_nothing_left_takes_no_time():
    assert remaining([], 5) is None
    assert remaining([Pace(LEAST_RESULTS - 1, 10.0)], 5) is None
    assert remaining([Pace(0, 0.0), Pace(100, 0.0)], 5) is None
    assert remaining([Pace(10, 10.0)], 0) == (0.0, 0.0)
    assert remaining([Pace(10, 10.0)], -3) == (0.0, 0.0)
