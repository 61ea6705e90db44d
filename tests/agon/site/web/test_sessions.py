"""Where an account is signed in: the list, and signing out of one place or of all others."""

import logging
from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from agon.site.accounts.tasks import forget_sessions

from .conftest import PASSWORD


def signed_in(user, agent: str) -> Client:
    browser = Client(headers={"user-agent": agent})
    user.set_password(PASSWORD) if not user.has_usable_password() else None
    user.save()
    browser.post("/accounts/login/", {"login": user.username, "password": PASSWORD})
    return browser


def is_in(browser: Client) -> bool:
    return browser.get("/accounts/security/").status_code == 200


def test_each_place_is_listed_and_one_can_be_signed_out(user):
    user.set_password(PASSWORD)
    user.save()
    here, there = signed_in(user, "Here <b>1.0"), signed_in(user, "There/2.0")
    page = here.get("/accounts/security/").content.decode()
    assert "Here &lt;b&gt;1.0" in page
    assert "There/2.0" in page
    assert "Programs stay signed in until you revoke their" in page
    session = UserSession.objects.get(user_agent="There/2.0")
    assert here.post(f"/accounts/security/sessions/{session.pk}/end/").status_code == 302
    assert not is_in(there)
    assert is_in(here)


def test_nobody_signs_out_another_account(user, bob):
    user.set_password(PASSWORD)
    bob.set_password(PASSWORD)
    user.save()
    bob.save()
    mine, theirs = signed_in(user, "a"), signed_in(bob, "b")
    session = UserSession.objects.get(user=bob)
    assert mine.post(f"/accounts/security/sessions/{session.pk}/end/").status_code == 404
    mine.post("/accounts/security/sessions/end/")
    assert is_in(theirs)


def test_all_others_can_be_signed_out_at_once(user):
    user.set_password(PASSWORD)
    user.save()
    browsers = [signed_in(user, str(number)) for number in range(3)]
    browsers[1].post("/accounts/security/sessions/end/")
    assert [is_in(browser) for browser in browsers] == [False, True, False]


def test_addresses_are_kept_no_longer_than_their_sessions(user):
    user.set_password(PASSWORD)
    user.save()
    browser = signed_in(user, "a")
    signed_in(user, "b")
    old = Session.objects.filter(session_key=browser.session.session_key)
    old.update(expire_date=timezone.now() - timedelta(seconds=1))
    forget_sessions()
    assert [user_session.user_agent for user_session in UserSession.objects.all()] == ["b"]


def test_a_form_that_is_sent_after_the_session_has_ended_changes_nothing_and_leads_back(user, competition):
    browser = signed_in(user, "a")
    Session.objects.all().delete()
    board = "http://testserver/c/samurai/"
    sent = browser.post("/c/samurai/follow/", headers={"referer": board}, follow=True)
    assert "You are signed out, so nothing was changed." in sent.content.decode()
    signs_in = {"login": user.username, "password": PASSWORD}
    back = browser.post(sent.request["PATH_INFO"] + "?" + sent.request["QUERY_STRING"], signs_in)
    assert back.url == board
    assert not user.follows.exists()


@pytest.mark.parametrize("referer", [None, "https://elsewhere.example/c/samurai/"])
def test_without_a_page_of_the_site_it_leads_home(referer, client, competition):
    sent = client.post("/c/samurai/follow/", headers={"referer": referer} if referer else {})
    assert sent.url == "/accounts/login/?next=/"


def test_a_page_with_a_form_of_its_own_is_where_it_leads_back_to(client, competition):
    sent = client.post("/notices/", {"site": "qualified"}, follow=True)
    assert "You are signed out, so nothing was changed." in sent.content.decode()
    assert sent.redirect_chain == [("/accounts/login/?next=/notices/", 302)]


@pytest.mark.parametrize("part", ["new/?part=settings", "new/estimate/?format=swiss"])
def test_a_part_that_a_page_fetches_is_no_page_to_sign_in(part, client, competition, caplog):
    with caplog.at_level(logging.INFO):
        answer = client.get(f"/c/samurai/tournaments/{part}", headers={"hx-request": "true"})
    assert answer.status_code == 401
    assert answer.content.decode() == "You are signed out. Sign in again in another tab, then go on here."
    assert caplog.records == []  # an open page asks each second
