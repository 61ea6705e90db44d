"""Profiles: what an owner says on the page of the account."""

import pytest
from django.test import Client

from agon.site.accounts.models import LONGEST_ABOUT, User
from tests.agon.site.web.conftest import browser_of

pytestmark = pytest.mark.django_db
ADDRESS = "/accounts/profile/"


def page_of(name: str) -> str:
    return Client().get(f"/u/{name}/").content.decode()


def test_everyone_reads_what_an_owner_says_with_addresses_as_links(user):
    browser = browser_of(user)
    assert ADDRESS in browser.get("/u/ada/").content.decode()
    answer = browser.post(ADDRESS, {"about": "I write bots.\nhttps://example.org/bots"}, follow=True)
    assert answer.redirect_chain == [("/u/ada/", 302)]

    page = page_of("ada")
    assert "I write bots.<br>" in page
    assert '<a href="https://example.org/bots" rel="nofollow">' in page
    assert ADDRESS not in page  # others have nothing to edit


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        'https://example.org/"onmouseover="alert(1)',
        "javascript:alert(1)",
        "<img src=x onerror=alert(1)>",
    ],
)
def test_what_an_owner_says_is_text_alone(user, hostile):
    browser_of(user).post(ADDRESS, {"about": hostile})
    page = page_of("ada")
    about = page[page.index('class="about') : page.index("</div>", page.index('class="about'))]
    assert "<script" not in about
    assert "<img" not in about
    assert '"onmouseover' not in about
    assert 'href="javascript' not in about


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x" * (LONGEST_ABOUT + 1), f"at most {LONGEST_ABOUT} characters (it has {LONGEST_ABOUT + 1})"),
        ("a\n" * 9, "At most 8 lines; these are 9."),
        ("fine\n\u202eevil", "Line 2 contains characters that are invisible or turn text around."),
        ("\u200b", "Line 1 contains characters that are invisible or turn text around."),
    ],
)
def test_what_cannot_be_shown_is_refused_and_stays_in_the_form(user, text, words):
    User.objects.filter(pk=user.pk).update(about="as it was")
    answer = browser_of(user).post(ADDRESS, {"about": text})
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert "as it was" in page_of("ada")


def test_a_profile_can_be_emptied(user):
    User.objects.filter(pk=user.pk).update(about="as it was")
    browser_of(user).post(ADDRESS, {"about": ""})
    assert "as it was" not in page_of("ada")
