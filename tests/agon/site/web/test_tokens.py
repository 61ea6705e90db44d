"""The page of access tokens."""

import re

import pytest
from django.test import Client

from agon.site.accounts.models import User
from agon.site.competitions.models import Competition
from agon.site.tokens import services
from agon.site.tokens.models import Token

from .conftest import PASSWORD, browser_of


@pytest.fixture
def ada(db) -> User:
    return User.objects.create_user("ada", password=PASSWORD)


@pytest.fixture
def client(ada: User) -> Client:
    return browser_of(ada)


def make(client: Client, follow: bool = True, **fields):
    form = {"name": "laptop", "scopes": ["read", "submit"], "days": "90", "password": PASSWORD} | fields
    return client.post("/accounts/tokens/", form, follow=follow)


def text_in(response) -> str | None:
    matched = re.search(r"agon_[A-Za-z0-9]{40}", response.content.decode())
    return matched[0] if matched else None


def test_a_token_is_shown_once_and_works(client, ada):
    text = text_in(make(client))

    assert text is not None
    assert text_in(client.get("/accounts/tokens/")) is None
    assert "laptop" in client.get("/accounts/tokens/").content.decode()
    answer = Client().get("/api/v1/me", headers={"authorization": f"Bearer {text}"})
    assert answer.json()["name"] == "ada"
    assert answer.json()["token"]["scopes"] == ["read", "submit"]


def test_a_revoked_token_works_no_more(client, ada):
    text = text_in(make(client))
    page = client.post(f"/accounts/tokens/{Token.objects.get().pk}/revoke/", follow=True)

    assert "laptop was revoked" in page.content.decode()
    assert Client().get("/api/v1/me", headers={"authorization": f"Bearer {text}"}).status_code == 401


def test_a_token_may_be_limited_to_a_competition(client, ada, competition):
    make(client, competition=competition.pk)

    assert Token.objects.get().competition == competition


@pytest.mark.parametrize(
    "fields",
    [{"password": "wrong"}, {"name": "  "}, {"scopes": []}, {"scopes": ["organize"]}, {"days": "9999"}],
)
def test_what_is_wrong_is_said_and_nothing_is_made(client, fields):
    response = make(client, **fields)

    assert response.status_code == 422
    assert "errors" in response.content.decode()
    assert not Token.objects.exists()


def test_passwords_cannot_be_tried_without_end(client):
    for _ in range(10):
        make(client, password="wrong")

    assert make(client).status_code == 422
    assert not Token.objects.exists()


def test_an_account_has_so_many_tokens(client, ada, monkeypatch):
    monkeypatch.setattr(services, "MOST_TOKENS", 1)
    make(client)

    assert "Revoke one first" in make(client).content.decode()
    assert Token.objects.count() == 1


def test_tokens_of_others_can_be_neither_seen_nor_revoked(client, ada, bob):
    services.issue(bob, "secret laptop", ["read"])

    assert "secret laptop" not in client.get("/accounts/tokens/").content.decode()
    assert client.post(f"/accounts/tokens/{Token.objects.get().pk}/revoke/").status_code == 404
    assert Token.objects.exists()


def test_closing_an_account_removes_its_tokens(client, ada):
    make(client)
    client.post("/u/ada/close/", {"password": PASSWORD})

    assert not Token.objects.exists()


def test_organizers_are_offered_more(client, organizer):
    assert 'value="organize"' not in client.get("/accounts/tokens/").content.decode()
    assert 'value="organize"' in browser_of(organizer).get("/accounts/tokens/").content.decode()


def test_the_page_of_a_competition_that_is_gone_is_no_error(client, ada):
    newest = Competition.objects.create(slug="x", game="coup", title="X")
    assert make(client, competition=newest.pk + 1).status_code == 422
