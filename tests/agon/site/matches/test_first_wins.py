"""The first rated match that a bot wins is shown to its owner once."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from tests.support.factories import activate, duel

STOP_POLLING = 286


@pytest.fixture
def rps(db) -> Competition:
    cache.clear()
    return Competition.objects.create(slug="rps", game="honest_rps", title="RPS")


@pytest.fixture
def bots(user, rps):
    """ada's bots: Ada and Bea."""
    return activate(user, rps, ["Ada", "Bea"])


@pytest.fixture
def ada(user) -> Client:
    browser = Client()
    browser.force_login(user)
    return browser


def play(rps, seats, winner: str) -> Match:
    """winner: "" for a draw."""
    queueing.queue(rps, Match.Kind.LADDER, Match.Queue.INTERACTIVE, list(seats))
    match = leases.claim("w")
    strengths = sorted((seat.bot.name for seat in seats), key=lambda name: name != winner)
    assert leases.finish(match, duel(match, strengths if winner else []))
    return match


def note(browser: Client):
    return browser.get("/c/rps/first-win/")


def places(browser: Client, bot: Bot) -> list[bool]:
    """Whether the leaderboard, the bot's page and that of its version have a place for the note."""
    pages = ("/c/rps/", bot.get_absolute_url(), bot.submissions.get().get_absolute_url())
    return ['id="first-win"' in browser.get(page).content.decode() for page in pages]


@pytest.mark.production
def test_the_note_comes_with_the_first_win_names_the_match_and_goes_once_it_was_shown(ada, rps, bots):
    first, second = bots
    play(rps, bots, "")
    assert note(ada).status_code == 204
    match = play(rps, bots, "Ada")
    shown = note(ada)
    assert shown.status_code == STOP_POLLING
    text = shown.content.decode()
    assert "Ada won a rated match for the first time, against Bea." in text
    assert match.get_absolute_url() in text
    for _twice in range(2):
        assert ada.post("/c/rps/first-win/", {"bot": first.bot_id}).status_code == 204
    assert note(ada).status_code == 204
    play(rps, bots, "Bea")
    assert "Bea won a rated match" in note(ada).content.decode()
    assert second.bot_id


def test_pages_have_a_place_for_it_until_it_was_shown_and_for_the_owner_alone(ada, client, bots):
    first, second = bots
    assert places(ada, first.bot) == [True, True, True]
    assert places(client, first.bot)[:2] == [False, False]
    Bot.objects.filter(pk=first.bot_id).update(first_win_shown=timezone.now())
    assert places(ada, first.bot) == [True, False, False]
    Bot.objects.filter(pk=second.bot_id).update(first_win_shown=timezone.now())
    assert places(ada, first.bot) == [False, False, False]


def test_a_page_of_a_bot_shows_the_win_of_this_bot_alone(ada, rps, bots):
    play(rps, bots, "Ada")
    first, second = bots
    for version in bots:
        for page in (version.bot, version):
            assert f'first-win/?bot={version.bot_id}"' in ada.get(page.get_absolute_url()).content.decode()
    assert ada.get(f"/c/rps/first-win/?bot={second.bot_id}").status_code == 204
    assert "Ada won a rated match" in ada.get(f"/c/rps/first-win/?bot={first.bot_id}").content.decode()
    assert ada.get("/c/rps/first-win/?bot=x").status_code == 204


def test_matches_that_are_not_rated_do_not_count(ada, rps, bots):
    match = play(rps, bots, "Ada")
    Match.objects.filter(pk=match.pk).update(kind=Match.Kind.COMPARISON)
    assert note(ada).status_code == 204


def test_a_win_of_long_ago_is_not_news(ada, rps, bots):
    match = play(rps, bots, "Ada")
    Match.objects.filter(pk=match.pk).update(finished_at=timezone.now() - timedelta(days=8))
    assert note(ada).status_code == 204


def test_nobody_confirms_or_sees_it_for_others(client, rps, bots):
    bob = User.objects.create_user("bob")
    play(rps, bots, "Ada")
    assert client.get("/c/rps/first-win/").status_code == 302
    client.force_login(bob)
    assert note(client).status_code == 204
    assert client.post("/c/rps/first-win/", {"bot": bots[0].bot_id}).status_code == 404
    assert client.post("/c/rps/first-win/", {"bot": "x"}).status_code == 404
    assert Bot.objects.filter(first_win_shown=None).count() == 2
