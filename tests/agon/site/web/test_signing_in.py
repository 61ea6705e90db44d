"""Guessing at a password is bounded and does not lock out the owner; links in mails lead to the site."""

import pytest
from django.core import mail
from django.test import Client

from agon.site.accounts.models import User
from agon.site.core.addresses import visitor

from .conftest import PASSWORD

TOO_MANY = "Too many failed login attempts"


@pytest.fixture
def rita(db) -> User:
    return User.objects.create_user("rita", "rita@example.org", PASSWORD)


def attempt(client: Client, password: str = "wrong", login: str = "rita", **headers):
    return client.post("/accounts/login/", {"login": login, "password": password}, **headers)


def lock_out(client: Client) -> None:
    pages = [attempt(client) for _ in range(6)]
    assert TOO_MANY in pages[-1].content.decode()


def test_five_wrong_passwords_stop_the_one_who_guessed_and_nobody_else(rita):
    stranger = Client(REMOTE_ADDR="192.0.2.66")
    lock_out(stranger)
    assert TOO_MANY in attempt(stranger, PASSWORD).content.decode()
    assert attempt(Client(REMOTE_ADDR="192.0.2.1"), PASSWORD).status_code == 302


@pytest.mark.parametrize("login", ["RITA", "ｒｉｔａ", " rita"])
def test_the_name_may_be_written_otherwise_and_is_counted_as_the_same(rita, login):
    stranger = Client(REMOTE_ADDR="192.0.2.66")
    lock_out(stranger)
    assert TOO_MANY in attempt(stranger, PASSWORD, login).content.decode()


def test_a_forged_host_or_forwarded_address_gives_no_new_attempts(rita, settings):
    settings.ALLOWED_HOSTS = ["*"]
    stranger = Client(REMOTE_ADDR="192.0.2.66")
    lock_out(stranger)
    assert TOO_MANY in attempt(stranger, HTTP_HOST="another.example").content.decode()
    assert TOO_MANY in attempt(stranger, HTTP_X_FORWARDED_FOR="198.51.100.7").content.decode()


def test_many_addresses_together_are_bounded_and_a_known_browser_still_gets_in(rita, settings):
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | {"login_failed_elsewhere": "12/h/key"}
    own = Client(REMOTE_ADDR="192.0.2.1")
    assert attempt(own, PASSWORD).status_code == 302
    own.post("/accounts/logout/")
    for n in range(12):
        assert TOO_MANY not in attempt(Client(REMOTE_ADDR=f"198.51.100.{n}")).content.decode()
    for n in range(12, 15):
        assert TOO_MANY in attempt(Client(REMOTE_ADDR=f"198.51.100.{n}")).content.decode()
    assert attempt(own, PASSWORD).status_code == 302


def test_a_known_browser_is_known_for_its_own_account_alone_and_is_bounded_too(rita):
    User.objects.create_user("bob", password=PASSWORD)
    bob = Client(REMOTE_ADDR="192.0.2.66")
    assert attempt(bob, PASSWORD, "bob").status_code == 302
    bob.post("/accounts/logout/")
    lock_out(bob)  # rita's

    own = Client(REMOTE_ADDR="192.0.2.1")
    attempt(own, PASSWORD)
    own.post("/accounts/logout/")
    lock_out(own)
    own.cookies["browser"] = "forged"
    assert "browser" in own.cookies
    assert attempt(own, PASSWORD).status_code == 302  # not known any more: counted by its address


def test_who_signs_in_gives_the_attempt_back(rita):
    for _ in range(8):
        client = Client(REMOTE_ADDR="192.0.2.1")
        assert attempt(client, PASSWORD).status_code == 302


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1"])
def test_a_reset_link_leads_to_the_site_whatever_host_was_asked(rita, settings, host):
    settings.ALLOWED_HOSTS = ["*"]
    settings.SITE_URL = "https://agon.example.org"
    settings.MAIL = True
    page = Client().post("/accounts/password/reset/", {"email": "rita@example.org"}, HTTP_HOST=host)
    assert page.status_code == 302
    [message] = mail.outbox
    assert "https://agon.example.org/accounts/password/reset/key/" in message.body
    assert host not in message.body + message.subject


def test_so_do_links_in_mails_to_addresses_of_nobody(db, settings):
    settings.ALLOWED_HOSTS = ["*"]
    settings.SITE_URL = "https://agon.example.org"
    settings.MAIL = True
    Client().post("/accounts/password/reset/", {"email": "nobody@example.org"}, HTTP_HOST="evil.example")
    [message] = mail.outbox
    assert "evil.example" not in message.body + message.subject


@pytest.mark.parametrize(
    ("proxies", "connection", "forwarded", "address"),
    [
        (0, "192.0.2.1", "198.51.100.7", "192.0.2.1"),
        (1, "10.0.0.1", "198.51.100.7", "198.51.100.7"),
        (1, "10.0.0.1", "203.0.113.9, 198.51.100.7", "198.51.100.7"),
        (2, "10.0.0.1", "203.0.113.9, 198.51.100.7, 10.0.0.2", "198.51.100.7"),
        (2, "10.0.0.1", "198.51.100.7", "10.0.0.1"),
        (1, "10.0.0.1", "", "10.0.0.1"),
        (1, "10.0.0.1", "<script>", "10.0.0.1"),
        (0, "2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::"),
        (0, "::ffff:192.0.2.1", "", "192.0.2.1"),
        (0, "", "", "unknown"),
    ],
)
def test_a_visitor_is_the_address_that_they_cannot_choose(settings, proxies, connection, forwarded, address):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = proxies
    assert visitor(connection, forwarded) == address
