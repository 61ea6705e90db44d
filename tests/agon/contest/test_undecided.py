"""Which meetings are open, counted in another way."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from agon.contest.undecided import leaders, meetings

seatings = st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=4).map(tuple), max_size=30)


@given(seatings)
def test_every_open_match_is_in_exactly_one_meeting(open_matches):
    open_ones = meetings(open_matches)
    assert sum(group.matches for group in open_ones) == len(open_matches)
    assert [set(group.entrants) for group in open_ones] == list(
        map(set, dict.fromkeys(frozenset(group) for group in open_matches))
    )


@given(seatings, st.sets(st.integers(0, 6)))
def test_among_some_only_matches_of_two_of_them_count(open_matches, among):
    pairs = [
        1
        for seats in open_matches
        if any(bot != opponent and {bot, opponent} <= among for bot, opponent in combinations(seats, 2))
    ]
    open_ones = meetings(open_matches, among)
    assert sum(group.matches for group in open_ones) == len(pairs)
    assert all(len(group.entrants) > 1 and set(group.entrants) <= among for group in open_ones)


def test_leaders_are_those_in_the_first_places_and_shared_places_do_not_grow_without_end():
    assert leaders([(4, 1), (2, 2), (9, 2), (1, 4)], 3, 6) == [4, 2, 9]
    assert leaders([(number, 1) for number in range(100)], 3, 6) == [0, 1, 2, 3, 4, 5]
    assert leaders([], 3, 6) == []
