"""What administrators change about accounts: a site always has one of them, and no page leads nowhere."""

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import authenticate
from django.test import Client

from agon.site.accounts.models import User
from agon.site.accounts.services import ensure_admin
from agon.site.audit.models import Act

from .conftest import browser_of

pytestmark = pytest.mark.django_db
RIGHTS = ("is_active", "is_staff", "is_superuser")


def change(browser: Client, user: User, seen: str = "", **rights: bool) -> str:
    """Send the form of an account with these rights and all others that it has; the page that comes back."""
    sent = {
        "username": user.username,
        "date_joined_0": "2026-01-01",
        "date_joined_1": "00:00:00",
        "why": "agreed on",
        "seen": seen,
    }
    kept = {name: getattr(user, name) for name in RIGHTS} | rights
    sent |= {name: "on" for name, has in kept.items() if has}
    return browser.post(f"/admin/accounts/user/{user.pk}/change/", sent, follow=True).content.decode()


@pytest.mark.parametrize("right", RIGHTS)
def test_the_only_administrator_keeps_every_right(organizer, right):
    User.objects.create_superuser("gone", is_active=False)
    page = change(browser_of(organizer), organizer, **{right: False})
    assert "This is the only administrator account. Make another account an administrator first." in page
    organizer.refresh_from_db()
    assert all(getattr(organizer, name) for name in RIGHTS)


def test_one_of_two_administrators_may_lose_them(organizer):
    second = User.objects.create_superuser("other")
    change(browser_of(organizer), second, is_superuser=False, is_active=False)
    second.refresh_from_db()
    assert (second.is_active, second.is_superuser) == (False, False)


def test_a_form_from_before_an_account_was_disabled_does_not_enable_it(organizer, user):
    """Two administrators, or two tabs: the form would bring back every right that was taken meanwhile."""
    browser = browser_of(organizer)
    form = browser.get(f"/admin/accounts/user/{user.pk}/change/").context["adminform"].form
    seen = form["seen"].value()
    change(browser, user, is_active=False)
    page = change(browser, user, seen=seen)
    assert "Someone else has changed this meanwhile. Look at it again." in page
    user.refresh_from_db()
    assert not user.is_active


def test_an_address_that_another_account_has_confirmed_is_not_said_to_be_in_the_log(organizer, user, bob):
    EmailAddress.objects.create(user=bob, email="a@example.org", verified=True)
    own = EmailAddress.objects.create(user=user, email="a@example.org")
    form = {"action": "make_verified", "_selected_action": own.pk, "why": "asked by mail"}
    page = browser_of(organizer).post("/admin/account/emailaddress/", form, follow=True).content.decode()
    assert "Failed to mark a@example.org as verified" in page
    assert not Act.objects.exists()


@pytest.mark.parametrize("lost", [("is_superuser",), ("is_active",), RIGHTS])
def test_a_site_without_an_administrator_gives_the_account_admin_its_rights_back_at_the_start(lost):
    """They may be lost in the database, or by a version of this site that did not refuse it."""
    first = ensure_admin()
    assert first
    User.objects.filter(username="admin").update(**dict.fromkeys(lost, False))
    again = ensure_admin()
    assert again not in (None, first)
    assert authenticate(username="admin", password=again) == User.objects.get(is_superuser=True)
    assert ensure_admin() is None


def test_the_page_of_an_author_who_may_no_longer_sign_in_shows_the_bots_that_still_play(
    four, organizer, client
):
    ada = four[0].bot.owner
    change(browser_of(organizer), ada, is_active=False)
    board = client.get("/c/samurai/").content.decode()
    assert 'href="/u/ada/"' in board
    assert "Rita" in client.get("/u/ada/").content.decode()
    assert 'href="/u/ada/"' in client.get(four[0].bot.get_absolute_url()).content.decode()
