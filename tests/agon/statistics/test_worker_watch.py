"""Which worker plays differently: exact chances where they can be written down, and simulated contests."""

import math
import random
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agon.statistics.worker_watch import (
    ALPHA,
    Kind,
    MatchSeen,
    SeatSeen,
    allowed_chance,
    find_odd_worker,
    typical_seconds,
)
from tests.support.examples import at_most

EIGHT = [f"host:core{number}" for number in range(8)]
BASES = [("slow", 2.0), ("a", 1.0), ("b", 1.0)]
SPEEDS = [0.0001 * 3**number for number in range(8)]  # seconds of eight bots


def seen(rows):
    """Matches of one seat. rows: (worker, bot, seconds, won, timed out)."""
    return [MatchSeen(number, worker, (SeatSeen(*seat),)) for number, (worker, *seat) in enumerate(rows)]


def in_unit(seat, factor):
    return seat._replace(seconds=seat.seconds * factor)


def contest(random, matches, slowdown=1.0, workers=EIGHT, spread=0.2):
    """Bots that take more and less time; the first worker takes `slowdown` times as long for each."""
    rows = []
    for _ in range(matches):
        worker, bot = random.choice(workers), random.randrange(len(SPEEDS))
        seconds = SPEEDS[bot] * random.lognormvariate(0, spread) * (slowdown if worker == workers[0] else 1)
        rows.append((worker, bot, seconds, random.random() < bot / 8, random.random() < 0.01))
    return seen(rows)


@pytest.mark.parametrize("seed", range(5))
def test_one_of_eight_slowed_by_30_percent_is_named_within_500_matches(seed):
    matches = contest(random.Random(seed), 500, slowdown=1.3)
    odd_worker = find_odd_worker(matches, look=8)
    assert (odd_worker.worker, odd_worker.kind) == (EIGHT[0], Kind.SLOWER)
    assert 1.15 < odd_worker.own < 1.5
    assert set(odd_worker.matches) == {match.number for match in matches if match.worker == EIGHT[0]}


@pytest.mark.parametrize("seed", range(5))
def test_honest_workers_are_not_named(seed):
    matches = contest(random.Random(seed), 600)
    assert [find_odd_worker(matches[: 100 * look], look) for look in range(1, 7)] == [None] * 6


def test_a_worker_whose_core_is_a_little_slower_is_not_named_however_many_matches_show_it():
    assert find_odd_worker(contest(random.Random(1), 4000, slowdown=1.05, spread=0.05), look=1) is None


def test_a_worker_that_happened_to_play_slow_bots_that_lose_and_time_out_is_not_named():
    """Its share of their matches is nine times that of the others, which play the same bots as fast."""
    chance = random.Random(2)
    rows = []
    for _ in range(800):
        bad = chance.random() < 0.5
        worker = "odd" if chance.random() < (0.9 if bad else 0.1) else chance.choice(EIGHT[:3])
        seconds = (5.0 if bad else 0.01) * chance.lognormvariate(0, 0.2)
        rows.append(
            (worker, bad, seconds, chance.random() < (0.1 if bad else 0.9), bad and chance.random() < 0.3)
        )
    assert find_odd_worker(seen(rows), look=1) is None


def test_times_that_do_not_overlap_have_the_chance_that_the_rank_sum_test_gives_them():
    """In an order in which no match resembles the one before."""
    order = [(n * 17 % 30) / 100 for n in range(30)]
    rows = [(worker, "bot", base + more, False, False) for more in order for worker, base in BASES]
    odd_worker = find_odd_worker(seen(rows), look=1)
    ties = 30 * (2**3 - 2)  # each time of the others occurs twice
    variance = 30 * 60 * (90**3 - 90 - ties) / (12 * 90 * 89)
    expected = 1 - NormalDist().cdf(30 * 60 / 2 / math.sqrt(variance))
    assert (odd_worker.worker, odd_worker.kind) == ("slow", Kind.SLOWER)
    assert odd_worker.chance == pytest.approx(expected, rel=1e-6)
    assert odd_worker.own == pytest.approx(2.15 / 1.15, rel=0.1)


def test_a_disturbance_that_lasts_for_many_matches_is_not_taken_for_a_slow_worker():
    """Ten stretches of twenty matches on each of three workers, each stretch faster or slower as a whole."""
    for seed in range(10):
        chance = random.Random(seed)
        rows = []
        for _ in range(10):
            pace = {worker: chance.lognormvariate(0, 0.3) for worker in "abc"}
            rows += [
                (worker, "bot", pace[worker] + 0.01 * n, False, False) for n in range(20) for worker in "abc"
            ]
        assert find_odd_worker(seen(rows), look=1) is None


def test_the_typical_time_is_the_first_decile():
    assert typical_seconds([5, 9, 1, 7, 3]) == 1
    assert typical_seconds(list(range(100, 0, -1))) == 10
    assert typical_seconds([]) is None


