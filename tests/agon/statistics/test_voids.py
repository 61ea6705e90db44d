"""Who makes matches void is found; broken hosts, unlucky opponents and the victims of a plot are not stopped.

Courses of matches are simulated: bots, who sits with whom, hosts that fail for a while, and bots that break
their matches. Bots 0 to 3 are the house's; each other one is of an author of its own.
"""

import random
from collections.abc import Callable, Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agon.statistics.voids import CHANCE, LEAST_STARTS, AttemptOutcome, _at_least, find_culprit

BOTS = range(12)
AUTHORS = {bot: None if bot < 4 else f"author {bot}" for bot in BOTS}
Breaks = Callable[[random.Random, frozenset[int]], bool]
SEEDS = range(20)


def course(
    draw: random.Random,
    matches: int,
    seats: int,
    breaks: Breaks = lambda draw, sat: False,
    outages: float = 0.0,
    hosts: int = 2,
    lasts: float = 12.0,
    seconds: Callable[[frozenset[int]], float] = lambda sat: 1.0,
    table: Callable[[random.Random, int], Collection[int]] | None = None,
) -> list[AttemptOutcome]:
    """Matches as they end on `hosts`; each host fails at random `outages` times a second, for a while."""
    down = dict.fromkeys(range(hosts), 0.0)
    clock = dict.fromkeys(range(hosts), 0.0)
    tried = []
    for number in range(matches):
        host = min(clock, key=lambda candidate: clock[candidate])
        sat = frozenset(table(draw, number) if table else draw.sample(BOTS, seats))
        took = seconds(sat)
        if outages and draw.random() < 1 - (1 - outages) ** took:
            down[host] = max(down[host], clock[host] + draw.expovariate(1 / lasts))
        void = breaks(draw, sat) or down[host] > clock[host]
        clock[host] += took * (0.5 + draw.random())
        tried.append(AttemptOutcome(number, f"host {host}", void, took, sat))
    return tried


def stopped(**facts: object) -> list[int]:
    """Whom the rule blames, over several courses."""
    blames = [find_culprit(course(random.Random(seed), **facts), AUTHORS) for seed in SEEDS]  # type: ignore[arg-type]
    return [blame.bot for blame in blames if blame is not None]


def cheats(*bots: int, often: float = 0.6) -> Breaks:
    """Each of these breaks the matches that it would lose."""
    return lambda draw, sat: any(bot in sat and draw.random() < often for bot in bots)


@pytest.mark.parametrize(("seats", "matches"), [(2, 400), (4, 1000)])
def test_a_cheater_is_found_and_nobody_else(seats, matches):
    assert stopped(matches=matches, seats=seats, breaks=cheats(11)) == [11] * len(SEEDS)


@pytest.mark.parametrize("seats", [2, 4])
def test_a_cheater_is_found_also_while_hosts_fail(seats):
    blamed = stopped(matches=1000, seats=seats, breaks=cheats(11, often=0.8), outages=0.01)
    assert set(blamed) == {11}
    assert len(blamed) > len(SEEDS) / 2


@pytest.mark.first(2)
@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize(("outages", "lasts"), [(0.001, 300), (0.01, 12), (0.05, 1), (0.3, 0.5), (0.9, 30)])
def test_hosts_that_fail_stop_no_bot(seats, outages, lasts):
    assert stopped(matches=1000, seats=seats, outages=outages, lasts=lasts) == []


@pytest.mark.parametrize("seats", [2, 4])
def test_a_newcomer_that_sits_in_every_match_while_a_host_fails_is_not_stopped(seats):
    def table(draw, number):
        others = draw.sample(range(11), seats)
        return [11, *others[1:]] if 300 <= number < 600 else others

    assert stopped(matches=900, seats=seats, table=table, outages=0.03) == []


def test_a_slow_bot_which_more_failures_hit_is_not_stopped():
    def slow(sat):
        return 60.0 if 11 in sat else 1.0

    assert stopped(matches=1000, seats=2, outages=0.005, lasts=0.1, seconds=slow) == []


@pytest.mark.parametrize("seats", [2, 4])
def test_the_usual_opponent_of_a_cheater_is_not_stopped(seats):
    """Bot 10 meets the cheater in most of its matches."""

    def table(draw, number):
        if number % 3:
            return draw.sample(range(10), seats)
        return [10, *([11] if draw.random() < 0.8 else []), *draw.sample(range(10), seats)][:seats]

    assert set(stopped(matches=1000, seats=seats, table=table, breaks=cheats(11, often=0.9))) <= {11}


@pytest.mark.first(1)
@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("plot", [{9}, {8, 9}, {7, 8, 9}])
def test_those_against_whom_a_minority_of_authors_conspire_are_not_stopped(seats, plot):
    """They break their matches with bot 11, so that it looks as if it did."""

    def breaks(draw, sat):
        return 11 in sat and bool(plot & sat)

    assert 11 not in stopped(matches=1000, seats=seats, breaks=breaks)


def repeated(attempts: list[AttemptOutcome]) -> list[AttemptOutcome]:
    """The same course if every failed attempt is followed by one that is played to its end."""
    return [
        part
        for attempt in attempts
        for part in ([attempt, attempt._replace(failed=False)] if attempt.failed else [attempt])
    ]


