"""From any page to an account and on from there."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.http import HttpResponse
from django.test import Client

from agon.site.accounts.models import User
from agon.site.bots.models import Bot

from .conftest import PASSWORD, browser_of

TEXT = {"name": "Rita", "way": "text", "text": "print('mine')\n", "language": "python"}
NEWCOMER = {"username": "rita", "password1": PASSWORD, "password2": PASSWORD}


def header_link(page: HttpResponse, words: str = "Sign up") -> str:
    [header] = re.findall("<header.*?</header>", page.content.decode(), re.DOTALL)
    [link] = re.findall(rf'href="(/accounts/[^"]*)"[^>]*>{words}<', header)
    return link.replace("&amp;", "&")


def sign_up(client: Client, page: str) -> str:
    """Use the link in the header of `page`; the address that the newcomer gets to."""
    form = client.get(header_link(client.get(page))).content.decode()
    hidden = dict(re.findall(r'<input type="hidden" name="(next)" value="([^"]*)"', form))
    return client.post("/accounts/signup/", NEWCOMER | hidden).headers["Location"]


def test_the_header_leads_back_to_the_page_that_was_left(client, competition):
    assert sign_up(client, "/c/samurai/rules/?x=1") == "/c/samurai/rules/?x=1"


def test_so_it_does_from_the_page_to_sign_in_and_after_a_wrong_password(client, competition):
    login = client.post("/c/samurai/submit/", TEXT).headers["Location"]
    wrong = client.post(login, {"login": "nobody", "password": "x", "next": "/c/samurai/submit/"})
    assert header_link(wrong, "Sign in") == login
    assert header_link(client.get(header_link(wrong)), "Sign in") == login
    assert sign_up(client, login) == "/c/samurai/submit/"
    assert header_link(Client().get("/accounts/login/?next=https://evil.example/")) == "/accounts/signup/"


def test_a_draft_waits_and_the_newcomer_stays_signed_in_for_longer_than_an_hour(client, competition):
    login = client.post("/c/samurai/submit/", TEXT).headers["Location"]
    back = login.partition("?next=")[2].replace("%2F", "/")
    client.post("/accounts/signup/", NEWCOMER | {"next": back})
    assert client.session.get_expiry_age() > 24 * 3600
    assert "print(&#x27;mine&#x27;)" in client.get(back).content.decode()


def test_a_newcomer_on_the_home_page_is_told_the_next_step_until_there_is_a_bot(client, four):
    Bot.objects.update(house=True)  # somebody to try a first program against
    assert sign_up(client, "/") == "/"
    assert "Write your first bot" in client.get("/").content.decode()
    Bot.objects.filter(name="Rita").update(owner=User.objects.get(username=NEWCOMER["username"]), house=False)
    assert "Write your first bot" not in client.get("/").content.decode()


def test_somebody_with_a_bot_is_not(four, user):
    assert "Write your first bot" not in browser_of(user).get("/").content.decode()


@pytest.mark.parametrize("mail", [True, False])
def test_an_email_address_is_asked_for_where_mail_can_be_sent_and_the_form_says_why(
    client, user, settings, mail
):
    settings.MAIL = mail
    form = client.get("/accounts/signup/").content.decode()
    assert ('name="email"' in form) is mail
    assert form.count("(optional)") == mail
    assert ("You need it only if you forget your password." in form) is mail
    assert ('href="/accounts/email/"' in browser_of(user).get("/").content.decode()) is mail


@pytest.mark.parametrize("mail", [True, False])
def test_a_message_says_that_mail_was_sent_only_where_it_can_be(client, db, settings, mail):
    settings.MAIL = mail
    settings.ACCOUNT_EMAIL_VERIFICATION = "optional"  # of another time, where there is no mail
    signed_up = client.post("/accounts/signup/", NEWCOMER | {"email": "rita@example.org"}, follow=True)
    assert signed_up.status_code == 200
    asked = [
        signed_up,
        client.get("/accounts/email/"),
        client.post("/accounts/email/", {"action_add": "", "email": "new@example.org"}, follow=True),
        client.post("/accounts/email/", {"action_send": "", "email": "rita@example.org"}, follow=True),
        client.get("/accounts/confirm-email/"),
        Client().get("/accounts/password/reset/done/"),
    ]
    pages = [response.content.decode() for response in asked]
    assert {response.status_code for response in asked} == {200}
    claims = re.compile(r"email sent|have sent|has been sent|must be verified|verification", re.IGNORECASE)
    assert [bool(claims.search(page)) for page in pages] == [mail] * len(pages)
    assert all("cannot send mail" in page for page in pages[1:]) is not mail


def test_who_finds_an_open_browser_does_not_get_into_the_account_by_mail(user, settings):
    """A new password can be had by any confirmed address."""
    settings.MAIL = True
    user.set_password(PASSWORD)
    user.save()
    browser = browser_of(user)
    own, other = (EmailAddress.objects.create(user=user, email=f"{name}@example.org") for name in ("a", "b"))
    for act, address in (("add", "c@example.org"), ("primary", other.email), ("remove", own.email)):
        asked = browser.post("/accounts/email/", {f"action_{act}": "", "email": address})
        assert asked.headers["Location"].startswith("/accounts/reauthenticate/")
    assert set(EmailAddress.objects.values_list("email", "primary")) == {
        (own.email, False),
        (other.email, False),
    }
    asked = browser.post("/accounts/email/", {"action_add": "", "email": "c@example.org"})
    browser.post(asked.headers["Location"], {"password": "another"})
    assert not EmailAddress.objects.filter(email="c@example.org").exists()
    browser.post(asked.headers["Location"], {"password": PASSWORD})
    assert EmailAddress.objects.filter(email="c@example.org").exists()


def test_an_email_address_is_not_kept_where_no_mail_can_be_sent(user, settings):
    settings.MAIL = False
    browser_of(user).post("/accounts/email/", {"action_add": "", "email": "new@example.org"})
    assert not EmailAddress.objects.filter(email="new@example.org").exists()
    assert Client().get("/accounts/email/").status_code == 302


def test_a_class_behind_one_address_signs_up_within_a_minute(db, settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    answers = [
        Client().post("/accounts/signup/", NEWCOMER | {"username": f"pupil{number}"}) for number in range(40)
    ]
    assert {answer.status_code for answer in answers} == {302}


def test_one_who_is_told_to_wait_is_told_on_a_page_of_this_site(client, db, settings):
    settings.ACCOUNT_RATE_LIMITS = {"signup": "1/m/ip"}
    client.post("/accounts/signup/", {})
    page = client.post("/accounts/signup/", NEWCOMER, headers={"accept-language": "ru"})
    assert page.status_code == 429
    assert "Слишком много запросов" in page.content.decode()
    assert "<header" in page.content.decode()
