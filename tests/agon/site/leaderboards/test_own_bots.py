"""What authors see of their own bots: on the home page, on their own page, and whom to overtake next."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from agon.site.competitions.models import Competition
from agon.site.leaderboards import fitting, table
from agon.site.leaderboards.models import Rating, RatingPoint
from agon.site.leaderboards.own_bots import own_bots
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.tournaments import scheduling, services
from agon.site.tournaments.models import Tournament
from tests.support.factories import activate, duel

pytestmark = [pytest.mark.django_db, pytest.mark.production]


@pytest.fixture
def rps(db) -> Competition:
    return Competition.objects.create(slug="rps", game="honest_rps", title="RPS")


@pytest.fixture
def three(user, rps):
    """Ada beat Bea, and both beat Cid, in enough matches for a rank."""
    bots = activate(user, rps, ["Ada", "Bea", "Cid"])
    for first, second in ((0, 1), (1, 2), (0, 2)):
        for _ in range(6):
            play(bots[first], bots[second])
    fitting.fit_now(rps.pk)
    return bots


def play(winner, loser) -> Match:
    queueing.queue(winner.bot.competition, Match.Kind.LADDER, Match.Queue.BULK, [winner, loser])
    match = leases.claim("w")
    assert leases.finish(match, duel(match, [winner.bot.name, loser.bot.name]))
    Match.objects.filter(state="queued").delete()
    return match


def signed_in(user) -> Client:
    browser = Client()
    browser.force_login(user)
    return browser


def test_the_home_page_shows_authors_their_bots_in_place_of_the_introduction(user, three):
    page = signed_in(user).get("/").content.decode()
    rows = {row.bot: row for row in table.rows(three[0].bot.competition)}
    assert "Let it fight." not in page
    for submission in three:
        assert page.count(f'href="/bots/{submission.bot_id}/">{submission.bot.name}</a>') >= 1
        assert f"{rows[submission.bot.name].points}" in page
        assert f"Rank {rows[submission.bot.name].rank}</strong>" in page
    assert "Let it fight." in Client().get("/").content.decode()


def test_a_change_is_counted_from_the_first_rating_of_the_last_day(user, three):
    rating = Rating.objects.get(rated__submission=three[0])
    RatingPoint.objects.filter(rating=rating).delete()
    now = round(rating.rating)
    for hours, value in ((30, now - 500), (20, now - 80), (2, now - 30)):
        RatingPoint.objects.create(
            rating=rating, at=timezone.now() - timedelta(hours=hours), value=value, low=0, high=0, played=1
        )
    changes = {bot.row.bot: bot.change for bot in own_bots(user, 5)}
    assert changes["Ada"] == 80
    assert "+80" in signed_in(user).get("/").content.decode()
    RatingPoint.objects.filter(rating=rating).delete()
    assert {bot.row.bot: bot.change for bot in own_bots(user, 5)}["Ada"] is None


def test_own_bots_take_three_queries_and_the_newest_come_first(user, three, django_assert_num_queries):
    with django_assert_num_queries(3):
        rows = own_bots(user, 2)
    assert [row.row.bot for row in rows] == ["Cid", "Bea"]


def test_the_page_of_a_bot_names_the_next_better_one_and_leads_to_their_matches(three):
    rows = {row.bot: row for row in table.rows(three[0].bot.competition)}
    page = Client().get(f"/bots/{three[2].bot_id}/").content.decode()
    assert f'id="above" href="/bots/{three[1].bot_id}/">Bea</a>' in page
    assert f"+{rows['Bea'].points - rows['Cid'].points}</span>" in page
    listed = Client().get(f"/c/rps/matches/?bot={three[2].bot_id}&against={three[1].bot_id}")
    assert listed.content.decode().count('id="match-link-') == 6
    assert 'id="above"' not in Client().get(f"/bots/{three[0].bot_id}/").content.decode()


@pytest.mark.exhaustive
def test_the_next_better_one_has_a_rank(user, three):
    rating = Rating.objects.get(rated__submission=three[1])
    Rating.objects.filter(pk=rating.pk).update(played=1)  # provisional, so without a rank
    competition = three[0].bot.competition
    [cid] = [row for row in table.rows(competition) if row.bot == "Cid"]
    assert [shown_row.bot for shown_row in [table.above(competition, cid)] if shown_row] == ["Ada"]


def test_an_author_s_page_lists_the_latest_matches_that_everyone_may_see(user, three):
    cup = services.create(
        user, three[0].bot.competition, "Cup", "round_robin", 1, 3, [submission.bot for submission in three]
    )
    services.start(cup)
    while (match := leases.claim("w")) is not None:
        assert leases.finish(match, duel(match, ["Ada", "Bea", "Cid"]))
    scheduling.settle(cup.pk)
    of_the_cup = cup.matches.order_by("-pk").first()
    link = f'id="match-link-{of_the_cup.pk}"'
    page = Client().get("/u/ada/").content.decode()
    assert link in page
    assert page.count('id="match-link-') == 12
    Tournament.objects.filter(pk=cup.pk).update(release=Tournament.Release.ORGANIZERS)
    assert link not in Client().get("/u/ada/").content.decode()
