"""Comparing two versions: what is played, when it ends, and how much better one is."""

import itertools
import math
import statistics
from collections import Counter
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agon.statistics.compare.cycles import NEW, OLD, difference, matches_in, seatings, seed_of
from agon.statistics.compare.interval import at_least, estimate
from agon.statistics.compare.sequential import ComparisonPlan, CycleTally, Verdict, bounds, decide
from tests.support.examples import at_most

NORMAL = statistics.NormalDist()
SEATS = st.integers(2, 8)
SEEDS = st.integers(0, 2**53)


def tally_of(differences):
    tally = CycleTally()
    for result in differences:
        tally = tally.with_cycle(Fraction(result))
    return tally


# What is played


@given(SEATS)
def test_without_opponents_each_has_every_seat_equally_often(seats):
    played = seatings(0, seats, 0)
    assert len(played) == matches_in(seats, 0)
    for seat in range(seats):
        assert Counter(seating[seat] for seating in played) == {NEW: len(played) / 2, OLD: len(played) / 2}
    exchanged = {tuple(1 - entrant for entrant in seating) for seating in played}
    assert exchanged == set(played)


@pytest.mark.parametrize(("seats", "expected"), [(2, 2), (3, 6), (4, 6)])
def test_few_seats_are_assigned_in_every_fair_way(seats, expected):
    played = seatings(0, seats, 0)
    assert len(set(played)) == len(played) == expected


@given(SEEDS, SEATS, st.integers(0, 5))
def test_against_opponents_both_play_the_same_matches_in_every_seat(seed, seats, more):
    played = seatings(seed, seats, seats - 1 + more)
    assert len(played) == matches_in(seats, seats - 1 + more) == 2 * seats
    by_new = [seating for seating in played if NEW in seating]
    by_old = [seating for seating in played if OLD in seating]
    assert [tuple(OLD if entrant == NEW else entrant for entrant in seating) for seating in by_new] == by_old
    assert sorted(seating.index(NEW) for seating in by_new) == list(range(seats))
    assert all(len(set(seating)) == seats for seating in played)


def test_each_opponent_is_drawn_about_equally_often():
    met = Counter(
        entrant
        for cycle in range(600)
        for entrant in seatings(seed_of(1, cycle), 4, 6)[0]
        if entrant not in (NEW, OLD)
    )
    assert set(met) == {2, 3, 4, 5, 6, 7}
    assert all(240 <= count <= 360 for count in met.values())  # 300 expected, standard deviation 12


def test_the_seeds_of_cycles_differ_and_follow_from_the_users():
    seeds = [seed_of(7, cycle) for cycle in range(1000)]
    assert len(set(seeds)) == 1000
    assert max(seeds) < 2**53
    assert set(seeds).isdisjoint(seed_of(8, cycle) for cycle in range(1000))


# What a cycle says


@pytest.mark.parametrize(
    ("played", "expected"),
    [
        ([((NEW, OLD), (1, 2)), ((OLD, NEW), (2, 1))], 1),
        ([((NEW, OLD), (1, 2)), ((OLD, NEW), (1, 2))], 0),
        ([((NEW, OLD), (1, 1)), ((OLD, NEW), (2, 1))], Fraction(1, 2)),
        # NEW beats two of three, OLD one and is equal to another: 2/3 - 1/2
        ([((NEW, 2, 3, 4), (2, 1, 3, 4)), ((OLD, 2, 3, 4), (2, 1, 2, 4))], Fraction(1, 6)),
        # two seats each: NEW is ahead in 3 of 4 pairs
        ([((NEW, NEW, OLD, OLD), (1, 3, 2, 4))], Fraction(1, 2)),
    ],
)
def test_a_difference_is_that_of_the_shares_of_others_beaten(played, expected):
    assert difference(played) == expected


