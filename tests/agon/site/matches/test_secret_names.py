"""Nobody learns whom a bot meets in a match of the ladder that waits or runs: a helper could tell the bot."""

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from agon.contest.attempts import FailureKind
from agon.site.accounts.models import User
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from tests.support.factories import activate, played
from tests.support.reasons import said

NAMES = ["alphabot", "betabot", "gammabot", "deltabot"]


@pytest.fixture
def seated(competition):
    owners = [User.objects.create_user(f"owner{number}") for number in range(4)]
    return [activate(owner, competition, [name])[0] for owner, name in zip(owners, NAMES, strict=True)]


@pytest.fixture(params=["queued", "running", "again"])
def match(request, competition, seated):
    """A match of the ladder that waits, that runs for a while, or whose first worker was lost."""
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, seated, seed=3)
    if request.param == "queued":
        return Match.objects.get()
    claimed = leases.claim("w")
    Match.objects.filter(pk=claimed.pk).update(started=timezone.now() - timedelta(minutes=1))
    if request.param == "again":
        assert leases.fail(claimed, said("the box was lost"), kind=FailureKind.BOX, asked=range(4))
    cache.clear()
    return Match.objects.get()


def client_of(user=None):
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def addresses(match, bots):
    page, listed = match.get_absolute_url(), "/c/samurai/matches/"
    own, opponent = bots[0].pk, bots[1].pk
    of_match = [
        "",
        "?part=match",
        "live.json",
        "embed/",
        "log.json",
        "record.json",
        "picture.png",
        "debug.json",
    ]
    lists = ["", "part=rows", f"state={match.state}", "kind=ladder", f"bot={opponent}", f"bot={own}"]
    lists += [f"bot={own}&against={opponent}", f"against={opponent}", f"bot={opponent}&seat=2&version=1"]
    return [
        *(f"{page}{part}" for part in of_match),
        f"/oembed/?url=http://testserver{page}",
        *(f"{listed}?{query}" for query in lists),
        *(bot.get_absolute_url() for bot in bots),
        *(f"/u/owner{number}/" for number in range(4)),
        *("/", "/?part=cards", "/c/samurai/", "/c/samurai/?part=board", f"/bots/{opponent}/analysis/"),
    ]


def told(text, match):
    """Names that a page puts beside the number of the match: the name in a row, link, title or list of it."""
    if f"#{match.pk}" not in text and f"/matches/{match.pk}/" not in text:
        return set()
    rows = re.findall(rf'<tr id="match-{match.pk}">.*?</tr>', text, re.DOTALL)
    links = re.findall(rf'<a[^>]*href="[^"]*/matches/{match.pk}/"[^>]*>.*?</a>', text, re.DOTALL)
    return {name for name in NAMES for part in [*rows, *links] if name in part}


@pytest.mark.first(1)
@pytest.mark.parametrize("reader", [None, "owner0", "stranger"])
def test_no_page_says_who_plays(match, seated, reader):
    """A crawl as an anonymous visitor, as the author of a bot of the match, and as another user."""
    user = None if reader is None else User.objects.get_or_create(username=reader)[0]
    own = {"alphabot"} if reader == "owner0" else set()
    client, bots = client_of(user), [submission.bot for submission in seated]
    answered = 0
    for address in addresses(match, bots):
        answer = client.get(address)
        answered += answer.status_code == 200
        text = answer.content.decode()
        if address.startswith((match.get_absolute_url(), "/oembed/")):
            assert {name for name in NAMES if name in text} <= own, address
        assert told(text, match) <= own, address
    assert answered > 15


@pytest.mark.first(1)
def test_the_lists_of_a_bot_do_not_tell_that_it_plays_except_to_its_owner(match, seated):
    """Two such lists side by side would tell who meets whom."""
    row = f'id="match-{match.pk}"'
    bots = [submission.bot for submission in seated]
    stranger, owner = client_of(), client_of(bots[0].owner)
    for bot in bots:
        for address in (bot.get_absolute_url(), f"/c/samurai/matches/?bot={bot.pk}"):
            assert row not in stranger.get(address).content.decode()
    assert row in owner.get(f"/c/samurai/matches/?bot={bots[0].pk}").content.decode()
    assert row not in owner.get(f"/c/samurai/matches/?bot={bots[1].pk}").content.decode()
    both = f"/c/samurai/matches/?bot={bots[0].pk}&against={bots[1].pk}"
    assert row not in owner.get(both).content.decode()


def test_the_list_says_that_it_is_shown_later(match):
    page = client_of().get("/c/samurai/matches/").content.decode()
    assert "Shown when it is over" in page


def test_where_all_names_are_hidden_there_is_no_empty_table(match, seated):
    shown = client_of().get(match.get_absolute_url()).content.decode()
    assert '<table class="result">' not in shown
    assert "Who plays is shown when the match is over" in shown


def test_an_owner_sees_the_own_bot_on_the_page_of_the_match(match, seated):
    page = client_of(seated[0].bot.owner).get(match.get_absolute_url()).content.decode()
    assert "alphabot" in page
    assert "Seat 2" in page


def test_once_it_is_over_everyone_sees_everything(competition, seated):
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, seated, seed=3)
    claimed = leases.claim("w")
    before = client_of().get("/c/samurai/matches/").content.decode()
    assert not [name for name in NAMES if f'seat-name">{name}' in before]
    assert leases.finish(claimed, played(claimed))
    for address in (
        claimed.get_absolute_url(),
        "/c/samurai/matches/",
        f"/c/samurai/matches/?bot={seated[1].bot_id}&against={seated[2].bot_id}",
        seated[3].bot.get_absolute_url(),
    ):
        page = client_of().get(address).content.decode()
        assert {name for name in NAMES if name in page} == {*NAMES}, address
