"""The ladder plays while ratings are uncertain, and then no more."""

import random

import pytest

from bots.models import Submission
from leaderboards import ladder
from leaderboards.ladder import AHEAD, MOST, SURE, Contender
from leaderboards.models import Leaderboard, Rating
from leaderboards.table import rows
from matches import leases
from matches.models import Match
from matches.states import State
from tests.support.factories import activate, played

pytestmark = pytest.mark.production


@pytest.fixture
def five(user, competition):
    return activate(user, competition, ["a", "b", "c", "d", "e"])


def settle(submissions, sigma=SURE, played=50):
    Rating.objects.filter(submission__in=submissions).update(sigma=sigma, played=played)


def test_a_few_matches_are_queued_and_no_more(competition, five):
    assert ladder.top_up(competition) == AHEAD
    assert ladder.top_up(competition) == 0
    assert competition.matches.filter(kind="ladder", queue="bulk", state="queued").count() == AHEAD


def test_everybody_sits_at_a_table_once(competition, five):
    ladder.top_up(competition)

    for match in competition.matches.all():
        assert len({seat.submission_id for seat in match.seats.all()}) == 4


def test_it_plays_until_the_ratings_are_certain_and_then_idles(competition, five, monkeypatch):
    """Soon certain: in the one transaction of a test, each match takes PostgreSQL longer than the last."""
    monkeypatch.setattr(ladder, "SURE", 5.0)
    limit = 5 * MOST
    matches = 0
    while ladder.top_up(competition) or Match.objects.filter(state=State.QUEUED).exists():
        match = leases.claim("w")
        leases.finish(match, played(match))
        matches += 1
        assert matches < limit

    assert all(each.sigma <= ladder.SURE or each.played >= MOST for each in Rating.objects.all())
    assert ladder.top_up(competition) == 0


def test_it_wakes_for_a_newcomer_and_seats_it_in_every_match(user, competition, five):
    settle(five)
    assert ladder.top_up(competition) == 0

    [newcomer] = activate(user, competition, ["new"])

    assert ladder.top_up(competition) == AHEAD
    for match in competition.matches.all():
        assert newcomer in [seat.submission for seat in match.seats.all()]


def test_the_least_played_come_first(competition, five):
    settle(five, sigma=5, played=20)
    settle(five[:1], sigma=5, played=0)

    ladder.top_up(competition)

    assert all(match.seats.filter(submission=five[0]).exists() for match in competition.matches.all())


def test_a_submission_that_has_played_enough_is_left_alone_however_uncertain(competition, five):
    settle(five, sigma=8, played=MOST)

    assert ladder.top_up(competition) == 0


def test_a_closed_competition_does_not_play(competition, five):
    competition.state = competition.State.CLOSED

    assert ladder.top_up(competition) == 0


def test_fewer_bots_than_seats_do_not_play(user, competition):
    activate(user, competition, ["a", "b", "c"])

    assert ladder.top_up(competition) == 0


def test_finished_matches_are_followed_by_others(competition, five, django_capture_on_commit_callbacks):
    ladder.top_up(competition)
    for _ in range(AHEAD):
        match = leases.claim("w")
        with django_capture_on_commit_callbacks(execute=True):
            leases.finish(match, played(match))

    assert competition.matches.filter(state=State.QUEUED).count() > AHEAD // 2


def test_opponents_are_mostly_near_in_rating_and_sometimes_far():
    draw = random.Random(1)
    others = [Contender(Submission(pk=mu), float(mu), 3.0, 0) for mu in range(5, 50, 5)]
    first = Contender(Submission(pk=1000), 25.0, 3.0, 0)
    met = [
        submission.pk
        for _ in range(2000)
        for submission in ladder.seat(first, [first, *others], 2, draw)
        if submission.pk != 1000
    ]

    near = sum(abs(mu - 25) <= 10 for mu in met)
    assert near > 1400
    assert set(met) == {each.submission.pk for each in others}


def test_everybody_sits_in_every_seat_equally_often():
    draw = random.Random(1)
    contenders = [Contender(Submission(pk=pk), 25.0, 8.0, 0) for pk in range(1, 5)]
    first = [ladder.seat(contenders[0], contenders, 4, draw)[0].pk for _ in range(2000)]

    assert all(400 < first.count(pk) < 600 for pk in range(1, 5))


def test_the_leaderboard_ranks_by_what_is_certain(competition, five):
    skills = {"a": (30, 8), "b": (28, 2), "c": (20, 1), "d": (5, 3), "e": (28, 2)}
    for each in five:
        mu, sigma = skills[each.bot.name]
        Rating.objects.filter(submission=each).update(mu=mu, sigma=sigma)

    table = rows(competition)

    assert [(row.rank, row.bot) for row in table] == [(1, "b"), (1, "e"), (3, "c"), (4, "a"), (5, "d")]
    assert [row.points for row in table] == [880, 880, 680, 240, 0]
    assert {row.author for row in table} == {"ada"}


def test_the_leaderboard_is_one_query(competition, five, django_assert_num_queries):
    with django_assert_num_queries(1):
        assert [row.author for row in rows(competition)] == ["ada"] * 5


def test_each_result_raises_the_version_by_one(competition, five):
    before = Leaderboard.objects.get(competition=competition).version
    ladder.top_up(competition)
    match = leases.claim("w")
    leases.finish(match, played(match))

    assert Leaderboard.objects.get(competition=competition).version == before + 1


def test_matches_that_the_platform_could_not_play_count_as_tried(competition, five):
    settle(five, sigma=8, played=MOST - 1)
    settle(five[4:])
    assert ladder.top_up(competition) > 0
    competition.matches.update(state=State.VOID)

    assert ladder.top_up(competition) == 0
