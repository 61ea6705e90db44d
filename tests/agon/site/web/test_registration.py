"""Who may make an account of a site: everyone, those with its code, or only those with a link."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from agon.site.accounts.models import User
from agon.site.competitions.models import Competition
from agon.site.core.setting_values import registration
from agon.site.teams import services

from .conftest import PASSWORD

NEWCOMER = {"username": "rita", "password1": PASSWORD, "password2": PASSWORD}
CODE = "the code of 2027"


@pytest.fixture
def closed(settings, db):
    settings.AGON_REGISTRATION = "closed"


@pytest.fixture
def by_code(settings, db):
    settings.AGON_REGISTRATION, settings.AGON_REGISTRATION_CODE = "code", CODE


def made(client: Client, back: str = "") -> bool:
    client.post("/accounts/signup/", NEWCOMER | ({"next": back} if back else {}))
    return User.objects.filter(username="rita").exists()


def test_a_closed_site_says_so_and_makes_no_account(closed, client):
    assert "closed to new accounts" in client.get("/accounts/signup/").content.decode()
    assert not made(client)
    assert client.get("/accounts/signup/code/", follow=True).redirect_chain[-1][0] == "/accounts/signup/"


def test_the_link_of_a_team_lets_in_also_on_a_closed_site(closed, client, bob):
    team = services.create("Crows", bob)
    link = f"/teams/join/{services.renew_invitation(team, bob).invitation}/"
    assert 'name="password1"' in client.get(f"/accounts/signup/?next={link}").content.decode()
    services.revoke_invitation(team, bob)
    assert not made(client, link)
    link = f"/teams/join/{services.renew_invitation(team, bob).invitation}/"
    assert made(client, link)


def test_so_does_the_link_of_a_competition_and_nothing_that_looks_like_one(closed, client, competition):
    Competition.objects.update(entry="link", entry_secret="abcdef")
    for address in (
        "/c/samurai/enter/x/",
        "/c/samurai/enter//",
        "/c/none/enter/abcdef/",
        "/teams/join/x/",
        "https://evil.example/c/samurai/enter/abcdef/",
        "//evil.example/c/samurai/enter/abcdef/",
        "http://[",
        "/\0",
    ):
        assert not made(client, address), address
    assert made(client, "/c/samurai/enter/abcdef/")


def test_the_code_is_asked_for_once_and_leads_on_to_where_the_visitor_was_going(by_code, client):
    asked = client.get("/accounts/signup/?next=/docs/")
    assert asked.headers["Location"] == "/accounts/signup/code/?next=%2Fdocs%2F"
    page = client.get(asked.headers["Location"])
    assert 'name="next" value="/docs/"' in page.content.decode()
    wrong = client.post("/accounts/signup/code/", {"code": "guess \u202e", "next": "/docs/"})
    assert wrong.status_code == 422
    assert not made(client)
    right = client.post("/accounts/signup/code/", {"code": CODE, "next": "/docs/"})
    assert right.headers["Location"] == "/accounts/signup/?next=%2Fdocs%2F"
    assert made(client)


def test_no_other_host_is_led_to(by_code, client):
    sent = client.post("/accounts/signup/code/", {"code": CODE, "next": "https://evil.example/"})
    assert sent.headers["Location"] == "/accounts/signup/"


def test_a_code_that_was_changed_has_to_be_given_again(by_code, client, settings):
    client.post("/accounts/signup/code/", {"code": CODE})
    settings.AGON_REGISTRATION_CODE = "another one"
    assert not made(client)


def test_guesses_are_counted(by_code, client):
    guesses = (client.post("/accounts/signup/code/", {"code": f"guess {n}"}) for n in range(40))
    assert any("Too many attempts" in guess.content.decode() for guess in guesses)
    assert client.post("/accounts/signup/code/", {"code": CODE}).status_code == 422


@pytest.mark.parametrize(
    ("who", "code", "named"),
    [
        ("everyone", "", "AGON_REGISTRATION: expected one of open, code, closed"),
        ("code", "", "AGON_REGISTRATION_CODE goes with"),
        ("open", "long enough", "AGON_REGISTRATION_CODE goes with"),
        ("code", "short", "AGON_REGISTRATION_CODE: expected at least 8"),
        ("code", "with a \0 in it", "AGON_REGISTRATION_CODE: expected at least 8"),
    ],
)
def test_settings_that_do_not_fit_together_are_named(who, code, named):
    with pytest.raises(ImproperlyConfigured, match=named):
        registration(who, code)
