"""The ladder plays while ranks are undecided, and then no more."""

import random
from collections import Counter

import pytest
from django.conf import settings as django_settings
from django.utils import timezone

from agon.site.leaderboards import fitting, ladder
from agon.site.leaderboards.ladder import AHEAD
from agon.site.leaderboards.models import PROVISIONAL, Leaderboard, Rating
from agon.site.leaderboards.table import rows
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.matches.states import State
from agon.statistics.ratings import matchmaking
from agon.statistics.ratings.matchmaking import FOURTH, Contender, Goal
from tests.support.factories import activate, played

pytestmark = pytest.mark.production
MOST_MATCHES = django_settings.AGON_LADDER_MATCHES


@pytest.fixture
def five(user, competition):
    return activate(user, competition, ["a", "b", "c", "d", "e"])


def settle(submissions, count=50):
    """Ranked one after the other, and decided."""
    for place, submission in enumerate(submissions, start=1):
        Rating.objects.filter(rated__submission=submission).update(
            best=place, worst=place, rating=2000 - 100 * place, played=count
        )


def unsettle(submissions, count):
    Rating.objects.filter(rated__submission__in=submissions).update(best=1, worst=5, played=count)


def test_a_few_matches_are_queued_and_no_more(competition, five):
    assert ladder.top_up(competition) == AHEAD
    assert ladder.top_up(competition) == 0
    assert competition.matches.filter(kind="ladder", queue="bulk", state="queued").count() == AHEAD


def test_everybody_sits_at_a_table_once(competition, five):
    ladder.top_up(competition)

    for match in competition.matches.all():
        assert len({seat.submission_id for seat in match.seats.all()}) == 4


def test_it_plays_until_the_budget_is_spent_and_then_idles(competition, five, settings):
    """A small budget: in the one transaction of a test, each match takes PostgreSQL longer than the last."""
    settings.AGON_LADDER_MATCHES = 20
    while ladder.top_up(competition) or Match.objects.filter(state=State.QUEUED).exists():
        match = leases.claim("w")
        leases.finish(match, played(match))
        fitting.tick()

    wanting = Rating.objects.filter(played__lt=20)
    assert all(0 < line.best == line.worst for line in wanting)
    assert ladder.top_up(competition) == 0


def test_a_provisional_rating_is_played_for_until_it_is_not(competition, five):
    settle(five)
    unsettle(five[:1], PROVISIONAL - 1)
    Rating.objects.filter(rated__submission=five[0]).update(best=0, worst=0)
    assert ladder.top_up(competition) > 0


def test_it_wakes_for_a_newcomer_and_seats_it_in_every_match(user, competition, five):
    settle(five)
    assert ladder.top_up(competition) == 0

    [newcomer] = activate(user, competition, ["new"])

    assert ladder.top_up(competition) == AHEAD
    for match in competition.matches.all():
        assert newcomer in [seat.submission for seat in match.seats.all()]


def test_the_least_played_come_first_but_for_every_fourth_match(competition, five):
    unsettle(five, 20)
    unsettle(five[:1], 0)

    ladder.top_up(competition)

    without = [
        match for match in competition.matches.all() if not match.seats.filter(submission=five[0]).exists()
    ]
    assert len(without) <= AHEAD / FOURTH


def test_a_submission_that_has_played_enough_is_left_alone_however_undecided(competition, five):
    unsettle(five, MOST_MATCHES)

    assert ladder.top_up(competition) == 0


def test_an_organizer_may_ask_for_more_until_the_first_are_decided(competition, five):
    settle(five, MOST_MATCHES)
    unsettle(five[:2], MOST_MATCHES)
    assert ladder.top_up(competition) == 0

    ladder.decide(competition, 1, 100)

    assert ladder.top_up(competition) == AHEAD
    assert Leaderboard.objects.get(competition=competition).matches_left == 100 - AHEAD
    for match in competition.matches.all():
        assert {seat.submission for seat in match.seats.all()} & set(five[:2])


def test_what_an_organizer_asks_for_ends_when_it_is_found_out(competition, five):
    unsettle(five, MOST_MATCHES)
    ladder.decide(competition, 1, 100)
    settle(five, MOST_MATCHES)
    unsettle(five[3:], MOST_MATCHES - 1)
    Rating.objects.filter(rated__submission__in=five[3:]).update(best=4, worst=5)

    ladder.top_up(competition)

    assert Leaderboard.objects.get(competition=competition).decide_first == 0


def test_what_an_organizer_asks_for_ends_with_its_matches(competition, five):
    unsettle(five, MOST_MATCHES)
    ladder.decide(competition, 2, 3)

    assert ladder.top_up(competition) == 3
    competition.matches.all().delete()
    assert ladder.top_up(competition) == 0


def test_the_sweeper_plays_what_an_organizer_asks_for(competition, five):
    settle(five, MOST_MATCHES)
    unsettle(five[:2], MOST_MATCHES)
    ladder.tick()
    assert not competition.matches.exists()

    ladder.decide(competition, 1, 100)
    ladder.tick()

    assert competition.matches.count() == AHEAD


