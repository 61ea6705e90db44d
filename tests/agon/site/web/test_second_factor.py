"""A second factor besides the password: turning it on, signing in with it, losing it, and guessing it."""

import hashlib
import hmac
import io
import json
import re
import struct
import time
from base64 import b32decode
from importlib import import_module

import pytest
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.core.management import CommandError, call_command
from django.test import Client

from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.tokens.models import Token

from .conftest import PASSWORD

TOTP = "/accounts/2fa/totp/activate/"


def code_of(secret: str, steps: int = 1) -> str:
    """What an app whose clock is half a minute ahead shows (RFC 6238), or one that is right (0)."""
    counter = struct.pack(">Q", int(time.time()) // 30 + steps)
    digest = hmac.new(b32decode(secret), counter, hashlib.sha1).digest()
    at = digest[-1] & 15
    return f"{(int.from_bytes(digest[at : at + 4], 'big') & 0x7FFFFFFF) % 10**6:06d}"


def sign_in(client: Client, user: User, password: str = PASSWORD, **more: str):
    return client.post("/accounts/login/", {"login": user.username, "password": password, **more})


@pytest.fixture
def ada(user) -> User:
    user.set_password(PASSWORD)
    user.save()
    return user


@pytest.fixture
def secret(ada) -> str:
    """Of the app of ada, who has turned it on by the pages."""
    browser = Client()
    sign_in(browser, ada)
    asked = browser.get(TOTP)
    assert asked.headers["Location"].startswith("/accounts/reauthenticate/")
    browser.post(asked.headers["Location"], {"password": PASSWORD})
    key = browser.get(TOTP).context["form"].secret
    assert browser.post(TOTP, {"code": "000000"}).status_code == 200
    turned_on = browser.post(TOTP, {"code": code_of(key, 0)})
    assert turned_on.headers["Location"].startswith("/accounts/2fa/")
    return key


def is_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_signing_in_asks_for_the_code_and_goes_where_one_wanted_to(secret, ada, client):
    before = client.session.session_key
    answer = sign_in(client, ada, next="/docs/")
    assert answer.headers["Location"].startswith("/accounts/2fa/authenticate/")
    assert not is_in(client)
    assert client.get("/accounts/security/").status_code == 302
    assert client.post("/accounts/2fa/authenticate/", {"code": "123456"}).status_code == 200
    assert not is_in(client)
    done = client.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    assert done.headers["Location"] == "/docs/"
    assert is_in(client)
    assert client.session.session_key != before


def test_a_code_is_good_once(secret, ada):
    used = code_of(secret)
    first, second = Client(), Client()
    for browser in (first, second):
        sign_in(browser, ada)
        browser.post("/accounts/2fa/authenticate/", {"code": used})
    assert is_in(first)
    assert not is_in(second)


def test_a_recovery_code_is_good_once(secret, ada):
    [authenticator] = Authenticator.objects.filter(user=ada, type="recovery_codes")
    paper = authenticator.wrap().get_unused_codes()[0]
    first, second = Client(), Client()
    for browser in (first, second):
        sign_in(browser, ada)
        browser.post("/accounts/2fa/authenticate/", {"code": paper})
    assert is_in(first)
    assert not is_in(second)


def test_who_knows_the_password_cannot_guess_the_code_from_many_browsers_and_addresses(secret, ada, caplog):
    for number in range(6):
        browser = Client(REMOTE_ADDR=f"192.0.2.{number}")
        sign_in(browser, ada)
        answer = browser.post("/accounts/2fa/authenticate/", {"code": "123456"})
    assert "Too many failed login attempts" in answer.content.decode()
    assert "failed sign-in as 'ada' from 192.0.2.0: the password was right" in caplog.text
    assert "123456" not in caplog.text
    browser.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    assert not is_in(browser)


def test_the_code_leads_to_no_other_host_and_its_page_to_nobody_else(secret, ada, client):
    assert client.get("/accounts/2fa/authenticate/").headers["Location"] == "/accounts/login/"
    sign_in(client, ada, next="https://evil.example/")
    done = client.post("/accounts/2fa/authenticate/", {"code": code_of(secret)})
    assert done.headers["Location"] == "/"


def test_a_token_takes_the_code_too_and_a_wrong_password_does_not_use_it_up(secret, ada, client):
    client.force_login(ada)
    token = {"name": "laptop", "scopes": ["read"], "days": "30", "password": PASSWORD}
    code = code_of(secret)
    assert client.post("/accounts/tokens/", token).status_code == 422
    assert client.post("/accounts/tokens/", token | {"password": "x", "code": code}).status_code == 422
    assert client.post("/accounts/tokens/", token | {"code": "123456"}).status_code == 422
    assert not Token.objects.exists()
    assert client.post("/accounts/tokens/", token | {"code": code}).status_code == 302
    assert Token.objects.get().owner == ada


def test_a_code_is_not_used_up_by_a_form_that_is_refused(secret, ada, client):
    client.force_login(ada)
    [paper, *_] = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()
    form = {"name": "laptop", "days": "90", "password": PASSWORD, "code": paper}
    assert client.post("/accounts/tokens/", form).status_code == 422  # it says not what the token may do
    assert client.post("/accounts/tokens/", form | {"scopes": "read"}).status_code == 302


def test_so_does_closing_the_account(secret, ada, client):
    client.force_login(ada)
    address = f"/u/{ada.username}/close/"
    assert client.post(address, {"password": PASSWORD}).status_code == 422
    assert client.post(address, {"password": PASSWORD, "code": code_of(secret)}).status_code == 302
    ada.refresh_from_db()
    assert ada.closed
    assert not Authenticator.objects.exists()


def test_who_has_no_password_acts_soon_after_signing_in(user, client):
    user.set_unusable_password()
    user.save()
    client.force_login(user)
    token = {"name": "laptop", "scopes": ["read"], "days": "30"}
    refused = client.post("/accounts/tokens/", token)
    assert "Sign out and in again first" in refused.content.decode()
    session = client.session
    session["signed-in"] = time.time() + 86_400  # by a clock that was put back since
    session.save()
    assert client.post("/accounts/tokens/", token).status_code == 422
    session["signed-in"] = time.time()
    session.save()
    assert client.post("/accounts/tokens/", token).status_code == 302


def test_an_administrator_removes_it_with_a_reason_and_it_is_in_the_log(secret, ada, organizer):
    browser = Client()
    browser.force_login(organizer)
    address = f"/admin/accounts/user/{ada.pk}/change/"
    form = browser.get(address).context["adminform"].form
    sent = {name: form[name].value() for name in form.fields if form[name].value() not in (None, False, "")}
    joined = sent.pop("date_joined")
    sent |= {"date_joined_0": joined.strftime("%Y-%m-%d"), "date_joined_1": joined.strftime("%H:%M:%S")}
    sent |= {"no_second_factor": "on"}
    sent.pop("last_login", None)
    assert browser.post(address, sent).status_code == 200  # no reason
    assert Authenticator.objects.exists()
    assert browser.post(address, sent | {"why": "the telephone was stolen"}).status_code == 302
    assert not Authenticator.objects.exists()
    act = Act.objects.latest("pk")
    assert (act.reason, act.subject) == ("the telephone was stolen", f"account {ada.pk}")
    assert "no_second_factor" in act.details["fields"]


def test_so_does_the_command(secret, ada):
    for wrong in (
        ["nobody", "--why", "x"],
        [ada.username, "--why", " "],
        [ada.username, "--why", "x" * 9999],
    ):
        with pytest.raises(CommandError, match=r"expected"):
            call_command("remove_second_factor", *wrong)
    out = io.StringIO()
    call_command("remove_second_factor", ada.username.upper(), "--why", "asked in person", stdout=out)
    assert not Authenticator.objects.exists()
    assert Act.objects.latest("pk").reason == "asked in person"
    browser = Client()
    sign_in(browser, ada)
    assert is_in(browser)
    with pytest.raises(CommandError, match="has no second factor"):
        call_command("remove_second_factor", ada.username, "--why", "again")


def stored() -> str:
    return json.dumps(list(Authenticator.objects.values_list("data", flat=True)))


def answer_of(ada: User, code: str) -> tuple[Client, str]:
    """A browser that has given the password, then this code; and the page after it."""
    browser = Client()
    sign_in(browser, ada)
    return browser, browser.post("/accounts/2fa/authenticate/", {"code": code}).content.decode()


def test_the_database_alone_makes_no_code(secret, ada):
    paper = Authenticator.objects.get(type="recovery_codes")
    assert secret not in stored()
    assert b32decode(secret).hex() not in stored()
    assert "seed" in paper.data
    assert re.fullmatch("fernet:gAAAAA[-_A-Za-z0-9]+=*", paper.data["seed"])
    assert not any(code in stored() for code in paper.wrap().get_unused_codes())


def test_what_was_stored_as_it_is_still_works_and_is_encrypted_by_the_upgrade(ada):
    secret, codes = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP", ["11112222", "33334444"]
    Authenticator.objects.create(user=ada, type="totp", data={"secret": secret})
    Authenticator.objects.create(user=ada, type="recovery_codes", data={"migrated_codes": codes})
    assert is_in(answer_of(ada, codes[0])[0])
    import_module("agon.site.accounts.migrations.0004_encrypt_second_factors").encrypt(apps, None)
    assert not any(text in stored() for text in (secret, *codes))
    assert is_in(answer_of(ada, codes[1])[0])
    assert is_in(answer_of(ada, code_of(secret))[0])


def encrypted_anew() -> str:
    out = io.StringIO()
    call_command("encrypt_second_factors", stdout=out)
    return out.getvalue()


def test_the_key_is_rotated_without_anybody_noticing(secret, ada, settings):
    former = settings.SECRET_KEY
    browser, _ = answer_of(ada, code_of(secret, 0))
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "a new key", [former]
    assert browser.get("/accounts/security/").status_code == 200
    paper = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()
    assert is_in(answer_of(ada, paper[0])[0])
    assert encrypted_anew() == "encrypted with the present key: 2\n"
    settings.SECRET_KEY_FALLBACKS = []
    assert is_in(answer_of(ada, code_of(secret))[0])
    assert not is_in(answer_of(ada, paper[0])[0])  # it was used
    assert is_in(answer_of(ada, paper[1])[0])


def test_without_the_keys_nobody_gets_in_by_the_password_alone(secret, ada, settings):
    paper = Authenticator.objects.get(type="recovery_codes").wrap().get_unused_codes()
    settings.SECRET_KEY = "of a site restored without its keys"
    for code in (code_of(secret), paper[0]):
        browser, said = answer_of(ada, code)
        assert "The site can no longer read the secrets of your second factor" in said
        assert not is_in(browser)
    browser.force_login(ada)  # as with a passkey
    browser.post("/accounts/reauthenticate/", {"password": PASSWORD})
    assert browser.get("/accounts/2fa/").status_code == 200
    assert browser.get("/accounts/2fa/recovery-codes/").status_code == 403
    assert encrypted_anew().splitlines()[1:] == ["no key reads those of 1: ada"]
    call_command("remove_second_factor", "ada", "--why", "restored without keys", stdout=io.StringIO())
    browser = Client()
    sign_in(browser, ada)
    assert is_in(browser)
