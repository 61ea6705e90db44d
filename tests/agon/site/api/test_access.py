"""Who is let in: tokens with scopes, no sessions."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from agon.site.bots.models import Submission
from agon.site.competitions.models import Competition
from agon.site.tokens import services
from agon.site.tokens.models import Token

from .conftest import ALL, Program


def problem(response, status: int, code: str) -> dict:
    assert response.status_code == status
    assert response.headers["Content-Type"] == "application/problem+json"
    data = response.json()
    assert (data["status"], data["code"]) == (status, code)
    return data


def test_what_is_public_needs_no_token(anyone, competition):
    assert anyone.get("competitions/samurai").json()["title"] == competition.title


def test_an_account_is_needed_to_enter(anyone, competition):
    response = anyone.submit()

    problem(response, 401, "token_needed")
    assert response.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("given", ["Bearer agon_nonsense", "Bearer ", "Basic YTpi", "agon_x", "Bearer \xe9"])
def test_a_token_that_is_none_is_refused_even_where_none_is_needed(competition, db, given):
    response = Client().get("/api/v1/competitions", headers={"authorization": given})

    problem(response, 401, "token_unknown")


def test_a_session_does_not_count(user, competition):
    client = Client()
    client.force_login(user)

    problem(client.get("/api/v1/me"), 401, "token_needed")


def test_a_token_in_the_address_does_not_count(user, db):
    text = services.issue(user, "test", ALL)[1]

    refusal = problem(Client().get(f"/api/v1/me?token={text}"), 422, "invalid")
    assert text not in str(refusal)


def test_an_expired_token_says_so(user):
    program = Program(user, days=1)
    Token.objects.update(expires=timezone.now() - timedelta(seconds=1))

    problem(program.get("me"), 401, "token_expired")


def test_a_revoked_token_is_unknown(user):
    program = Program(user)
    services.revoke(program.token)

    problem(program.get("me"), 401, "token_unknown")


def test_a_token_of_an_account_that_may_not_sign_in_is_unknown(user):
    program = Program(user)
    user.is_active = False
    user.save()

    problem(program.get("me"), 401, "token_unknown")


def test_a_scope_that_is_missing_is_named(user, competition):
    refusal = problem(Program(user, ("read",)).submit(), 403, "scope_missing")

    assert "submit" in refusal["detail"]
    assert not Submission.objects.exists()


def test_a_token_for_one_competition_changes_no_other(user, competition):
    elsewhere = Competition.objects.create(slug="other", game="samurai", title="Other")
    program = Program(user, competition=elsewhere)

    problem(program.submit(), 403, "other_competition")
    assert Program(user, competition=competition).submit().status_code == 201


def test_the_last_use_is_noted(user):
    program = Program(user)
    assert Token.objects.get().used is None
    program.get("me")

    assert timezone.now() - Token.objects.get().used < timedelta(minutes=1)


def test_the_text_of_a_token_is_not_stored(user):
    token, text = services.issue(user, "laptop", ("read",))
    row = Token.objects.filter(pk=token.pk).values().get()

    assert text not in str(row)
    assert text.startswith("agon_")
    assert text.endswith(row["ending"])


def test_me_says_whose_token_it_is(user, ada):
    data = ada.get("me").json()

    assert data["name"] == user.username
    assert data["token"]["scopes"] == list(ALL)
    assert "agon_" not in str(data)