def test_the_sweeper_ends_a_request_when_nothing_is_left_to_find_out(competition, five):
    settle(five, MOST_MATCHES)
    ladder.decide(competition, 1, 100)
    before = Leaderboard.objects.get(competition=competition).version

    ladder.tick()

    board = Leaderboard.objects.get(competition=competition)
    assert (board.decide_first, board.matches_left) == (0, 0)
    assert board.version > before  # open pages show the request no longer


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


def met(first, others, times=2000):
    draw = random.Random(1)
    pairs = (matchmaking.seat(first, [first, *others], 2, draw) for _ in range(times))
    return Counter(bot.id for pair in pairs for bot in pair if bot is not first)


def test_opponents_are_mostly_near_in_rating_and_sometimes_far():
    others = [Contender(rating, float(rating)) for rating in range(0, 3001, 300)]
    often = met(Contender(-1, 1500.0), others)

    assert sum(often[rating] for rating in range(900, 2101, 300)) > 1400
    assert set(often) == {contender.id for contender in others}


def test_opponents_are_mostly_those_that_are_not_separated_from_it():
    others = [Contender(1, 1500.0, best=1, worst=3), Contender(2, 1500.0, best=4, worst=4)]
    often = met(Contender(0, 1500.0, best=2, worst=3), others)

    assert often[1] > 3 * often[2] > 0


def test_of_an_authors_bots_the_slow_one_is_drawn_less_often():
    others = [Contender(1, 1500.0, author=7, bot_minutes=5.0), Contender(2, 1500.0, author=7)]
    often = met(Contender(0, 1500.0), others)

    assert often[2] > 10 * often[1]


@pytest.mark.parametrize("seats", [2, 3, 4, 8])
def test_seats_are_balanced(seats):
    draw = random.Random(1)
    contenders = [Contender(pk, 1500.0) for pk in range(9)]
    for _ in range(40 * seats):
        for number, seated in enumerate(matchmaking.seat(draw.choice(contenders), contenders, seats, draw)):
            seated.seats[number] += 1

    for contender in contenders:
        often = [contender.seats[number] for number in range(seats)]
        assert max(often) - min(often) <= 4


def test_who_wants_a_match_is_seated_within_four_times_as_many_as_there_are_contenders():
    """The bound that matchmaking.py states, while newcomers come all the time."""
    draw = random.Random(1)
    goal = Goal(most=10_000)
    old = [Contender(pk, 1500.0, played=1000, waited_since=pk) for pk in range(6)]
    contenders, waiting, longest = list(old), Counter(), 0
    for match in range(1, 400):
        if match % 3 == 0:  # a newcomer takes the place of one that gave up
            newcomers = contenders[len(old) :][-5:]
            contenders = [*old, *newcomers, Contender(1000 + match, 1500.0, waited_since=float(match))]
        wanting = [contender for contender in contenders if goal.wants(contender)]
        first = matchmaking.first_of(wanting, match % FOURTH == 0, draw)
        for submission in matchmaking.seat(first, contenders, 2, draw):
            submission.played += 1
            submission.waited_since = 1000.0 + match
            waiting[submission.id] = 0
        for submission in old:
            waiting[submission.id] += 1
            longest = max(longest, waiting[submission.id])

    assert longest <= FOURTH * (len(old) + 6)


def test_the_leaderboard_is_in_the_order_of_ratings_and_who_has_not_played_stands_apart(
    user, competition, five
):
    ratings = {"a": 1400, "b": 1700, "c": 1600, "d": 1500, "e": 1500}
    for submission in five:
        Rating.objects.filter(rated__submission=submission).update(
            rating=ratings[submission.bot.name], played=50
        )
    Rating.objects.filter(rated__submission__in=five).update(best=1, worst=3)
    Rating.objects.filter(rated__submission=five[0]).update(best=5, worst=5)
    Rating.objects.filter(rated__submission=five[3]).update(played=PROVISIONAL - 1)
    Rating.objects.filter(rated__submission=five[4]).update(played=0)

    table = rows(competition)

    assert [(row.bot, row.rank) for row in table] == [
        ("b", "1–3"),
        ("c", "1–3"),
        ("d", "?"),
        ("a", "5"),
        ("e", "–"),
    ]
    assert {row.author for row in table} == {"ada"}


def test_the_leaderboard_is_one_query(competition, five, django_assert_num_queries):
    with django_assert_num_queries(1):
        assert [row.author for row in rows(competition)] == ["ada"] * 5


def test_each_fit_raises_the_version_by_one(competition, five):
    fitting.tick()
    before = Leaderboard.objects.get(competition=competition).version
    ladder.top_up(competition)
    for _ in range(2):
        match = leases.claim("w")
        leases.finish(match, played(match))
    assert Leaderboard.objects.get(competition=competition).version == before

    Leaderboard.objects.update(next_fit=timezone.now())
    fitting.tick()
    fitting.tick()

    assert Leaderboard.objects.get(competition=competition).version == before + 1


def test_matches_that_the_platform_could_not_play_count_as_tried(competition, five):
    unsettle(five, MOST_MATCHES - 1)
    settle(five[4:])
    assert ladder.top_up(competition) > 0
    competition.matches.update(state=State.VOID)

    assert ladder.top_up(competition) == 0