def test_timeouts_have_their_exact_chance():
    """All 12 of each of two bots were on one of three workers, which played 20 of the 60 matches of each."""
    rows = [
        (worker, bot, 1.0, False, worker == "bad" and n < 12)
        for worker in ("bad", "a", "b")
        for bot in ("x", "y")
        for n in range(20)
    ]
    odd_worker = find_odd_worker(seen(rows), look=1)
    assert (odd_worker.worker, odd_worker.kind, odd_worker.own, odd_worker.others) == (
        "bad",
        Kind.TIMEOUTS,
        24,
        8,
    )
    assert odd_worker.chance == pytest.approx((math.comb(20, 12) / math.comb(60, 12)) ** 2)


@pytest.mark.parametrize(("wins", "kind"), [(30, Kind.WINS_MORE), (0, Kind.WINS_LESS)])
def test_a_worker_on_which_a_bot_wins_always_or_never_is_named(wins, kind):
    rows = [("odd", "bot", 1.0, n < wins, False) for n in range(30)]
    rows += [(worker, "bot", 1.0, n < 15, False) for worker in "abc" for n in range(30)]
    odd_worker = find_odd_worker(seen(rows), look=1)
    assert (odd_worker.worker, odd_worker.kind) == ("odd", kind)
    assert odd_worker.own == wins


def of_authors(matches, author_of=lambda bot: bot):
    """The same matches, with the authors of their bots."""
    return [
        match._replace(seats=tuple(seat._replace(author=author_of(seat.bot)) for seat in match.seats))
        for match in matches
    ]


@pytest.mark.parametrize("there", [(9.0, False, False), (1.0, True, False), (1.0, False, True)])
def test_the_bots_of_one_author_have_no_worker_named(there):
    """Two of six bots are slow, lose or time out on one worker, which they recognize."""
    others = [(worker, bot, 1.0, n % 2 == 0, False) for n in range(30) for bot in "wxyz" for worker in "abc"]
    theirs = [
        (worker, bot, *(there if worker == "a" else (1.0, n % 2 == 0, False)))
        for n in range(60)
        for bot in ("one", "two")
        for worker in "abc"
    ]
    mixed = seen(others + theirs)
    random.Random(0).shuffle(mixed)
    matches = [match._replace(number=number) for number, match in enumerate(mixed)]
    assert find_odd_worker(of_authors(matches, lambda bot: None if len(bot) > 1 else bot), look=1)
    assert find_odd_worker(of_authors(matches, lambda bot: "they" if len(bot) > 1 else bot), look=1) is None


def test_opponents_of_a_bot_that_loses_on_one_worker_have_no_worker_named():
    """The seat whose win counts is now the loser's, now that of one of its opponents."""
    matches = []
    for number in range(900):
        worker, opponent = "abc"[number % 3], "wxyz"[number // 3 % 4]
        wins = worker != "a" and number // 3 % 2 == 0
        seats = (SeatSeen("bot", 1.0, wins, False), SeatSeen(opponent, 1.0, not wins, False))
        matches.append(MatchSeen(number, worker, seats))
    assert find_odd_worker(matches, look=1) is not None
    assert find_odd_worker(of_authors(matches), look=1) is None


def test_a_slow_worker_is_named_by_what_the_bots_of_many_authors_show():
    matches = of_authors(contest(random.Random(0), 600, slowdown=1.3, spread=0.14))
    assert find_odd_worker(matches, look=8).worker == EIGHT[0]


def test_too_few_matches_and_bots_that_no_other_worker_played_show_nothing():
    slow = [("slow", "bot", 9.0, False, True) for _ in range(19)]
    others = [(worker, "bot", 1.0, True, False) for worker in "abc" for _ in range(100)]
    assert find_odd_worker(seen([*slow, *others]), look=1) is None
    alone = [("slow", "own bot", 9.0, False, True) for _ in range(500)]
    assert find_odd_worker(seen([*alone, *others]), look=1) is None
    assert find_odd_worker(seen(slow), look=1) is None
    assert find_odd_worker([], look=1) is None


def test_all_looks_together_raise_a_false_alarm_with_the_chance_alpha_at_most():
    tests = 2 * 8 * len(Kind)  # two windows
    assert sum(allowed_chance(look, 8) for look in range(1, 100_000)) * tests == pytest.approx(
        ALPHA, rel=1e-4
    )


@given(st.integers(0, 2**32), st.integers(-8, 8))
@at_most(10)
def test_neither_the_order_of_matches_nor_the_unit_of_time_matters(seed, unit):
    matches = contest(random.Random(seed), 200, slowdown=2.0, workers=EIGHT[:3])
    odd_worker = find_odd_worker(matches, look=1)
    scaled = [
        match._replace(seats=tuple(in_unit(seat, 2.0**unit) for seat in match.seats)) for match in matches
    ]
    random.Random(seed).shuffle(scaled)
    again = find_odd_worker(scaled, look=1)
    assert (again.worker, again.kind, again.matches) == (
        odd_worker.worker,
        odd_worker.kind,
        odd_worker.matches,
    )
