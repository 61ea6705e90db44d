"""What was filled in is there again for who was signed out meanwhile, and for nobody else."""

from collections.abc import Iterator

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from agon.site.accounts.models import User

from .conftest import PASSWORD, browser_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NEW = "/competitions/new/"


@pytest.fixture
def any_page(browser, live_server, organizer) -> Iterator[Page]:
    """A page of the organizer."""
    with browser.new_context(base_url=live_server.url) as context:
        cookies = browser_of(organizer).cookies.values()
        context.add_cookies(
            [{"name": cooky.key, "value": cooky.value, "url": live_server.url} for cooky in cookies]
        )
        yield context.new_page()


@pytest.fixture
def page(any_page) -> Page:
    """The form of a new competition, filled in and sent after the session has ended."""
    page = any_page
    page.goto(NEW)
    page.locator("#id_title").fill("Spring cup")
    page.locator("#id_slug").fill("spring-cup")
    page.locator("#id_text").fill("All about it.\n\nIn two paragraphs.")
    page.locator("#id_time_zone").select_option("Asia/Tokyo")
    page.locator("#id_ladder").uncheck()
    Session.objects.all().delete()
    page.get_by_role("button", name="Save the draft").click()
    expect(page.get_by_text("You are signed out, so nothing was changed.")).to_be_visible()
    return page


def sign_in(page: Page, name: str, to: str = NEW) -> None:
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url(f"**{to}")


def test_a_form_is_filled_in_again_and_can_be_sent(page, organizer) -> None:
    sign_in(page, "orga")
    expect(page.get_by_text("What you filled in is here again")).to_be_visible()
    page.get_by_role("button", name="Save the draft").click()
    page.wait_for_url("**/drafts/*/")
    settings = organizer.competition_drafts.get().settings
    assert (settings["title"], settings["time_zone"], settings["ladder"]) == (
        "Spring cup",
        "Asia/Tokyo",
        False,
    )
    assert settings["text"].splitlines() == ["All about it.", "", "In two paragraphs."]
    page.goto(NEW)
    expect(page.locator("#id_title")).to_have_value("")


def test_who_signs_in_instead_sees_nothing_of_it(page) -> None:
    User.objects.create_superuser("other", password=PASSWORD)
    sign_in(page, "other")
    expect(page.locator("#id_title")).to_have_value("")
    expect(page.get_by_text("What you filled in is here again")).to_have_count(0)


def test_settings_that_only_the_chosen_format_has_are_filled_in_again_too(any_page, competition) -> None:
    address = f"/c/{competition.slug}/tournaments/new/"
    page = any_page
    page.goto(address)
    page.locator("#id_name").fill("Cup of groups")
    page.locator("#id_format").select_option("groups")
    page.locator("[name=setting-groups]").fill("3")
    Session.objects.all().delete()
    page.get_by_role("button", name="Create").click()
    sign_in(page, "orga", address)
    expect(page.get_by_text("What you filled in is here again")).to_be_visible()
    expect(page.locator("#id_name")).to_have_value("Cup of groups")
    expect(page.locator("[name=setting-groups]")).to_have_value("3")


def test_a_program_that_was_entered_at_the_sign_in_is_not_said_to_be_lost(any_page, competition) -> None:
    page = any_page
    page.goto(f"/c/{competition.slug}/editor/")
    page.locator("[name=name]").fill("Ada")
    Session.objects.all().delete()
    page.locator("#enter-new").click()
    sign_in(page, "orga", "/submissions/*/")
    page.goto(f"/c/{competition.slug}/editor/")
    expect(page.locator("#enter-new")).to_be_visible()
    expect(page.get_by_text("What you filled in is here again")).to_have_count(0)
