"""Schedules keep what their formats promise, whatever the number of entrants, rounds and the seed."""

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest import formats
from contest.formats import BadFormat, count, schedule
from contest.formats.rotations import SUBSETS_LIMIT

SEEDS = st.integers(0, 2**63 - 1)


def seatings(pairings):
    return [pairing.seats for pairing in pairings]


@given(entrants=st.integers(2, 12), rounds=st.integers(1, 4), seed=SEEDS)
def test_a_round_robin_plays_every_ordered_pair_exactly_once_a_round(entrants, rounds, seed):
    played = schedule("round_robin", entrants, 2, rounds, seed)
    for number in range(rounds):
        a_round = [pairing for pairing in played if pairing.round == number]
        assert seatings(a_round) == list(permutations(range(entrants), 2))
        assert [pairing.number for pairing in a_round] == list(range(len(a_round)))


def test_coups_original_contest_had_1560_games():
    assert len(schedule("round_robin", 13, 2, 10, seed=1)) == 1560


@given(entrants=st.integers(2, 9), rounds=st.integers(1, 3))
def test_a_round_robin_with_self_play_adds_every_entrant_against_itself(entrants, rounds):
    played = Counter(seatings(schedule("round_robin_self", entrants, 2, rounds, 0)))
    assert played == {(a, b): rounds for a in range(entrants) for b in range(entrants)}


def test_honest_rps_original_contest_had_96100_matches():
    assert count("round_robin_self", 31, 2, 100) == 96_100


@pytest.mark.parametrize(("entrants", "games"), [(4, 100), (10, 100), (11, 200), (14, 200), (31, 400)])
def test_camel_up_has_100_games_for_every_started_ten(entrants, games):
    played = seatings(schedule("started_tens", entrants, 4, 100, 1))
    assert len(played) == count("started_tens", entrants, 4, 100) == games
    assert all(len(set(seating)) == 4 for seating in played)
    seats = Counter((entrant, seat) for seating in played for seat, entrant in enumerate(seating))
    assert len(seats) == 4 * entrants  # so many games that everybody has sat everywhere


@given(
    format=st.sampled_from(["rotations", "drawn"]),
    seats=st.integers(3, 5),
    more=st.integers(0, 20),
    rounds=st.integers(1, 2),
    seed=SEEDS,
)
def test_every_entrant_sits_equally_often_in_each_seat(format, seats, more, rounds, seed):
    entrants = seats + more
    played = seatings(schedule(format, entrants, seats, rounds, seed))
    assert all(len(set(seating)) == seats for seating in played)
    for seat in range(seats):
        taken = Counter(seating[seat] for seating in played)
        assert taken == dict.fromkeys(range(entrants), len(played) // entrants)


@given(entrants=st.integers(4, 12), seed=SEEDS)
def test_rotations_of_up_to_twelve_play_every_four_together_in_each_rotation(entrants, seed):
    groups = Counter(frozenset(seating) for seating in seatings(schedule("rotations", entrants, 4, 1, seed)))
    assert len(groups) == len(seatings(schedule("rotations", entrants, 4, 1, seed))) // 4
    assert set(groups.values()) == {4}


@given(entrants=st.integers(13, 60), seed=SEEDS)
def test_rotations_of_many_are_drawn_within_the_limit(entrants, seed):
    matches = len(schedule("rotations", entrants, 4, 1, seed))
    assert SUBSETS_LIMIT - entrants < matches <= SUBSETS_LIMIT


@given(
    format=st.sampled_from(["rotations", "drawn", "started_tens"]), entrants=st.integers(4, 20), seed=SEEDS
)
def test_the_seed_alone_decides_the_seatings(format, entrants, seed):
    assert schedule(format, entrants, 4, 2, seed) == schedule(format, entrants, 4, 2, seed)


def test_another_seed_draws_other_seatings():
    assert schedule("drawn", 20, 4, 1, seed=1) != schedule("drawn", 20, 4, 1, seed=2)


def test_rounds_of_one_tournament_differ():
    played = schedule("drawn", 20, 4, 2, seed=1)
    assert seatings(played[:20]) != seatings(played[20:])


@given(data=st.data(), entrants=st.integers(4, 20), rounds=st.integers(1, 3), seed=SEEDS)
def test_the_estimate_is_the_number_of_matches_and_they_are_numbered_through(data, entrants, rounds, seed):
    seats = data.draw(st.sampled_from([2, 4]))
    format = data.draw(st.sampled_from(formats.formats_for(seats)))
    played = schedule(format, entrants, seats, rounds, seed)
    assert count(format, entrants, seats, rounds) == len(played)
    assert [pairing.index for pairing in played] == list(range(len(played)))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("swiss", 4, 2, 1),
            "format: expected one of round_robin, round_robin_self, rotations, drawn, started_",
        ),
        (("round_robin", 4, 4, 1), "fitting: rotations, drawn, started_tens"),
        (("round_robin", 1, 2, 1), "entrants: expected 2 or more, got 1"),
        (("rotations", 3, 4, 1), "entrants: expected 4 or more, got 3"),
        (("round_robin", 4, 2, 0), "rounds: expected 1 or more, got 0"),
        (("round_robin", 4, 2, 10**9), "rounds: 1000000000 rounds are 12,000,000,000 matches"),
    ],
)
def test_what_cannot_be_scheduled_is_refused_in_words(arguments, words):
    with pytest.raises(BadFormat) as refused:
        count(*arguments)
    assert words in str(refused.value)
