"""Announcements of a competition: who reads them, who is told, and what becomes of them."""

import json

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.bots.models import Bot
from agon.site.competitions.models import Announcement, Competition
from agon.site.events import mailing
from agon.site.events.models import Event, Follow
from agon.site.tokens.services import issue
from agon.site.use_cases import closing_accounts
from tests.agon.site.web.conftest import browser_of
from tests.support.factories import activate

pytestmark = pytest.mark.django_db
WORDS = {"title": "The finals are on Friday", "text": "At **six**, in [room 5](https://example.org/room)."}


@pytest.fixture
def rps(olga) -> Competition:
    """A competition that olga runs."""
    made = Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")
    made.organizers.create(user=olga)
    return made


def announced(desk: Client, **changes: str) -> Announcement:
    answer = desk.post("/c/rps/announcements/new/", WORDS | changes)
    assert answer.status_code == 302, answer.content.decode()
    return Announcement.objects.get(pk=int(answer["Location"].rstrip("/").rsplit("/", 1)[1]))


def read(path: str, reader: Client | None = None) -> str:
    answer = (reader or Client()).get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def told(reader: Client) -> int:
    """How many notices name the announcement."""
    return read("/notices/", reader).count(WORDS["title"])


def api(user: User, method: str, path: str, data: object = None):
    headers = {"authorization": f"Bearer {issue(user, 'test', ['read', 'organize'])[1]}"}
    body = {} if data is None else {"data": json.dumps(data), "content_type": "application/json"}
    return getattr(Client(), method)(f"/api/v1/{path}", **body, headers=headers)


class TestReading:
    def test_everyone_reads_it_on_the_pages_of_the_competition(self, desk, rps):
        made = announced(desk)
        for path in ("/c/rps/", "/c/rps/announcements/"):
            assert f'href="/c/rps/announcements/{made.pk}/"' in read(path)
        page = read(made.get_absolute_url())
        assert "At <strong>six</strong>" in page
        assert 'href="https://example.org/room"' in page
        assert "olga" in page

    def test_nothing_of_a_text_is_code(self, desk, rps):
        text = "<script>alert(1)</script> [x](javascript:alert(1)) <img src=x onerror=alert(1)>"
        page = read(announced(desk, text=text).get_absolute_url())
        assert "<script>alert" not in page
        assert 'href="javascript' not in page
        assert "<img src=x" not in page

    def test_those_who_take_part_or_follow_are_told_and_see_it_on_the_home_page(self, desk, rps, user, bob):
        activate(user, rps, ["Rita"])
        follower = User.objects.create_user("fay")
        Follow.objects.create(account=follower, competition=rps)
        announced(desk)
        readers = {person.username: browser_of(person) for person in (user, follower, bob)}
        assert {name: told(reader) for name, reader in readers.items()} == {"ada": 1, "fay": 1, "bob": 0}
        shown = {name: WORDS["title"] in read("/", reader) for name, reader in readers.items()}
        assert shown == {"ada": True, "fay": True, "bob": False}
        assert WORDS["title"] not in read("/")

    def test_members_of_a_team_are_told_and_owners_of_deleted_bots_are_not(self, desk, rps, user, bob):
        browser_of(bob).post("/teams/", {"name": "Quokkas"})
        team = User.objects.get(username="Quokkas")
        activate(team, rps, ["Hop"])
        activate(user, rps, ["Gone"])
        Bot.objects.filter(name="Gone").update(state="deleted", active=None)
        announced(desk)
        assert (told(browser_of(bob)), told(browser_of(user))) == (1, 0)

    def test_it_is_in_the_feeds_of_the_competition(self, desk, rps):
        made = announced(desk)
        assert "Honest RPS: The finals are on Friday" in read("/c/rps/events.atom")
        [event] = Client().get("/api/v1/competitions/rps/events").json()["items"]
        assert event["type"] == "announcement.made"
        assert event["links"]["announcement"].endswith(f"/api/v1/announcements/{made.pk}")

    def test_one_who_turned_such_notices_off_has_none(self, desk, rps, user):
        activate(user, rps, ["Rita"])
        reader = browser_of(user)
        reader.post("/notices/", {"site": ["version.active"]})
        announced(desk)
        assert told(reader) == 0

    def test_it_is_mailed_to_those_who_chose_that_and_to_no_one_else(
        self, desk, rps, user, bob, settings, mailoutbox
    ):
        settings.MAIL = True
        for person in (user, bob):
            person.emailaddress_set.create(email=f"{person.username}@example.org", verified=True)
            activate(person, rps, [f"{person.username}'s"])
        browser_of(user).post("/notices/", {"site": ["announcement.made"], "mail": ["announcement.made"]})
        made = announced(desk)
        mailing.send_due()
        [mail] = mailoutbox
        assert mail.to == ["ada@example.org"]
        assert made.title in mail.body
        assert made.get_absolute_url() in mail.body


