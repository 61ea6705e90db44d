"""A program asks for a token, and a person approves it on a page."""

import re
from datetime import timedelta
from urllib.parse import unquote

import pytest
from django.test import Client
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.tokens import services
from agon.site.tokens.models import DeviceLogin, Token

from .conftest import PASSWORD, browser_of

GRANT = "urn:ietf:params:oauth:grant-type:device_code"
PROGRAM = "agon on laptop"


@pytest.fixture
def ada(db) -> User:
    return User.objects.create_user("ada", password=PASSWORD)


@pytest.fixture
def client(ada: User) -> Client:
    return browser_of(ada)


def begin(program: str = PROGRAM, **fields: str) -> dict:
    response = Client().post("/api/v1/device/code", {"client_id": program} | fields)
    assert response.status_code == 200, response.content
    return response.json()


def poll(begun: dict, program: str = PROGRAM, **fields: str):
    """A program that has left enough time since its last request."""
    DeviceLogin.objects.update(polled=None)
    form = {"grant_type": GRANT, "device_code": begun["device_code"], "client_id": program} | fields
    return Client().post("/api/v1/device/token", form)


def error_of(response) -> str:
    assert response.status_code == 400
    assert response.json()["error_description"]
    return response.json()["error"]


def answer(client: Client, begun: dict, button: str = "approve", **fields: str):
    form = {"code": begun["user_code"], button: "", "password": PASSWORD} | fields
    return client.post("/device/", form, follow=True)


def test_a_program_gets_a_token_once_a_person_has_approved(client, ada):
    begun = begin()
    assert error_of(poll(begun)) == "authorization_pending"
    page = client.get("/device/", {"code": begun["user_code"]}).content.decode()
    assert PROGRAM in page
    assert begun["user_code"] in page
    assert "enter and manage your bots" in page
    done = answer(client, begun).content.decode()
    assert f"{PROGRAM} may act as you" in done
    response = poll(begun)

    data = response.json()
    assert response.headers["Cache-Control"] == "no-store"
    assert data["token_type"] == "Bearer"
    assert data["scope"] == "read submit"
    me = Client().get("/api/v1/me", headers={"authorization": f"Bearer {data['access_token']}"}).json()
    assert me["name"] == "ada"
    assert me["token"]["name"] == PROGRAM
    assert PROGRAM in client.get("/accounts/tokens/").content.decode()
    assert timedelta(days=89) < Token.objects.get().expires - timezone.now() <= timedelta(days=90)


def test_an_approval_is_used_once(client):
    begun = begin()
    answer(client, begun)

    assert poll(begun).status_code == 200
    assert error_of(poll(begun)) == "invalid_grant"
    assert Token.objects.count() == 1


def test_a_refused_program_is_told(client):
    begun = begin()
    done = answer(client, begun, "refuse", password="").content.decode()

    assert "was refused" in done
    assert error_of(poll(begun)) == "access_denied"
    assert not Token.objects.exists()


@pytest.mark.parametrize("change", [str.lower, lambda code: code.replace("-", ""), lambda code: f"  {code} "])
def test_case_hyphens_and_spaces_of_a_code_do_not_matter(client, change):
    begun = begin()

    page = client.get("/device/", {"code": change(begun["user_code"])})
    assert PROGRAM in page.content.decode()


@pytest.mark.parametrize("code", ["", "x", "BCDF-BCDF", "BCDF-BCD\0", "ß" * 8, "é" * 9, "7" * 39])
def test_a_code_of_no_program_is_refused(client, code):
    begin()

    assert client.get("/device/", {"code": code}).status_code == 422


def test_codes_cannot_be_guessed_without_end(client):
    begun = begin()
    for _ in range(20):
        client.get("/device/", {"code": "BCDF-BCDF"})

    assert client.get("/device/", {"code": begun["user_code"]}).status_code == 422
    assert answer(client, begun).status_code == 422
    assert error_of(poll(begun)) == "authorization_pending"


def test_a_code_expires(client):
    begun = begin()
    assert begun["expires_in"] == 600
    page = client.get("/device/", {"code": begun["user_code"]})
    DeviceLogin.objects.update(expires=timezone.now())

    assert page.status_code == 200
    assert answer(client, begun).status_code == 422
    assert client.get("/device/", {"code": begun["user_code"]}).status_code == 422
    assert error_of(poll(begun)) == "expired_token"


def test_an_approval_in_the_last_moment_is_good_for_a_minute(client):
    begun = begin()
    DeviceLogin.objects.update(expires=timezone.now() + timedelta(seconds=5))
    answer(client, begun)

    assert DeviceLogin.objects.get().expires > timezone.now() + timedelta(seconds=50)
    assert poll(begun).status_code == 200


