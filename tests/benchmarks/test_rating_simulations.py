"""What ratings promise: too few simulations to measure it, enough to notice when it no longer holds."""

import pytest

from agon.statistics.ratings.published import Published
from benchmarks import rating_simulations
from benchmarks.rating_simulations import SCENARIOS, Quality, means, run, spaced

BY_TITLE = {scenario.title: scenario for scenario in SCENARIOS}


def seen(title, runs, **changes):
    scenario = BY_TITLE[title]._replace(**changes)
    return Quality(*means(run(scenario, number) for number in range(runs)))


@pytest.mark.parametrize("title", ["16 copies, 2 seats", "16 copies, 4 seats", "16 copies, 2 seats, draws"])
def test_copies_are_not_separated(title):
    quality = seen(title, 3, matches=240)
    assert quality.overlap >= 0.95
    assert quality.alone == 0
    assert quality.width > 12


@pytest.mark.parametrize("title", [f"spaced by 100 points, 12 bots, {seats} seats" for seats in (2, 4)])
def test_a_spaced_field_is_ranked_and_the_true_rank_is_in_the_range(title):
    quality = seen(title, 3)
    assert quality.rank >= 0.95
    assert quality.tau > 0.9
    assert quality.width < 3


@pytest.mark.parametrize("title", [f"close (s = 0.5), 20 bots, {seats} seats" for seats in (2, 4, 8)])
def test_intervals_contain_the_truth(title):
    assert 0.85 <= seen(title, 4).interval <= 1


def test_a_run_is_judged_by_what_is_true():
    quality = rating_simulations.judge(
        [0.0, 1.0],
        [Published(1400, 1300, 1450, 2, 2), Published(1600, 1580, 1610, 1, 1)],
    )
    assert quality == (1.0, 1.0, 1.0, 0.0, 1.0, 1.0)
    wrong = rating_simulations.judge(
        [0.0, 1.0],
        [Published(1600, 1580, 1610, 1, 1), Published(1400, 1300, 1450, 2, 2)],
    )
    assert wrong == (0.0, 0.0, 1.0, 0.0, -1.0, 1.0)


def test_a_run_can_be_repeated():
    scenario = BY_TITLE["16 copies, 2 seats"]._replace(field=spaced(9, 0.3), matches=100)
    assert run(scenario, 3) == run(scenario, 3) != run(scenario, 4)
