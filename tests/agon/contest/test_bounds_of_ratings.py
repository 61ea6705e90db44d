"""Bots that lose on purpose: what the bounds leave of the gain, what they cost others, and what is found."""

from functools import cache, partial

import pytest

from agon.statistics.ratings.counts import added, of_match
from agon.statistics.ratings.fit import fit
from agon.statistics.ratings.oddities import odd_pairs, scores, uneven_bots
from benchmarks import collusion_simulations
from benchmarks.collusion_simulations import Scenario, judge, look

SEASONS = 3
LONG = partial(pytest.param, marks=pytest.mark.exhaustive)
season = cache(collusion_simulations.season)  # the honest ones are judged and searched


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def as_equals(bots, others, times):
    """So many wins and losses of each of the bots against each of the others."""
    meetings = [(bot, opponent) for bot in bots for opponent in others]
    return [
        pair
        for meeting in meetings
        for ranks in ([1, 2], [2, 1])
        for pair in of_match(meeting, ranks) * times
    ]


def gains(scenario):
    """The mean gain of the fifth bot, without and with the bounds."""
    seasons = [season(scenario, number) for number in range(SEASONS)]
    return [
        mean(judge(played_season, is_bounded).gain for played_season in seasons)
        for is_bounded in (False, True)
    ]


@pytest.mark.parametrize("helpers", [LONG(3), 6, LONG(12)])
def test_bots_of_one_account_that_always_lose_add_little(helpers):
    without, bounded = gains(Scenario("", helpers, 1.0, accounts=1))
    assert without > 30
    assert bounded < without / 2


@pytest.mark.exhaustive
@pytest.mark.parametrize("helpers", [LONG(3), 6])
def test_accounts_that_always_lose_add_less(helpers):
    without, bounded = gains(Scenario("", helpers, 1.0))
    assert without > 50
    assert bounded < 0.85 * without


def test_honest_ratings_change_little():
    for number in range(SEASONS):
        played = season(Scenario(""), number)
        without, bounded = (judge(played, is_bounded) for is_bounded in (False, True))
        assert bounded.error < 1.15 * without.error
        assert bounded.tau > without.tau - 0.05


@pytest.mark.exhaustive
def test_an_honest_bot_keeps_half_of_what_it_gains_by_an_opponent_that_suits_it():
    without, bounded = gains(Scenario("", beats=0))
    _, without_opponent = gains(Scenario(""))
    assert bounded > without_opponent + (without - without_opponent) / 2 - 10


def test_a_cycle_of_bots_that_always_beat_the_next_leaves_them_equal():
    meetings = [[bot, (bot + step) % 9] for bot in range(9) for step in (1, 4, 7)]
    log = [pair for bots in meetings for pair in of_match(bots, [1, 2])]
    fitted = fit(range(9), added(log * 10), authors={bot: bot for bot in range(9)})
    assert max(abs(fitted.strengths)) < 1e-6


def test_more_wins_against_a_bot_that_loses_on_purpose_add_less_and_less():
    honest = as_equals([0], [1, 2, 3], 10)
    authors = {bot: bot for bot in range(5)}

    def rating(wins, authors):
        fitted = fit(range(5), added([*honest, *of_match([0, 4], [1, 2]) * wins]), authors=authors)
        return fitted.strengths[0] - fitted.strengths[1:4].mean()

    bounded = [rating(wins, authors) for wins in (0, 20, 1000)]
    free = [rating(wins, None) for wins in (0, 20, 1000)]
    assert bounded == sorted(bounded)
    assert bounded[2] - bounded[0] < 0.8
    assert bounded[1] - bounded[0] <= free[1] - free[0] + 1e-9


def test_versions_of_one_author_are_not_many_witnesses():
    """Each version of the loser is a bot of its own to the fit."""
    versions = range(9, 29)
    honest = as_equals([0], range(1, 9), 5) + as_equals(versions, range(1, 9), 1)
    thrown = [pair for version in versions for pair in of_match([0, version], [1, 2]) * 10]
    authors = {bot: min(bot, 9) for bot in range(29)}
    pairs = added([*honest, *thrown])
    free, bounded = (fit(range(29), pairs, authors=bounded_by).strengths for bounded_by in (None, authors))
    assert free[0] - free[1:9].mean() > 1
    assert bounded[0] - bounded[1:9].mean() < (free[0] - free[1:9].mean()) / 2


def found(played):
    return [look(course) for course in played]


@pytest.mark.parametrize(
    "scenario",
    [
        Scenario("", 6, 1.0),
        LONG(Scenario("", 12, 1.0)),
        LONG(Scenario("", 6, 1.0, accounts=1)),
        LONG(Scenario("", 12, 1.0, seats=4)),
    ],
)
def test_a_bot_to_which_others_lose_is_found(scenario):
    seen = found(season(scenario, number) for number in range(SEASONS))
    assert mean(seen_course.fifth for seen_course in seen) >= 2 / 3


@pytest.mark.parametrize(("seats", "seasons"), [(2, SEASONS), LONG(2, 8), LONG(4, 8)])
def test_in_honest_seasons_next_to_nothing_is_found(seats, seasons):
    seen = found(season(Scenario("", seats=seats), number) for number in range(seasons))
    assert sum(seen_course.anyone for seen_course in seen) <= 1


def test_a_pair_that_is_odd_is_named_with_what_was_expected():
    pairs = added([*of_match([1, 2], [1, 2]) * 30, *as_equals([1], [3], 15)])
    bots = {rating: 10 * rating for rating in (1, 2, 3)}
    met = scores(pairs, {1: 1500.0, 2: 1500.0, 3: 1500.0}, bots)
    [odd] = odd_pairs(met, {})
    assert (odd.bot, odd.opponents) == (10, (20,))
    assert (odd.score.comparisons, odd.score.share, odd.score.expected_share) == (30, 1.0, 0.5)


def test_draws_against_equals_are_not_odd():
    pairs = added(of_match([1, 2], [1, 1]) * 500)
    met = scores(pairs, {1: 1500.0, 2: 1500.0}, {1: 1, 2: 2})
    assert (odd_pairs(met, {}), uneven_bots(met, {})) == ([], [])


def test_a_competition_without_matches_has_nothing_odd():
    assert (odd_pairs({}, {}), uneven_bots({}, {})) == ([], [])
