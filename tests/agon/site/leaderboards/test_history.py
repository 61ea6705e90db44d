"""Ratings have a history: seldom enough to be kept, and shown as a curve with its data."""

import csv
import io
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from agon.site.leaderboards import fitting, history, ratings
from agon.site.leaderboards.models import Leaderboard, Rating, RatingPoint
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from tests.support.factories import activate, played

pytestmark = [pytest.mark.django_db, pytest.mark.production]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def four(user, competition):
    return activate(user, competition, ["Rita", "Sue", "Tom", "Una"])


def play(four) -> None:
    competition = four[0].bot.competition
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, four)
    match = leases.claim("w")
    assert leases.finish(match, played(match))
    fitting.fit_now(competition.pk)


def test_a_fit_adds_a_point_for_each_bot_that_played_and_the_next_ones_wait(four, competition):
    play(four)
    points = RatingPoint.objects.filter(rating__competition=competition)
    assert points.all().count() == 4
    for point in points:
        assert (point.value, point.played) == (point.rating.rating, 1)
        assert point.low < point.value < point.high
    play(four)
    assert points.all().count() == 4
    Leaderboard.objects.update(recorded=datetime.now(UTC) - 2 * history.EVERY)
    play(four)
    assert points.all().count() == 8
    assert {point.played for point in points.order_by("-at")[:4]} == {3}


def test_a_bot_that_did_not_play_gets_no_further_point(four, competition):
    play(four)
    board = Leaderboard.objects.get(competition=competition)
    history.record(board, board.recorded + timedelta(hours=1))
    assert RatingPoint.objects.count() == 4


def test_old_points_are_thinned_to_one_an_hour_and_then_to_one_a_day(four, competition):
    rating = Rating.objects.filter(competition=competition).first()
    ages = {"new": timedelta(hours=5), "older": timedelta(days=3), "old": timedelta(days=20)}
    RatingPoint.objects.bulk_create(
        RatingPoint(
            rating=rating, at=NOON - age + timedelta(minutes=10 * n), value=n, low=0, high=0, played=1
        )
        for age in ages.values()
        for n in range(18)  # three hours
    )
    board = ratings.lock(competition)
    board.recorded = NOON - timedelta(days=1)
    history.record(board, NOON)
    left = {
        name: RatingPoint.objects.filter(at__gte=NOON - age, at__lt=NOON - age + timedelta(hours=4)).count()
        for name, age in ages.items()
    }
    assert left == {"new": 18, "older": 3, "old": 1}
    last = RatingPoint.objects.order_by("at").first()
    assert last.value == 17  # of the day, the last one is kept
    assert board.recorded == NOON


def test_the_page_of_a_bot_shows_its_curve_and_gives_the_data(four):
    play(four)
    bot = four[0].bot
    rating = Rating.objects.get(rated__submission=four[0])
    RatingPoint.objects.filter(rating=rating).delete()
    assert "Rating of Rita" not in Client().get(f"/bots/{bot.pk}/").content.decode()  # one point is no curve

    RatingPoint.objects.create(
        rating=rating, at=rating.seated - timedelta(days=1), value=900, low=800, high=1000, played=3
    )
    page = Client().get(f"/bots/{bot.pk}/").content.decode()
    assert "Rating of Rita" in page
    assert "<polygon" in page
    rows = list(csv.DictReader(io.StringIO(Client().get(f"/bots/{bot.pk}/ratings.csv").content.decode())))
    assert [(row["version"], float(row["rating"]), float(row["low"])) for row in rows] == [
        ("1", 900, 800),
        ("1", rating.rating, rating.low),
    ]


def test_a_curve_of_one_day_says_the_times_of_the_day(four):
    play(four)
    rating = Rating.objects.get(rated__submission=four[0])
    Rating.objects.filter(pk=rating.pk).update(seated=NOON)
    RatingPoint.objects.filter(rating=rating).delete()
    point = RatingPoint.objects.create(
        rating=rating, at=NOON - timedelta(minutes=150), value=900, low=800, high=1000, played=3
    )
    address = f"/bots/{four[0].bot_id}/"
    page = Client().get(address).content.decode()
    assert "9:30 a.m. UTC</tspan></text>" in page
    assert "noon UTC</tspan></text>" in page
    RatingPoint.objects.filter(pk=point.pk).update(at=NOON - timedelta(days=1))
    page = Client().get(address).content.decode()
    assert "02/28/2026</tspan></text>" in page
    assert "03/01/2026</tspan></text>" in page


def test_times_and_faults_are_downloads_too(four):
    play(four)
    bot = four[0].bot
    faults = Client().get(f"/bots/{bot.pk}/faults.csv").content.decode()
    assert faults == "version,matches,faults\n1,1,0\n"
    times = Client().get(f"/bots/{bot.pk}/times.csv?version=1").content.decode()
    assert times.startswith("share_of_limit_from,matches\n0.0,")
