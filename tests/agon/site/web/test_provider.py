"""Signing in with an account of an OpenID Connect provider, which is a real server here."""

import httpx
import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from agon.site.accounts.models import User
from agon.site.core.setting_values import openid
from agon.site.use_cases import closing_accounts
from tests.support.oidc import SECRET, provider

from .conftest import browser_of

START = "/accounts/oidc/provider/login/"


@pytest.fixture
def there(settings, db):
    with provider() as server:
        settings.SOCIALACCOUNT_PROVIDERS = openid(server.url, "The Login", "agon", SECRET)
        yield server


def come_back(client: Client, there, query: str = ""):
    """Go to the provider, where one is signed in, and back; the answer of the page that one gets to."""
    asked = client.post(f"{START}{query}")
    assert asked.headers["Location"].startswith(f"{there.url}/authorize?"), asked
    back = httpx.get(asked.headers["Location"]).headers["location"]
    assert back.startswith("http://127.0.0.1:8000/accounts/oidc/provider/login/callback/?")
    return client.get(back.removeprefix("http://127.0.0.1:8000"))


def test_a_newcomer_chooses_a_name_and_is_signed_in_again_by_the_same_account_there(there, client):
    assert "Sign in with The Login" in client.get("/accounts/login/").content.decode()
    page = client.get(f"{START}?next=/docs/")
    assert f"form-action 'self' https: {there.url}" in page.headers["Content-Security-Policy"]
    assert come_back(client, there, "?next=/docs/").headers["Location"] == "/accounts/provider/signup/"
    assert 'value="rita"' in client.get("/accounts/provider/signup/").content.decode()
    assert client.post("/accounts/provider/signup/", {"username": "admin"}).status_code == 200  # reserved
    made = client.post("/accounts/provider/signup/", {"username": "Rita"})
    assert made.headers["Location"] == "/docs/"
    user = User.objects.get(username="Rita")
    assert not user.has_usable_password()
    assert not user.email
    browser = Client()
    before = browser.session.session_key
    assert come_back(browser, there).headers["Location"] == "/"
    assert browser.session["_auth_user_id"] == str(user.pk)
    assert browser.session.session_key != before
    assert there.asked[-1]["code_challenge_method"] == "S256"


@pytest.mark.parametrize("verified", [True, False])
def test_an_account_here_is_not_taken_over_by_its_address(there, client, user, settings, verified):
    settings.MAIL = True
    EmailAddress.objects.create(user=user, email="ada@example.org", verified=True, primary=True)
    there.claims |= {"email": "ada@example.org", "email_verified": verified}
    come_back(client, there)
    client.post("/accounts/provider/signup/", {"username": "mallory", "email": "ada@example.org"})
    assert "_auth_user_id" not in client.session
    assert not SocialAccount.objects.filter(user=user).exists()


def test_who_is_here_connects_the_two_and_signs_in_by_either(there, user):
    browser = browser_of(user)
    come_back(browser, there, "?process=connect")
    assert SocialAccount.objects.get().user == user
    assert "The Login" in browser.get("/accounts/provider/").content.decode()
    from_elsewhere = Client()
    come_back(from_elsewhere, there)
    assert from_elsewhere.session["_auth_user_id"] == str(user.pk)


def test_a_get_does_not_start_it_so_that_no_link_can(there, client):
    assert client.get(START).status_code == 200
    assert not there.asked


def test_neither_a_forged_answer_nor_one_of_another_browser_signs_in(there, client, caplog):
    asked = client.post(START).headers["Location"]
    back = httpx.get(asked).headers["location"].removeprefix("http://127.0.0.1:8000")
    for forged in (back, f"{START}callback/?code=a-code&state=x", f"{START}callback/?error=access_denied"):
        stranger = Client()
        stranger.get(forged)
        assert "_auth_user_id" not in stranger.session
        assert stranger.get("/accounts/provider/signup/").status_code == 302
    assert "failed sign-in by the provider from 127.0.0.1" in caplog.text


def test_it_leads_to_no_other_host(there, client):
    come_back(client, there, "?next=https://evil.example/")
    made = client.post("/accounts/provider/signup/", {"username": "Rita"})
    assert made.headers["Location"] == "/"


def test_a_closed_site_makes_no_account_and_a_closed_account_is_not_signed_in_to(there, client, settings):
    settings.AGON_REGISTRATION = "closed"
    come_back(client, there)
    client.post("/accounts/provider/signup/", {"username": "Rita"})
    assert not User.objects.filter(username="Rita").exists()
    settings.AGON_REGISTRATION = "open"
    come_back(client, there)
    client.post("/accounts/provider/signup/", {"username": "Rita"})
    rita = User.objects.get(username="Rita")
    closing_accounts.close(rita, rita, "")
    assert not SocialAccount.objects.exists()
    assert come_back(Client(), there).headers["Location"] == "/accounts/provider/signup/"  # a new one


def test_on_a_site_with_a_code_a_newcomer_is_asked_for_it_and_chooses_a_name_then(there, client, settings):
    settings.AGON_REGISTRATION, settings.AGON_REGISTRATION_CODE = "code", "the code of 2027"
    page = come_back(client, there, "?next=/docs/").headers["Location"]
    asked = client.get(page).headers["Location"]
    assert asked == "/accounts/signup/code/?next=%2Faccounts%2Fprovider%2Fsignup%2F"
    assert client.post(page, {"username": "Rita"}).headers["Location"] == asked
    assert not User.objects.filter(username="Rita").exists()
    right = client.post(asked, {"code": "the code of 2027", "next": page})
    assert right.headers["Location"] == page
    assert client.post(page, {"username": "Rita"}).headers["Location"] == "/docs/"
    assert SocialAccount.objects.get().user.username == "Rita"


def test_a_provider_that_does_not_answer_is_no_failure_of_the_site(there, client):
    there.close()
    answer = client.post(START)
    assert answer.status_code == 503
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize(
    ("url", "client", "secret", "named"),
    [
        ("https://login.example.org", "", "s", "AGON_OIDC_URL, AGON_OIDC_CLIENT and AGON_OIDC_SECRET"),
        ("", "agon", "s", "AGON_OIDC_URL, AGON_OIDC_CLIENT and AGON_OIDC_SECRET"),
        ("http://login.example.org", "agon", "s", "AGON_OIDC_URL: expected"),
        ("login.example.org", "agon", "s", "AGON_OIDC_URL: expected"),
        ("https://[", "agon", "s", "AGON_OIDC_URL: expected"),
    ],
)
def test_settings_that_cannot_be_meant_so_are_named(url, client, secret, named):
    with pytest.raises(ImproperlyConfigured, match=named):
        openid(url, "", client, secret)