@st.composite
def cycles(draw):
    seats = draw(st.integers(2, 5))
    played = seatings(draw(SEEDS), seats, draw(st.sampled_from([0, seats - 1, seats + 1])))
    ranks = st.lists(st.integers(1, seats), min_size=seats, max_size=seats)
    return [(seating, draw(ranks)) for seating in played]


@given(cycles())
def test_exchanging_the_versions_changes_only_the_sign(played):
    exchange = {NEW: OLD, OLD: NEW}
    exchanged = [(tuple(exchange.get(seat, seat) for seat in seats), ranks) for seats, ranks in played]
    assert difference(exchanged) == -difference(played)
    assert -1 <= difference(played) <= 1


@given(SEEDS, st.integers(2, 5), st.booleans(), st.data())
def test_what_seats_alone_decide_is_no_difference(seed, seats, alone, data):
    ranks = data.draw(st.lists(st.integers(1, seats), min_size=seats, max_size=seats))
    played = seatings(seed, seats, 0 if alone else seats - 1)
    assert difference([(seating, ranks) for seating in played]) == 0


# When it ends


@given(st.integers(16, 10**6))
def test_looks_begin_at_16_and_end_at_the_last_cycle(most):
    looks = ComparisonPlan(Fraction(1, 10), most).looks
    assert looks[-1] == most
    assert looks[0] == (16 if len(looks) > 1 else most)
    assert len(looks) <= 66
    steps = [later - earlier for earlier, later in itertools.pairwise(looks)]
    assert len(set(steps[:-1])) <= 1
    assert all(step >= 8 for step in steps)


@given(
    st.lists(st.sampled_from([-1, Fraction(-1, 2), 0, Fraction(1, 2), 1]), min_size=64, max_size=64),
    st.sampled_from(["0.05", "0.1", "0.3", "0.6"]),
)
def test_the_verdict_follows_from_both_likelihood_ratios(differences, least):
    """The formulas of the test, worked out from the log-likelihoods of normally distributed means."""
    plan, tally = ComparisonPlan(Fraction(least), 96), tally_of(differences)
    augmented = [*map(float, differences), 1.0, -1.0]
    variance, mean, least = (
        statistics.pvariance(augmented),
        statistics.fmean(map(float, differences)),
        float(least),
    )

    def log_likelihood(d):
        return -64 * (mean - d) ** 2 / (2 * variance)

    better = log_likelihood(least) - log_likelihood(0)
    worse = log_likelihood(-least) - log_likelihood(0)
    limit = math.log(50)
    if min(abs(abs(ratio) - limit) for ratio in (better, worse)) < 1e-9:
        return
    expected = None
    if max(better, worse) <= -limit:
        expected = Verdict.NO_DIFFERENCE
    if better >= limit:
        expected = Verdict.BETTER
    if worse >= limit:
        expected = Verdict.WORSE
    assert decide(plan, tally) == expected


def test_there_is_no_verdict_between_two_looks_and_undecided_at_the_last():
    plan = ComparisonPlan(Fraction(1, 10), 24)
    assert decide(plan, tally_of([1] * 15)) is None
    assert decide(plan, tally_of([1] * 16)) == Verdict.BETTER
    assert decide(plan, tally_of([1] * 17)) is None
    assert decide(plan, tally_of([1, -1] * 8)) is None
    assert decide(plan, tally_of([1, -1] * 12)) == Verdict.UNDECIDED


def test_equal_cycles_alone_do_not_look_like_certainty():
    """With a difference of 1/10 in one cycle of ten, 16 equal ones have a probability of 19 %."""
    plan = ComparisonPlan(Fraction(1, 10), 1000)
    assert decide(plan, tally_of([0] * 16)) is None
    assert decide(plan, tally_of([0] * 48)) == Verdict.NO_DIFFERENCE


# How much better


