"""Competitions by program: the same drafts, changes and files as on the pages."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from agon.site.accounts.models import User
from agon.site.competitions.models import Competition, CompetitionDraft
from agon.site.tokens.services import issue

pytestmark = pytest.mark.django_db
SETTINGS = {"title": "Spring cup", "slug": "spring-cup", "game": "honest_rps", "text": "Hello."}


class Program:
    """Sends requests with the token of an account."""

    def __init__(self, user: User) -> None:
        self.headers = {"authorization": f"Bearer {issue(user, 'test', ['read', 'organize'])[1]}"}

    def __call__(self, method: str, path: str, data=None, **more):
        send = getattr(Client(), method)
        body = {"data": data, "content_type": "application/json"} if data is not None else {}
        return send(f"/api/v1{path}", **body, **more, headers=self.headers)


@pytest.fixture
def program(olga) -> Program:
    return Program(olga)


def test_from_a_draft_to_a_changed_competition(program):
    made = program("post", "/drafts", SETTINGS | {"entry_closes": "2030-01-01T00:00:00+05:45"})
    assert made.status_code == 201
    draft = made.json()
    assert draft["settings"]["entry_closes"] == "2029-12-31T18:15:00Z"
    assert Client().get("/api/v1/competitions/spring-cup").status_code == 404

    wanted = {"settings": SETTINGS | {"ladder": False}, "revision": draft["revision"]}
    saved = program("put", f"/drafts/{draft['id']}", wanted).json()
    assert any("ladder is off" in finding for finding in saved["findings"])
    late = program("put", f"/drafts/{draft['id']}", wanted | {"settings": SETTINGS})
    assert (late.status_code, late.json()["code"]) == (409, "conflict")

    assert program("post", f"/drafts/{draft['id']}/open", {}).status_code == 201
    assert program("get", f"/drafts/{draft['id']}").status_code == 404
    data = program("get", "/competitions/spring-cup/settings").json()
    assert (data["settings"]["ladder"], data["organizers"], data["link"]) == (False, ["olga"], None)

    changed = {"settings": data["settings"] | {"entry": "link"}, "seen": data["seen"], "reason": "Ours."}
    answer = program("put", "/competitions/spring-cup/settings", changed)
    assert answer.json()["link"].endswith(f"/{Competition.objects.get().entry_secret}/")
    again = program("put", "/competitions/spring-cup/settings", changed | {"settings": SETTINGS})
    assert (again.status_code, again.json()["code"]) == (409, "conflict")
    assert "changed meanwhile" in again.json()["detail"]
    [change, opened] = Client().get("/api/v1/competitions/spring-cup/changes").json()
    assert (change["act"], change["by"], change["reason"]) == ("change competition", "olga", "Ours.")
    assert opened["act"] == "open competition"


def test_an_export_of_one_site_is_a_draft_of_another_with_the_same_bytes(program):
    draft = program("post", "/drafts", SETTINGS).json()
    program("post", f"/drafts/{draft['id']}/open", {})
    first = program("get", "/competitions/spring-cup/export").content
    Competition.objects.update(slug="old", title="Old")
    sent = {"file": SimpleUploadedFile("cup.zip", first)}
    made = Client().post("/api/v1/drafts/import", sent, headers=program.headers)
    assert made.status_code == 201
    program("post", f"/drafts/{made.json()['id']}/open", {})
    assert program("get", "/competitions/spring-cup/export").content == first


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"slug": "Spring Cup"}, "/slug"),
        ({"game": "chess"}, "/game"),
        ({"entry": "friends"}, "/entry"),
        ({"entry_closes": "tomorrow"}, "/entry_closes"),
        ({"entry_closes": "2030-01-01T00:00:00"}, "/entry_closes"),
        ({"time_zone": "Mars/Olympus"}, "/time_zone"),
        ({"bots_per_owner": 0}, "/bots_per_owner"),
        ({"text": "x" * 20_001}, "/text"),
        ({"prize": "cake"}, "/prize"),
        ({"prizes": [{"places": "0", "text": "A cup"}]}, "/prizes"),
    ],
)
def test_what_is_wrong_is_named_by_a_pointer_and_nothing_is_kept(program, change, pointer):
    answer = program("post", "/drafts", SETTINGS | change)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]
    assert not CompetitionDraft.objects.exists()


def test_a_token_for_one_competition_makes_no_drafts(olga, competition):
    token = issue(olga, "test", ["organize"], competition)[1]
    headers = {"authorization": f"Bearer {token}"}
    answer = Client().post("/api/v1/drafts", SETTINGS, content_type="application/json", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (403, "other_competition")


def test_organizers_are_added_and_removed_by_name(program, user):
    draft = program("post", "/drafts", SETTINGS).json()
    program("post", f"/drafts/{draft['id']}/open", {})
    last = program("delete", "/competitions/spring-cup/organizers/olga")
    assert (last.status_code, last.json()["code"]) == (422, "refused")
    added = program("post", "/competitions/spring-cup/organizers", {"name": "ada"}).json()
    assert added["organizers"] == ["olga", "ada"]
    assert Program(user)("get", "/competitions/spring-cup/settings").status_code == 200
    assert program("delete", "/competitions/spring-cup/organizers/olga").status_code == 204
    assert program("get", "/competitions/spring-cup/settings").status_code == 403