def test_a_program_that_asks_too_often_has_to_slow_down(db):
    begun = begin()
    form = {"grant_type": GRANT, "device_code": begun["device_code"], "client_id": PROGRAM}
    errors = [Client().post("/api/v1/device/token", form).json()["error"] for _ in range(3)]

    assert begun["interval"] == 5
    assert errors == ["authorization_pending", "slow_down", "slow_down"]
    assert DeviceLogin.objects.get().interval == 15


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"grant_type": ""}, "unsupported_grant_type"),
        ({"device_code": "x"}, "invalid_grant"),
        ({"device_code": ""}, "invalid_grant"),
        ({"client_id": "another program"}, "invalid_grant"),
        ({"resource": "ignored, as OAuth demands"}, "authorization_pending"),
    ],
)
def test_what_is_wrong_with_a_poll_is_said_as_oauth_says_it(db, fields, error):
    assert error_of(poll(begin(), **fields)) == error


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({}, "invalid_request"),
        ({"client_id": "x" * 61}, "invalid_request"),
        ({"client_id": "evil\u202ename"}, "invalid_request"),
        ({"client_id": "a", "scope": "read everything"}, "invalid_scope"),
    ],
)
def test_a_program_without_a_name_or_with_an_unknown_scope_is_refused(db, fields, error):
    assert error_of(Client().post("/api/v1/device/code", fields)) == error
    assert not DeviceLogin.objects.exists()


def test_the_name_of_a_program_is_no_markup(client):
    begun = begin("<b>Agon</b>")

    assert "<b>Agon" not in client.get("/device/", {"code": begun["user_code"]}).content.decode()
    assert "<b>Agon" not in answer(client, begun).content.decode()


def test_neither_code_nor_token_is_stored_in_the_clear(client):
    begun = begin()
    answer(client, begun)
    text = poll(begun).json()["access_token"]
    stored = f"{DeviceLogin.objects.values().get()} {Token.objects.values().get()}"

    assert begun["device_code"] not in stored
    assert text not in stored


def test_scopes_that_the_account_does_not_have_are_left_out(client, organizer):
    begun = begin(scope="read organize")
    assert "run tournaments" not in client.get("/device/", {"code": begun["user_code"]}).content.decode()
    answer(client, begun)
    assert poll(begun).json()["scope"] == "read"

    begun = begin(scope="read organize")
    answer(browser_of(organizer), begun)
    assert poll(begun).json()["scope"] == "read organize"


def test_a_program_that_asks_only_for_what_the_account_may_not_do_is_not_approved(client):
    begun = begin(scope="operate")

    assert answer(client, begun).status_code == 422
    assert error_of(poll(begun)) == "authorization_pending"


def test_approving_takes_the_password_unless_the_person_signed_in_for_it(client, ada):
    begun = begin()
    assert answer(client, begun, password="wrong").status_code == 422
    assert error_of(poll(begun)) == "authorization_pending"

    fresh = Client()
    where = f"/device/?code={begun['user_code']}"
    page = fresh.get(where, follow=True)
    assert page.redirect_chain[0][0].startswith("/accounts/login/")
    sign_in = {"login": "ada", "password": PASSWORD, "next": where}
    page = fresh.post("/accounts/login/", sign_in, follow=True).content.decode()
    assert PROGRAM in page
    assert 'name="password"' not in page
    answer(fresh, begun, password="")
    assert poll(begun).status_code == 200


def test_one_can_sign_up_and_come_back(db):
    begun = begin()
    where = f"/device/?code={begun['user_code']}"
    fresh = Client()
    page = fresh.get(where, follow=True).content.decode()
    link = re.search(r'href="/accounts/signup/\?next=([^"]+)"', page)
    assert link
    assert unquote(link[1]) == where
    form = {"username": "grace", "password1": PASSWORD, "password2": PASSWORD, "next": where}
    page = fresh.post("/accounts/signup/", form, follow=True).content.decode()

    assert PROGRAM in page
    answer(fresh, begun, password="")
    assert poll(begun).status_code == 200
    assert Token.objects.get().owner.username == "grace"


def test_the_second_tab_is_told_that_it_is_over(client, organizer):
    begun = begin()
    answer(client, begun)

    assert answer(client, begun, "refuse").status_code == 422
    assert answer(browser_of(organizer), begun).status_code == 422
    assert poll(begun).status_code == 200
    assert Token.objects.get().owner.username == "ada"


def test_other_sites_can_neither_send_the_form_nor_frame_the_page(ada):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ada)
    begun = begin()
    page = strict.get("/device/", {"code": begun["user_code"]})

    assert page.headers["X-Frame-Options"] == "DENY"
    assert answer(strict, begun).status_code == 403
    assert error_of(poll(begun)) == "authorization_pending"


def test_an_account_with_all_its_tokens_is_told_before_it_approves(client, monkeypatch):
    monkeypatch.setattr(services, "MOST_TOKENS", 0)
    begun = begin()

    assert "Revoke one first" in answer(client, begun).content.decode()
    assert error_of(poll(begun)) == "authorization_pending"


def test_an_account_that_closed_after_it_approved_gives_no_token(client):
    begun = begin()
    answer(client, begun)
    client.post("/u/ada/close/", {"password": PASSWORD})

    assert error_of(poll(begun)) == "access_denied"
    assert not Token.objects.exists()


def test_a_request_with_a_token_is_refused_so_that_no_answer_is_kept(ada):
    text = services.issue(ada, "test", ["read"])[1]

    for path in ("code", "token"):
        headers = {"authorization": f"Bearer {text}", "idempotency-key": path}
        response = Client().post(f"/api/v1/device/{path}", {"client_id": PROGRAM}, headers=headers)
        assert error_of(response) == "invalid_request"