@pytest.mark.parametrize("seats", [2, 4])
def test_who_only_gets_second_tries_by_it_is_found_as_well(seats):
    blames = [
        find_culprit(repeated(course(random.Random(seed), 1000, seats, cheats(11))), AUTHORS)
        for seed in SEEDS
    ]
    assert [blame.bot for blame in blames] == [11] * len(SEEDS)
    assert all(len(set(blame.matches)) == len(blame.matches) for blame in blames)


@pytest.mark.first(1)
@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize(("outages", "lasts"), [(0.01, 12), (0.05, 1), (0.3, 0.5)])
def test_matches_that_are_repeated_on_hosts_that_fail_stop_no_bot(seats, outages, lasts):
    courses = [course(random.Random(seed), 1000, seats, outages=outages, lasts=lasts) for seed in SEEDS]
    assert [find_culprit(repeated(attempts), AUTHORS) for attempts in courses] == [None] * len(SEEDS)


def test_a_match_whose_attempts_failed_twice_is_named_once():
    attempts = repeated(course(random.Random(1), 400, 2, cheats(11, often=1.0)))
    twice = [
        part
        for attempt in attempts
        for part in ([attempt, attempt._replace(failed=False), attempt] if attempt.failed else [attempt])
    ]
    blame = find_culprit(twice, AUTHORS)
    assert blame.bot == 11
    assert len(set(blame.matches)) == len(blame.matches)


def test_of_two_cheaters_one_is_found_first_and_then_the_other():
    tried = course(random.Random(1), 1000, 2, cheats(10, 11))
    first = find_culprit(tried, AUTHORS)
    rest = [attempt._replace(counts=first.bot not in attempt.seats) for attempt in tried]
    second = find_culprit(rest, AUTHORS)
    assert {first.bot, second.bot} == {10, 11}
    left = [attempt._replace(counts=not {10, 11} & attempt.seats) for attempt in rest]
    assert find_culprit(left, AUTHORS) is None


def test_who_sits_in_every_match_cannot_be_blamed():
    assert (
        stopped(matches=400, seats=2, table=lambda draw, _: [11, draw.choice(range(11))], breaks=cheats(11))
        == []
    )


def test_against_house_bots_alone_a_cheater_is_found_by_the_matches_without_it():
    """As on a new site: the ladder plays one match of the house bots for each that went void."""

    def table(draw, number):
        return [11, *draw.sample(range(4), 3)] if number % 2 else range(4)

    assert set(stopped(matches=300, seats=4, table=table, breaks=cheats(11, often=0.7))) == {11}


@pytest.mark.parametrize("seats", [2, 4])
def test_a_house_bot_whose_matches_others_break_is_not_stopped(seats):
    def breaks(draw, sat):
        return 0 in sat and max(sat) > 3

    assert 0 not in stopped(matches=1000, seats=seats, breaks=breaks)


def test_what_was_dealt_with_is_no_evidence():
    tried = course(random.Random(1), 1000, 2, cheats(11))
    assert find_culprit(tried, AUTHORS) is not None
    assert find_culprit([attempt._replace(counts=False) for attempt in tried], AUTHORS) is None


def test_the_evidence_names_the_matches_and_counts_the_others():
    tried = course(random.Random(1), 400, 2, cheats(11, often=1.0))
    blame = find_culprit(tried, AUTHORS)
    own = [attempt for attempt in tried if 11 in attempt.seats]
    assert set(blame.matches) <= {attempt.match for attempt in own}
    assert (blame.played, blame.others_void) == (0, 0)
    assert blame.others_played == len(tried) - len(own)
    assert 0 <= blame.chance < CHANCE


def test_fewer_failures_than_the_least_stop_nobody():
    """Of every 100 matches the last is void, and the only one with bot 11."""
    tried = [
        AttemptOutcome(n, "host", n % 100 == 99, 1.0, frozenset({11 if n % 100 == 99 else 4, n % 4}))
        for n in range(1000)
    ]
    assert find_culprit(tried, AUTHORS).bot == 11
    assert find_culprit(tried[: 100 * LEAST_STARTS - 1], AUTHORS) is None


@given(st.lists(st.floats(0, 1), max_size=9), st.integers(0, 9))
def test_the_probability_is_that_of_independent_trials(chances, observed):
    expected = 0.0
    for outcome in range(1 << len(chances)):
        weight = 1.0
        for place, chance in enumerate(chances):
            weight *= chance if outcome >> place & 1 else 1 - chance
        expected += weight * (outcome.bit_count() >= observed)
    assert _at_least(observed, chances) == pytest.approx(expected, abs=1e-9)


SOME = st.builds(
    AttemptOutcome,
    match=st.just(0),
    host=st.sampled_from(["a", "b"]),
    failed=st.booleans(),
    seconds=st.floats(0, 100),
    seats=st.frozensets(st.sampled_from(list(BOTS)), min_size=1, max_size=4),
    counts=st.booleans(),
)


@given(st.lists(SOME, max_size=60))
def test_whatever_was_played_there_is_an_answer(tried):
    numbered = [attempt._replace(match=number) for number, attempt in enumerate(tried)]
    blame = find_culprit(numbered, AUTHORS)
    if blame is not None:
        void = {attempt.match for attempt in numbered if attempt.failed and blame.bot in attempt.seats}
        assert len(blame.matches) >= LEAST_STARTS
        assert set(blame.matches) <= void


@given(st.lists(SOME, max_size=60))
def test_where_everything_is_void_nobody_is_stopped(tried):
    assert (
        find_culprit([attempt._replace(match=n, failed=True) for n, attempt in enumerate(tried)], AUTHORS)
        is None
    )
