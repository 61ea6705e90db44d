"""What administrators change about accounts: a site always has one of them, and no page leads nowhere."""

import pytest
from django.contrib.auth import authenticate
from django.test import Client

from agon.site.accounts.models import User
from agon.site.accounts.services import ensure_admin

from .conftest import browser_of

pytestmark = pytest.mark.django_db
RIGHTS = ("is_active", "is_staff", "is_superuser")


def change(browser: Client, user: User, **rights: bool) -> str:
    """Send the form of an account with these rights and all others that it has; the page that comes back."""
    sent = {
        "username": user.username,
        "date_joined_0": "2026-01-01",
        "date_joined_1": "00:00:00",
        "why": "agreed on",
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
