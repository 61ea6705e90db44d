"""The page of notices with its bell, and the badge of a bot."""

import xml.etree.ElementTree as ElementTree

import pytest
from django.test import Client

from agon.site.bots import states
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import State
from agon.site.competitions.models import Competition
from agon.site.events import choices
from agon.site.events.models import Event
from agon.site.matches import leases, queueing, results
from agon.site.matches.models import Match
from agon.site.use_cases import leaving_play
from tests.support.factories import activate, duel, submit

from .conftest import browser_of


def unread(client: Client) -> str:
    """What the bell of a page says."""
    page = client.get("/docs/").content.decode()
    _before, _found, after = page.partition('class="count" aria-hidden="true">')
    return after.partition("<")[0]


def test_owners_learn_how_their_versions_did(signed_in, user, bob, competition):
    submit(user, competition, "Rita", State.QUALIFYING).move(states.ACTIVATE)
    submit(user, competition, "Sue", State.BUILDING).move(states.REJECT)
    assert unread(signed_in) == "2"
    assert unread(browser_of(bob)) == ""

    page = signed_in.get("/notices/").content.decode()
    assert "Version 1 of Rita has qualified and plays." in page
    assert page.index("Version 1 of Sue was rejected.") < page.index("Version 1 of Rita")
    assert page.count('class="badge"') == 2
    assert unread(signed_in) == ""
    assert signed_in.get("/notices/").content.decode().count('class="badge"') == 0
    assert "Rita" not in browser_of(bob).get("/notices/").content.decode()


def test_a_bot_that_is_stopped_is_told(signed_in, user, competition, organizer):
    version = submit(user, competition, "Rita", State.QUALIFYING)
    version.move(states.ACTIVATE)
    leaving_play.perform("stop", version.bot, organizer, "odd")

    assert "Rita was stopped." in signed_in.get("/notices/").content.decode()


@pytest.fixture
def rps(db) -> Competition:
    return Competition.objects.create(slug="rps", game="honest_rps", title="RPS")


def claim(rps, seats: list[Submission]) -> Match:
    queueing.queue(rps, Match.Kind.LADDER, Match.Queue.INTERACTIVE, seats)
    return leases.claim("w")


def test_a_first_win_is_told_once(signed_in, bob, user, rps):
    seats = activate(user, rps, ["Rita"]) + activate(bob, rps, ["Tom"])
    for strengths in ([], ["Rita", "Tom"], ["Rita", "Tom"]):
        match = claim(rps, seats)
        assert leases.finish(match, duel(match, strengths))

    assert signed_in.get("/notices/").content.decode().count("Rita has won a rated match") == 1
    assert "Tom has won" not in browser_of(bob).get("/notices/").content.decode()


def test_results_that_are_stored_together_have_one_first_win(signed_in, user, rps):
    seats = activate(user, rps, ["Rita", "Tom"])
    matches = [claim(rps, seats) for _ in range(3)]
    leases.finish_all([results.just_ended(match, duel(match, ["Rita", "Tom"])) for match in matches])

    assert signed_in.get("/notices/").content.decode().count("Rita has won a rated match") == 1


def test_kinds_can_be_turned_off(signed_in, user, competition):
    submit(user, competition, "Rita", State.QUALIFYING).move(states.ACTIVATE)
    submit(user, competition, "Sue", State.BUILDING).move(states.REJECT)
    page = signed_in.post("/notices/", {"site": ["version.active", "bot.stopped"]}, follow=True)
    shown = page.content.decode()

    assert "Your choice was saved." in shown
    assert "Rita has qualified" in shown
    assert "Sue was rejected" not in shown
    assert shown.count(" checked") == 2
    signed_in.post("/notices/", {"site": []})
    assert unread(signed_in) == ""
    signed_in.post("/notices/", {"site": ["version.active", "version.rejected"]})
    assert "Sue was rejected" in signed_in.get("/notices/").content.decode()


def test_what_was_chosen_by_mail_stays_while_the_site_sends_none(signed_in, user, settings):
    settings.MAIL = True
    signed_in.post("/notices/", {"site": [], "mail": ["bot.stopped"]})
    settings.MAIL = False
    signed_in.post("/notices/", {"site": ["bot.stopped", "version.active"]})
    settings.MAIL = True
    chosen = choices.of_account(user)
    assert [kind for kind in chosen if chosen[kind].by_mail] == ["bot.stopped"]
    assert [kind for kind in chosen if chosen[kind].on_site] == ["version.active", "bot.stopped"]


def test_a_kind_that_does_not_exist_changes_nothing(signed_in):
    page = signed_in.post("/notices/", {"site": ["matches.finished", "'"]}, follow=True).content.decode()

    assert "Nothing was changed." in page
    assert page.count(" checked") == 13


def test_what_is_gone_is_left_out(signed_in, user, competition):
    version = submit(user, competition, "Rita", State.QUALIFYING)
    version.move(states.ACTIVATE)
    Event.objects.update(data={"bot": 10**9, "submission": 10**9})

    assert "Rita" not in signed_in.get("/notices/").content.decode()


def test_many_are_counted_as_many(signed_in, user, competition):
    for number in range(12):
        submit(user, competition, f"Rita {number}", State.BUILDING).move(states.REJECT)

    assert unread(signed_in) == "9+"


def test_looking_at_the_headers_reads_nothing(signed_in, user, competition):
    submit(user, competition, "Rita", State.BUILDING).move(states.REJECT)
    signed_in.head("/notices/")

    assert unread(signed_in) == "1"


@pytest.mark.parametrize(
    ("name", "least"),
    [("Rita", 24), ("<svg onload=1>", 84), ("\u202eatiR", 30), ("W" * 40, 240), ("強い子" * 4, 132)],
)
def test_a_badge_is_a_picture_with_the_name_whatever_it_is(client, user, competition, name, least):
    """least: pixels in which the name can be read."""
    bot = Bot.objects.create(owner=user, competition=competition, name=name)
    response = client.get(f"/bots/{bot.pk}/badge.svg")

    picture = ElementTree.fromstring(response.content)
    texts = list(picture.iter("{http://www.w3.org/2000/svg}text"))
    assert [text.text for text in texts] == [name, "unranked"]
    middle = float(texts[0].get("x", 0))  # of the half with the name
    assert least <= float(texts[0].get("textLength", 0)) < 2 * middle
    assert response.headers["Content-Type"] == "image/svg+xml"
    assert "max-age" in response.headers["Cache-Control"]
