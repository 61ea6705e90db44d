"""A planted weakness is named first: too few seasons to measure how often, enough to notice when not."""

import pytest

from benchmarks.weakness_simulations import Way, named_first

SEASONS = 5  # their chance follows from their numbers


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("kind", "seats"), [("opponent", 2), ("seat", 4), ("steps", 2), ("fault", 4), ("slow", 2)]
)
def test_a_planted_weakness_is_named_first(kind, seats):
    assert named_first(kind, seats, SEASONS) >= 0.8


@pytest.mark.first(1)
@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("way", list(Way))
def test_a_bot_without_a_weakness_seldom_gets_one(way, seats):
    assert named_first("none", seats, SEASONS, way) <= 0.2


@pytest.mark.parametrize("way", [Way.COPIES, Way.DRAWS])
def test_copies_and_draws_hide_no_weakness(way):
    assert named_first("seat", 2, SEASONS, way) >= 0.8
