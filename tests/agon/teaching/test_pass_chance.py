"""The doubt that a rule leaves: as stated in general, and as an independent simulation finds it."""

import random
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agon.teaching.pass_chance import fixed, sequential


@pytest.mark.parametrize(("rate", "percent"), [(0.60, 54.3), (0.55, 18.3), (0.65, 87.5)])
def test_sixty_percent_of_a_hundred_matches_leaves_the_stated_doubt(rate, percent):
    assert round(100 * fixed(rate, 60, 100).passes, 1) == percent


@given(st.integers(0, 100), st.integers(1, 100), st.integers(1, 60))
def test_a_fixed_number_of_matches_passes_as_often_as_exact_fractions_say(rate, share, matches):
    p = Fraction(rate, 100)
    enough = [k for k in range(matches + 1) if Fraction(k, matches) >= Fraction(share, 100)]
    exact = sum(comb(matches, k) * p**k * (1 - p) ** (matches - k) for k in enough)
    assert fixed(rate / 100, share, matches).passes == pytest.approx(float(exact), abs=1e-9)


def test_a_bot_that_always_wins_passes_and_one_that_never_wins_fails():
    assert fixed(1.0, 100, 1000).passes == pytest.approx(1)
    assert fixed(0.0, 1, 1000).passes == pytest.approx(0)


def simulated(test, rate, seed, runs=4000):
    """The share of bots that pass and the matches that they play, by playing; the test only decides."""
    dice = random.Random(seed)
    passed = total = 0
    for _ in range(runs):
        wins = played = 0
        decision = None
        while decision is None:
            wins += sum(dice.random() < rate for _ in range(test.seats))
            played += test.seats
            decision = test.passed(wins, played)
        passed += decision
        total += played
    return passed / runs, total / runs


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("rate", [0.45, 0.52, 0.6, 0.68])
def test_a_sequential_test_passes_as_often_and_takes_as_long_as_simulated(seats, rate):
    test = sequential(60, 100, seats)
    outlook = test.outlook(rate)
    passes, matches = simulated(test, rate, seed=f"{seats} {rate}")
    assert outlook.passes == pytest.approx(passes, abs=0.035)  # more than four standard errors
    assert outlook.matches == pytest.approx(matches, abs=2.5)


@pytest.mark.parametrize(
    ("share", "matches", "seats"), [(60, 100, 2), (50, 200, 2), (80, 120, 4), (25, 300, 3)]
)
def test_a_sequential_test_keeps_its_error_rates_when_played(share, matches, seats):
    test = sequential(share, matches, seats)
    assert simulated(test, test.low, seed=1)[0] <= 0.05 + 0.015
    assert simulated(test, test.high, seed=2)[0] >= 0.95 - 0.015


def test_a_sequential_test_takes_fewer_matches_than_a_fixed_one():
    test = sequential(60, 100, 2)
    assert test.outlook(0.9).matches < 30
    assert test.outlook(0.3).matches < 30
    assert test.outlook(0.6).matches <= 100


def test_a_sequential_test_decides_at_its_last_round_at_the_latest():
    test = sequential(60, 101, 4)
    assert [test.passed(wins, 100) for wins in (59, 60)] == [False, True]


@pytest.mark.parametrize(("share", "matches", "seats"), [(100, 1000, 2), (60, 3, 4), (60, 1, 1)])
def test_no_sequential_test_is_offered_where_none_keeps_its_error_rates(share, matches, seats):
    assert sequential(share, matches, seats) is None
