"""What the home page says is on now: running tournaments, and upsets of the last hour."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots.states import REJECT
from agon.site.leaderboards.models import Rating
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.tournaments import happening, scheduling, services
from agon.site.tournaments.models import Tournament
from tests.support.factories import activate, played, submit


@pytest.fixture
def four(user, competition):
    """Active bots with settled ratings: 1700, 1600, 1500 and 1400."""
    submissions = activate(user, competition, ["Ann", "Bea", "Cyn", "Dot"])
    for place, submission in enumerate(submissions):
        Rating.objects.filter(rated=submission.rated).update(rating=1700.0 - 100 * place, played=50)
    return submissions


@pytest.fixture
def won_by(four, competition):
    """A finished rated match, which the bot `number` won alone."""

    def play(number: int) -> Match:
        queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, four)
        match = leases.claim("w")
        assert leases.finish(match, played(match))
        match.seats.update(won=False)
        match.seats.filter(number=number).update(won=True)
        return match

    return play


@pytest.mark.production
def test_a_bot_that_beat_a_much_stronger_one_is_an_upset(won_by):
    match = won_by(3)
    [upset] = happening.upsets()
    assert (upset.match, upset.winner, upset.loser, upset.points) == (match.pk, "Dot", "Ann", 300)


def test_a_bot_that_was_expected_to_win_is_none(won_by):
    won_by(0)
    won_by(1)
    assert happening.upsets() == []


def test_the_greatest_comes_first_and_each_pair_once(won_by):
    won_by(2)
    won_by(3)
    latest = won_by(3)
    upsets = happening.upsets()
    assert [upset.winner for upset in upsets] == ["Dot", "Cyn"]
    assert upsets[0].match == latest.pk


def test_an_hour_later_it_is_no_news(won_by):
    match = won_by(3)
    Match.objects.filter(pk=match.pk).update(finished_at=timezone.now() - timedelta(minutes=61))
    assert happening.upsets() == []


def test_ratings_that_are_not_settled_do_not_count(won_by, four):
    won_by(2)
    assert happening.upsets() != []
    cache.clear()
    Rating.objects.filter(rated=four[0].rated).update(played=3)
    assert happening.upsets() == []


@pytest.fixture
def cup(four, competition, db) -> Tournament:
    orga = User.objects.create_superuser("orga")
    return services.create(
        orga, competition, "Cup", "rotations", 1, 1, [submission.bot for submission in four]
    )


@pytest.mark.production
def test_a_running_tournament_is_on_with_how_far_it_is_of_all_its_matches(cup, monkeypatch):
    """As on its own page: most matches of a long one are not queued yet."""
    monkeypatch.setattr(scheduling, "CHUNK", 2)
    monkeypatch.setattr(scheduling, "LARGEST_CHUNK", 2)
    assert happening.running() == []
    services.start(cup)
    cache.clear()
    match = leases.claim("w")
    assert leases.finish(match, played(match))
    [on] = happening.running()
    assert (on.tournament, on.played, on.planned) == (cup, 1, 4)  # the four rotations of one table
    assert cup.matches.count() == 2


def test_the_home_page_shows_both(cup, won_by):
    won_by(3)
    services.start(cup)
    page = Client().get("/").content.decode()
    assert "Cup" in page
    assert "Dot beat Ann" in page
    assert "although rated 300 points lower" in page


def test_readers_share_what_is_on(cup, won_by, django_assert_max_num_queries):
    won_by(3)
    services.start(cup)
    Client().get("/?part=cards")
    with django_assert_max_num_queries(4):
        Client().get("/?part=cards")


@pytest.fixture
def announced(four, competition):
    """Makes a draft that starts by itself at a time."""
    boss = User.objects.create_superuser("boss")

    def announce(name, at, field=Tournament.Field.PEOPLE):
        bots = [submission.bot for submission in four] if field == Tournament.Field.CHOSEN else []
        starts = services.Start(at, field)
        return services.create(boss, competition, name, "rotations", 1, 1, bots, starts=starts)

    return announce


def test_announced_tournaments_are_on_the_home_page_with_what_is_left_until_they_start(announced):
    now = timezone.now()
    later = announced("Later", now + timedelta(days=2))
    soon = announced("Soon", now + timedelta(hours=2))
    announced("Secret field", now + timedelta(hours=1), Tournament.Field.CHOSEN)

    assert happening.upcoming() == [soon, later]
    page = Client().get("/").content.decode()
    assert f'data-countdown="{soon.starts_at.isoformat()}">about 2 hours</span>' in page
    assert "Secret field" not in page


def test_an_announced_tournament_whose_time_has_come_is_announced_no_more(announced):
    cup = announced("Soon", timezone.now() + timedelta(hours=2))
    assert happening.upcoming() == [cup]
    Tournament.objects.filter(pk=cup.pk).update(starts_at=timezone.now() - timedelta(seconds=1))
    cache.clear()
    assert happening.upcoming() == []


def test_the_page_of_an_announced_tournament_counts_down_and_follows_its_start(announced):
    cup = announced("Soon", timezone.now() + timedelta(hours=2))
    page = Client().get(cup.get_absolute_url()).content.decode()
    assert "data-countdown" in page
    assert "?part=progress" in page


def test_the_home_page_names_the_bots_that_qualified_last_once_each(client, user, competition, four):
    house = activate(User.objects.create_user("house"), competition, ["Stone"])[0].bot
    house.house = True
    house.save()
    activate(user, competition, ["Ann"])  # a second version is no news
    assert [submission.name for submission in happening.newest()] == ["Dot", "Cyn", "Bea"]
    failed = submit(user, competition, "Hapless")
    failed.move(REJECT)
    page = client.get("/").content.decode()
    assert page.count('id="new-') == 3
    assert "Hapless" not in page