@at_most(20)
@given(st.lists(st.sampled_from([-1, 0, 1]), min_size=16, max_size=16))
def test_with_a_single_look_the_interval_is_the_usual_one(differences):
    tally = tally_of(differences)
    estimated = estimate(ComparisonPlan(Fraction(1, 2), 16), tally)
    half = NORMAL.inv_cdf(0.98) * math.sqrt(tally.variance / 16)
    assert estimated.value == pytest.approx(tally.mean, abs=2e-3)
    assert estimated.low == pytest.approx(max(-1, tally.mean - half), abs=4e-3)
    assert estimated.high == pytest.approx(min(1, tally.mean + half), abs=4e-3)


def played_to_the_end(plan, random, weights):
    tally = CycleTally()
    while True:
        [result] = random.choices([-1, 0, 1], weights)
        tally = tally.with_cycle(Fraction(result))
        verdict = decide(plan, tally)
        if verdict is not None:
            return verdict, tally


PLAN = ComparisonPlan(Fraction(3, 10), 200)


@at_most(20)
@given(st.randoms(use_true_random=False), st.sampled_from([(1, 1, 1), (1, 8, 1), (1, 1, 2), (0, 2, 1)]))
def test_the_interval_agrees_with_the_verdict(random, weights):
    verdict, tally = played_to_the_end(PLAN, random, weights)
    value, low, high = estimate(PLAN, tally)
    assert low < value < high or value in (-1, 1)
    if verdict == Verdict.BETTER:
        assert low > 0
    if verdict == Verdict.WORSE:
        assert high < 0
    if verdict == Verdict.NO_DIFFERENCE:
        assert -0.3 < low < high < 0.3


@pytest.mark.exhaustive
@at_most(10)
@given(st.randoms(use_true_random=False))
def test_what_the_opposite_results_say_is_the_opposite(random):
    _, tally = played_to_the_end(PLAN, random, (1, 1, 2))
    value, low, high = estimate(PLAN, tally)
    mirrored = estimate(PLAN, tally._replace(total=-tally.total))
    assert mirrored == pytest.approx((-value, -high, -low), abs=2e-3)


def test_the_plain_mean_exaggerates_after_an_early_end_and_the_estimate_allows_for_it():
    plan, tally = ComparisonPlan(Fraction(1, 10), 1000), CycleTally(400, Fraction(40), Fraction(200))
    assert decide(plan, tally) == Verdict.BETTER
    assert 0 < estimate(plan, tally).value < tally.mean - 0.005


def test_the_ends_of_the_interval_are_where_the_observed_mean_becomes_improbable():
    value, low, high = estimate(PLAN, tally := tally_of([1, 0, 0, 0] * 12))
    chances = [at_least(PLAN, tally, end) for end in (low, value, high)]
    assert chances == pytest.approx([0.02, 0.5, 0.98], abs=2e-3)


def test_the_probability_of_a_larger_mean_is_that_of_simulated_comparisons():
    """Of 4,000 with normally distributed cycles whose variance is known; three standard errors are 0.024."""
    random, plan = Random(5), ComparisonPlan(Fraction(3, 10), 48)
    tally = tally_of([1, 0, 0, 0] * 8)
    assert 32 in plan.looks
    larger = 0
    for _ in range(4000):
        total, done = 0.0, 0
        for look in plan.looks:
            total += random.gauss(0.2 * (look - done), math.sqrt(tally.variance * (look - done)))
            done = look
            inner, outer = bounds(plan, look, tally.variance)
            if abs(total) >= outer or abs(total) <= inner:
                break
        larger += total / done >= tally.mean
    assert at_least(plan, tally, 0.2) == pytest.approx(larger / 4000, abs=0.024)


def test_void_cycles_shorten_the_test_and_the_interval_knows_it():
    """Ended after 20 cycles, between two looks: one more look."""
    tally = tally_of([1, -1] * 10)
    value, low, high = estimate(PLAN, tally)
    half = NORMAL.inv_cdf(0.98) * math.sqrt(tally.variance / 20)
    assert value == pytest.approx(0, abs=2e-3)
    assert (low, high) == pytest.approx((-half, half), rel=0.1)
    assert bounds(PLAN, 16, tally.variance).inner < 0
