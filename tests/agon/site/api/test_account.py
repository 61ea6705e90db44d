"""What an owner chooses for the account by program: the profile, what it follows, which notices it gets."""

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from agon.client import Site
from agon.site.accounts.models import LONGEST_ABOUT, User
from agon.site.bots import states
from agon.site.bots.states import State
from agon.site.events.models import Event, Follow, Mailing
from tests.support.factories import activate, submit

from .conftest import Program

pytestmark = [pytest.mark.django_db, pytest.mark.production]


@pytest.fixture
def bob(db) -> Program:
    return Program(User.objects.create_user("bob"))


def choice(program: Program, kind: str) -> tuple[bool, bool]:
    [setting] = [notice for notice in program.get("me/notices").json()["choices"] if notice["type"] == kind]
    return setting["site"], setting["mail"]


def test_the_profile_is_what_the_page_shows(ada):
    about = "I write bots.\r\nhttps://example.org/bots"
    assert ada.patch("me", {"about": about}).json()["about"] == "I write bots.\nhttps://example.org/bots"

    assert ada.get("me").json()["about"] == "I write bots.\nhttps://example.org/bots"
    page = Client().get("/u/ada/").content.decode()
    assert '<a href="https://example.org/bots" rel="nofollow">' in page


@pytest.mark.parametrize(
    "about", ["x" * (LONGEST_ABOUT + 1), "a\n" * 9, "fine\n\u202eevil", "half\ud800", None, 7]
)
def test_a_profile_that_cannot_be_shown_is_refused(ada, user, about):
    User.objects.filter(pk=user.pk).update(about="as it was")
    refused = ada.patch("me", {"about": about})

    assert refused.status_code in (400, 422)
    assert refused.json()["code"] in ("invalid", "bad_json")
    assert ada.get("me").json()["about"] == "as it was"


def test_a_followers_notices_have_the_news_of_a_bot(bob, user, competition):
    bot = activate(user, competition, ["Rita"])[0].bot
    for _ in range(2):
        assert bob.post(f"bots/{bot.pk}/follow").json()["name"] == "Rita"
    assert [follow["bot"] for follow in bob.get("me/following").json()] == [bot.pk]
    submit(user, competition, "Rita", State.QUALIFYING).move(states.ACTIVATE)
    assert [item["type"] for item in bob.get("me/events").json()["items"]] == ["version.active"]

    for _ in range(2):
        assert bob.delete(f"bots/{bot.pk}/follow").status_code == 204
    assert bob.get("me/following").json() == []
    assert not Follow.objects.exists()


def test_a_competition_is_followed(bob, competition):
    assert bob.post("competitions/samurai/follow").json()["bot"] is None
    assert [follow["competition"] for follow in bob.get("me/following").json()] == ["samurai"]
    assert bob.delete("competitions/samurai/follow").status_code == 204
    assert bob.post("competitions/samurais/follow").json()["code"] == "not_found"


def test_what_cannot_be_followed_is_said(ada, bob, user, competition):
    own = activate(user, competition, ["Rita"])[0].bot
    refused = ada.post(f"bots/{own.pk}/follow")
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert "your own bots" in refused.json()["detail"]
    failed = submit(user, competition, "Sue", State.REJECTED).bot
    assert bob.post(f"bots/{failed.pk}/follow").status_code == 404
    assert not Follow.objects.exists()


def test_kinds_of_notices_are_turned_off_and_the_others_stay(ada, user, competition):
    body = {"choices": [{"type": "version.active", "site": False}]}
    assert ada.patch("me/notices", body).status_code == 200
    submit(user, competition, "Rita", State.QUALIFYING).move(states.ACTIVATE)
    browser = Client()
    browser.force_login(user)

    assert choice(ada, "version.active") == (False, False)
    assert choice(ada, "version.rejected") == (True, False)
    assert "Version 1 of Rita" not in browser.get("/notices/").content.decode()
    assert Event.objects.filter(account=user).count() == 1  # the feed has everything


def test_mail_is_chosen_where_the_site_sends_some(ada, user, settings):
    settings.MAIL = True
    body = {"choices": [{"type": "bot.stopped", "site": True, "mail": True}]}
    data = ada.patch("me/notices", body, **{"accept-language": "ru"}).json()
    assert data["mail"] is False  # no address is confirmed
    EmailAddress.objects.create(user=user, email="ada@example.org", verified=True, primary=True)

    assert ada.get("me/notices").json()["mail"] is True
    assert choice(ada, "bot.stopped") == (True, True)
    assert Mailing.objects.get().language == "ru"


@pytest.mark.parametrize(
    ("wanted", "pointer"),
    [
        ([], "/choices"),
        ([{"type": "bot.stopped"}], "/choices/0/site"),
        ([{"type": "bot.stopped", "site": 2}], "/choices/0/site"),
        ([{"type": "bot.flies", "site": True}], "/choices/0/type"),
        ([{"type": "matches.finished", "site": True}], "/choices/0/type"),
        ([{"type": "bot.stopped", "site": True}] * 2, "/choices/1/type"),
        ([{"type": "bot.stopped", "site": True, "mail": True}], "/choices/0/mail"),
    ],
)
def test_a_choice_that_is_none_is_refused_whole(ada, wanted, pointer):
    refused = ada.patch("me/notices", {"choices": wanted})

    assert refused.status_code == 422
    assert [error["pointer"] for error in refused.json()["errors"]] == [pointer]
    assert all(choice(ada, kind) == (True, False) for kind in ("bot.stopped", "version.active"))


def test_a_token_for_one_competition_changes_nothing_of_the_account(user, competition, coup):
    limited = Program(user, competition=coup)

    for refused in (
        limited.patch("me", {"about": "hello"}),
        limited.patch("me/notices", {"choices": [{"type": "bot.stopped", "site": False}]}),
        limited.post("competitions/samurai/follow"),
        limited.delete("competitions/samurai/follow"),
    ):
        assert (refused.status_code, refused.json()["code"]) == (403, "other_competition")
    assert limited.post("competitions/coup/follow").status_code == 200


def test_a_token_that_may_read_changes_nothing(user, competition):
    reader = Program(user, scopes=("read",))

    assert reader.get("me/notices").status_code == 200
    for refused in (
        reader.patch("me", {"about": "hello"}),
        reader.patch("me/notices", {"choices": []}),
        reader.post("competitions/samurai/follow"),
    ):
        assert refused.json()["code"] in ("scope_missing", "invalid")
    assert not Follow.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_scripts_choose_with_the_client(live_server, token, competition):
    with Site(live_server.url, token) as site:
        assert site.call("PATCH", "me", {"about": "I write bots."})["about"] == "I write bots."
        site.post("competitions/samurai/follow")
        assert [follow["competition"] for follow in site.call("GET", "me/following")] == ["samurai"]
        assert site.call("DELETE", "competitions/samurai/follow") is None
