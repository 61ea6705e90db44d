"""Matches are played so that all entrants have played about equally often at each moment."""

from collections import Counter

import pytest

from agon.contest import formats
from agon.contest.play_order import evenly


@pytest.mark.parametrize("entrants", [2, 3, 9, 16, 40, 49])
@pytest.mark.parametrize("ordered", [True, False])
def test_no_entrant_is_more_than_two_matches_ahead(entrants: int, ordered: bool) -> None:
    schedule = formats.schedule("round_robin", entrants, 2, 1, 1, {"ordered": ordered})
    played = Counter(dict.fromkeys(range(entrants), 0))
    for scheduled in evenly(schedule):
        played.update(scheduled.seats)
        assert max(played.values()) - min(played.values()) <= 2


@pytest.mark.parametrize(
    ("format", "seats"), [("round_robin", 2), ("round_robin_self", 2), ("rotations", 4), ("drawn", 3)]
)
def test_every_match_is_played_once(format: str, seats: int) -> None:
    schedule = formats.schedule(format, 7, seats, 2, 5)
    assert sorted(evenly(schedule), key=lambda scheduled: scheduled.index) == schedule


def test_a_bot_that_plays_against_itself_plays_once_a_day() -> None:
    schedule = formats.schedule("round_robin_self", 3, 2, 1, 1)
    assert [scheduled.seats for scheduled in evenly(schedule)][:3] == [(0, 0), (1, 1), (2, 2)]
