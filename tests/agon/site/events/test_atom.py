"""Atom feeds of one's notices and of a competition: valid, at addresses that can be made anew."""

import re
import xml.etree.ElementTree as ElementTree
from datetime import datetime, timedelta
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots import states
from agon.site.bots.models import Bot
from agon.site.bots.states import State
from agon.site.events import feed
from agon.site.events.models import Kind
from agon.site.tournaments import services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import Start
from agon.site.use_cases import closing_accounts, leaving_play
from tests.support.factories import activate, active_bots, submit

pytestmark = [pytest.mark.django_db, pytest.mark.production]
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def ada(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def address(client: Client, act: str = "") -> str:
    """The path of the feed that the page of notices shows, after a press of a button."""
    page = client.post("/notices/feed/", {"act": act}, follow=True).content.decode()
    matched = re.search(r"https?://[^/<]+(/notices/[^<]+\.atom)", page)
    return matched[1] if matched else ""


def links(path: str) -> list[str]:
    """The paths that the entries of a feed lead to."""
    found = ElementTree.fromstring(Client().get(path).content).findall(f"{ATOM}entry/{ATOM}link")
    return [urlsplit(link.get("href")).path for link in found]


def entries(path: str, reader: Client | None = None) -> list[str]:
    """The titles of a feed, which has what RFC 4287 requires."""
    response = (reader or Client()).get(path)
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("application/atom+xml")
    root = ElementTree.fromstring(response.content)
    assert root.tag == f"{ATOM}feed"
    for name in ("id", "title", "updated"):
        assert len(root.findall(ATOM + name)) == 1
        assert root.findtext(ATOM + name)
    assert root.findtext(f"{ATOM}author/{ATOM}name")
    [own] = [link for link in root.findall(f"{ATOM}link") if link.get("rel") == "self"]
    assert own.get("href").endswith(path)
    ids = []
    for entry in root.findall(f"{ATOM}entry"):
        for name in ("id", "title", "updated"):
            assert len(entry.findall(ATOM + name)) == 1
        assert datetime.fromisoformat(entry.findtext(f"{ATOM}updated")).tzinfo is not None
        [link] = entry.findall(f"{ATOM}link")
        assert link.get("href").startswith("http")
        assert (link.get("rel") or "alternate") == "alternate"
        ids.append(entry.findtext(f"{ATOM}id"))
    assert len(set(ids)) == len(ids)
    assert all(re.match(r"(tag|https?|urn):", uri) for uri in [*ids, root.findtext(f"{ATOM}id")])
    return [entry.findtext(f"{ATOM}title") for entry in root.findall(f"{ATOM}entry")]


def test_notices_are_in_the_feed_for_whoever_has_its_address(ada, user, competition):
    submit(user, competition, "Rita", State.QUALIFYING).move(states.ACTIVATE)
    submit(user, competition, "Sue", State.BUILDING).move(states.REJECT)

    assert entries(address(ada)) == [
        "Version 1 of Sue was rejected.",
        "Version 1 of Rita has qualified and plays.",
    ]


def test_what_is_turned_off_is_not_in_the_feed(ada, user, competition):
    submit(user, competition, "Sue", State.BUILDING).move(states.REJECT)
    ada.post("/notices/", {"site": ["version.active"]})

    assert entries(address(ada)) == []


def test_an_address_that_was_made_anew_or_removed_is_no_good_any_more(ada):
    first = address(ada)
    second = address(ada)
    assert first != second
    assert Client().get(first).status_code == 404
    assert entries(second) == []
    assert address(ada, "remove") == ""
    assert Client().get(second).status_code == 404


def test_reading_the_feed_reads_no_notices_and_signs_nobody_in(ada, user, competition):
    submit(user, competition, "Sue", State.BUILDING).move(states.REJECT)
    reader = Client()
    entries(address(ada), reader)

    assert not reader.cookies.get("sessionid")
    assert reader.get("/notices/").status_code == 302


def test_a_closed_account_has_no_feed(ada, user):
    path = address(ada)
    closing_accounts.close(user, user, "")

    assert Client().get(path).status_code == 404


def test_what_happens_in_a_competition_is_in_its_feed(user, competition):
    [own] = activate(user, competition, ["Rita"])
    leaving_play.rename(own.bot, user, "Rita 2")
    leaving_play.withdraw(own.bot, user)
    feed.add(Kind.LEADERBOARD_CHANGED, competition.pk, version=1)
    submit(user, competition, "Sue", State.BUILDING).move(states.REJECT)  # its owner's alone

    assert entries("/c/samurai/events.atom") == [
        "Rita 2 has left play.",
        "A bot is called Rita 2 now.",
    ]
    assert Client().get("/c/none/events.atom").status_code == 404


def test_the_feed_of_a_competition_leads_to_pages_that_everyone_may_see(user, competition):
    version = submit(user, competition, "Rita", State.QUALIFYING)
    version.move(states.ACTIVATE)

    assert links("/c/samurai/events.atom") == [version.bot.get_absolute_url()]


def test_notices_of_a_version_lead_to_its_page(ada, user, competition):
    version = submit(user, competition, "Rita", State.QUALIFYING)
    version.move(states.ACTIVATE)

    assert links(address(ada)) == [version.get_absolute_url()]


def test_announced_tournaments_are_in_its_feed_also_when_they_are_cancelled(user, competition):
    starts = Start(timezone.now() + timedelta(hours=1), Tournament.Field.ALL)
    staff = User.objects.create_superuser("staff")
    cup = services.create(staff, competition, "Cup", "rotations", 1, 1, [], starts=starts)
    services.create(staff, competition, "Secret", "rotations", 1, 1, active_bots(staff, competition, "abcd"))
    services.cancel(cup, staff, "no room")

    assert entries("/c/samurai/events.atom") == [
        "The tournament Cup was cancelled.",
        "The tournament Cup was announced.",
    ]


def test_a_name_that_xml_cannot_have_spoils_no_feed(user, competition):
    bot = Bot.objects.create(owner=user, competition=competition, name="a\x01b\uffff & <b>")
    feed.add(Kind.BOT_RETURNED, competition.pk, bot=bot.pk)

    assert entries("/c/samurai/events.atom") == ["a\ufffdb\ufffd & <b> plays again."]


def test_others_cannot_guess_or_change_an_address(ada, user):
    path = address(ada)
    stranger = Client()
    stranger.force_login(User.objects.create_user("bob"))

    assert len(path) > 40
    assert address(stranger) != path
    assert entries(path) == []
    assert Client().post("/notices/feed/").status_code == 302
