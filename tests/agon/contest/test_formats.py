"""Schedules keep what their formats promise, whatever the number of entrants, rounds and the seed."""

from collections import Counter
from itertools import combinations, permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agon.contest import formats
from agon.contest.formats import BadFormat, count, schedule
from agon.contest.formats.rotations import SUBSETS_LIMIT
from tests.support.examples import at_most

SEEDS = st.integers(0, 2**63 - 1)
FIELDS = st.integers(1, 200)  # entrants


def fixed(format):
    return not formats.FORMATS[format].needs_results


def seatings(scheduled_matches):
    return [scheduled.seats for scheduled in scheduled_matches]


@given(entrants=st.integers(2, 12), rounds=st.integers(1, 4), seed=SEEDS)
def test_a_round_robin_plays_every_ordered_pair_exactly_once_a_round(entrants, rounds, seed):
    played = schedule("round_robin", entrants, 2, rounds, seed)
    for number in range(rounds):
        a_round = [scheduled for scheduled in played if scheduled.round == number]
        assert seatings(a_round) == list(permutations(range(entrants), 2))
        assert [scheduled.number for scheduled in a_round] == list(range(len(a_round)))


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
    format = data.draw(st.sampled_from(formats.formats_for(seats)).filter(fixed))
    played = schedule(format, entrants, seats, rounds, seed)
    assert count(format, entrants, seats, rounds) == len(played)
    assert [scheduled.index for scheduled in played] == list(range(len(played)))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("ladder", 4, 2, 1),
            "format: expected one of round_robin, round_robin_self, rotations, drawn, balanced, ",
        ),
        (("round_robin", 4, 4, 1), "fitting: rotations, drawn, balanced, pools, started_tens"),
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


def test_a_format_that_needs_results_has_no_schedule_from_the_start():
    with pytest.raises(BadFormat, match="the matches of swiss depend on the results"):
        schedule("swiss", 8, 2, 3, 0)


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"ordered": 2}, "ordered: expected true or false, got 2"),
        ({"ties": "alphabet"}, "ties: expected shared, head_to_head, got 'alphabet'"),
        ({"byes": 1}, "settings: expected ordered, self_play, ties for this format, got 'byes'"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_by_name(chosen, words):
    with pytest.raises(BadFormat) as refused:
        count("round_robin", 4, 2, 1, chosen)
    assert words in str(refused.value)


@given(format=st.sampled_from(sorted(formats.FORMATS)), entrants=FIELDS)
def test_every_format_takes_every_field_of_four_or_more(format, entrants):
    seats = formats.FORMATS[format].least_seats
    chosen = formats.with_defaults(format, {"budget": 1200} if format == "until_decided" else {})
    if entrants >= 4:
        assert count(format, entrants, seats, 1, chosen) >= 1
    elif entrants < seats:
        with pytest.raises(BadFormat, match=f"entrants: expected {seats} or more, got {entrants}"):
            count(format, entrants, seats, 1, chosen)


@given(entrants=st.integers(2, 200), self_play=st.booleans(), rounds=st.integers(1, 2))
@at_most(25)
def test_an_unordered_round_robin_plays_every_pair_once_a_round_in_even_seats(entrants, self_play, rounds):
    chosen = {"ordered": False, "self_play": self_play}
    played = seatings(schedule("round_robin", entrants, 2, rounds, 0, chosen))

    pairs = Counter(tuple(sorted(seating)) for seating in played)
    own = [(entrant, entrant) for entrant in range(entrants)] if self_play else []
    assert pairs == dict.fromkeys([*combinations(range(entrants), 2), *own], rounds)
    first = Counter(seating[0] for seating in played[: len(played) // rounds])
    second = Counter(seating[1] for seating in played[: len(played) // rounds])
    assert all(abs(first[entrant] - second[entrant]) <= 1 for entrant in range(entrants))
    if rounds == 2:
        assert Counter(seating[0] for seating in played) == Counter(seating[1] for seating in played)


@given(entrants=FIELDS, seats=st.integers(2, 6), rounds=st.integers(1, 9), seed=SEEDS)
@at_most(40)
def test_in_pools_all_play_equally_often_and_never_against_themselves(entrants, seats, rounds, seed):
    assume(entrants >= seats)
    played = seatings(schedule("pools", entrants, seats, rounds, seed))

    assert all(len(set(seating)) == seats for seating in played)
    plays = Counter(entrant for seating in played for entrant in seating)
    assert len(plays) == entrants
    [times] = set(plays.values())
    assert rounds <= times < rounds + seats


@given(entrants=FIELDS, seats=st.integers(2, 5), rounds=st.integers(1, 6), seed=SEEDS)
@at_most(40)
def test_balanced_blocks_balance_seats_and_who_meets_whom(entrants, seats, rounds, seed):
    assume(entrants >= seats)
    played = seatings(schedule("balanced", entrants, seats, rounds, seed))

    places = Counter((entrant, seat) for seating in played for seat, entrant in enumerate(seating))
    assert places == {(entrant, seat): rounds for entrant in range(entrants) for seat in range(seats)}
    met = Counter(frozenset(pair) for seating in played for pair in combinations(seating, 2))
    times = [met[frozenset(pair)] for pair in combinations(range(entrants), 2)]
    assert max(times) - min(times) <= 2


@given(entrants=st.integers(2, 24), seed=SEEDS)
@at_most(20)
def test_balanced_blocks_of_two_seats_let_all_meet_equally_often_in_the_end(entrants, seed):
    played = seatings(schedule("balanced", entrants, 2, entrants - 1, seed))
    met = Counter(frozenset(seating) for seating in played)
    assert met == {frozenset(pair): 2 for pair in combinations(range(entrants), 2)}