class TestSaying:
    def test_a_preview_shows_it_and_announces_nothing(self, desk, rps):
        answer = desk.post("/c/rps/announcements/new/", WORDS | {"preview": "1"})
        assert answer.status_code == 200
        assert "At <strong>six</strong>" in answer.content.decode()
        assert not Announcement.objects.exists()

    @pytest.mark.parametrize(
        ("field", "value", "words"),
        [
            ("title", " ", "required"),
            ("title", "x" * 121, "120"),
            ("title", "a\u202eb", "no control characters"),
            ("title", "\u200b", "visible letters"),
            ("title", "a\0b", "Null characters"),
            ("text", "", "required"),
            ("text", "x" * 10_001, "10000"),
            ("text", "a\u202eb", "turn text around"),
            ("text", "a\0b", "Null characters"),
        ],
    )
    def test_what_is_wrong_is_said_beside_its_field(self, desk, rps, field, value, words):
        answer = desk.post("/c/rps/announcements/new/", WORDS | {field: value})
        assert answer.status_code == 422
        errors = " ".join(answer.context["form"].errors[field]).replace("\u202f", "").replace(",", "")
        assert words in errors
        assert not Announcement.objects.exists()

    def test_a_request_that_is_sent_again_announces_nothing_again(self, desk, rps, user, olga):
        activate(user, rps, ["Rita"])
        first = announced(desk)
        assert announced(desk) == first
        again = api(olga, "post", "competitions/rps/announcements", WORDS)
        assert (again.status_code, again.json()["id"]) == (201, first.pk)
        assert told(browser_of(user)) == 1
        assert Act.objects.filter(verb="announce").count() == 1

    def test_a_competition_announces_a_bounded_number_a_day(self, desk, rps):
        for number in range(10):
            announced(desk, title=f"News {number}")
        answer = desk.post("/c/rps/announcements/new/", WORDS)
        assert "At most 10 announcements a day" in answer.content.decode()
        assert Announcement.objects.count() == 10

    def test_only_those_who_run_it_announce(self, rps, user, bob):
        Competition.objects.create(slug="other", game="coup", title="Other").organizers.create(user=bob)
        for browser in (browser_of(user), browser_of(bob)):
            assert browser.get("/c/rps/announcements/new/").status_code == 404
            assert browser.post("/c/rps/announcements/new/", WORDS).status_code == 404
        assert api(bob, "post", "competitions/rps/announcements", WORDS).status_code == 403
        assert not Announcement.objects.exists()

    @pytest.mark.exhaustive
    def test_thousands_who_follow_cost_the_request_a_few_statements(self, desk, rps):
        announced(desk, title="For none")

        def statements(title: str) -> int:
            with CaptureQueriesContext(connection) as asked:
                announced(desk, title=title)
            return len(asked)

        before = statements("For some")
        people = User.objects.bulk_create(
            User(username=f"f{number}", name_key=f"f{number}") for number in range(5000)
        )
        Follow.objects.bulk_create(Follow(account=person, competition=rps) for person in people)
        assert statements("For all") - before < 40  # SQLite takes 200 rows in one
        assert Event.objects.filter(kind="announcement.made", account__in=people).count() == 5000


class TestChanging:
    def test_an_edited_one_is_marked_and_nobody_is_told_again(self, desk, rps, user):
        activate(user, rps, ["Rita"])
        made = announced(desk)
        address = f"{made.get_absolute_url()}edit/"
        desk.post(address, WORDS | {"text": "At seven.", "revision": "1"})
        page = read(made.get_absolute_url())
        assert "At seven." in page
        assert "edited" in page
        assert told(browser_of(user)) == 1

        late = desk.post(address, WORDS | {"text": "At eight.", "revision": "1"})
        assert late.status_code == 422
        assert "changed meanwhile (text)" in late.content.decode()
        assert Announcement.objects.get().text == "At seven."

    def test_a_withdrawn_one_is_nowhere(self, desk, rps, user, olga):
        activate(user, rps, ["Rita"])
        made = announced(desk)
        reader = browser_of(user)
        assert desk.post(f"{made.get_absolute_url()}withdraw/").status_code == 302
        assert reader.get(made.get_absolute_url()).status_code == 404
        assert desk.get(f"{made.get_absolute_url()}edit/").status_code == 404
        assert Client().get(f"/api/v1/announcements/{made.pk}").status_code == 404
        for path in ("/", "/c/rps/", "/c/rps/announcements/", "/notices/", "/c/rps/events.atom"):
            assert WORDS["title"] not in read(path, reader)
        assert api(olga, "get", "competitions/rps/announcements").json()["items"] == []

    def test_each_act_is_in_the_log_with_what_was_said(self, desk, rps, olga):
        made = announced(desk)
        desk.post(f"{made.get_absolute_url()}edit/", WORDS | {"text": "At seven.", "revision": "1"})
        desk.post(f"{made.get_absolute_url()}withdraw/")
        acts = Act.objects.filter(competition=rps).order_by("pk")
        assert [(act.verb, act.actor, act.details["text"]) for act in acts] == [
            ("announce", olga, WORDS["text"]),
            ("edit announcement", olga, "At seven."),
            ("withdraw announce", olga, "At seven."),
        ]

    def test_all_of_it_by_program(self, rps, olga):
        made = api(olga, "post", "competitions/rps/announcements", WORDS).json()
        assert Client().get(f"/api/v1/announcements/{made['id']}").json()["title"] == WORDS["title"]
        change = WORDS | {"text": "At seven.", "revision": made["revision"]}
        changed = api(olga, "put", f"announcements/{made['id']}", change)
        assert changed.json()["edited"] is not None
        late = api(olga, "put", f"announcements/{made['id']}", change | {"text": "At eight."})
        assert (late.status_code, late.json()["code"]) == (409, "conflict")
        [listed] = Client().get("/api/v1/competitions/rps/announcements").json()["items"]
        assert listed["text"] == "At seven."
        for _ in range(2):
            gone = api(olga, "delete", f"announcements/{made['id']}")
        assert gone.status_code == 404
        bad = api(olga, "post", "competitions/rps/announcements", {"title": "a\u202eb", "text": " "})
        assert [error["pointer"] for error in bad.json()["errors"]] == ["/title", "/text"]


def test_a_closed_account_leaves_what_it_announced(desk, rps, olga):
    made = announced(desk)
    closing_accounts.close(olga, olga, "")
    assert WORDS["title"] in read(made.get_absolute_url())
    assert "olga" not in read(made.get_absolute_url())
