"""Try, pressed again while an earlier try waits, in a browser: the page shows the newer one, too."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from agon.site.accounts.services import house_user
from agon.site.bots.models import Bot
from tests.support.factories import activate

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page(browser, live_server, coup) -> Iterator[Page]:
    Bot.objects.filter(pk=activate(house_user(), coup, ["Honest"])[0].bot_id).update(house=True)
    with browser.new_context(base_url=live_server.url) as context:
        yield context.new_page()


def test_the_newer_try_is_shown_although_the_page_asked_for_the_older_one_meanwhile(page) -> None:
    page.goto("/c/coup/editor/")
    attempt = page.get_by_role("button", name="Try", exact=True)
    attempt.click()
    shown = page.locator("#trial[hx-get]")
    expect(shown).to_contain_text("Waiting")
    before = shown.get_attribute("hx-get")

    answered: list[tuple[Route, APIResponse]] = []
    page.route(
        "**/editor/", lambda route: answered.append((route, route.fetch()))
    )  # on a slow connection, its answer comes later than that of the next question about the older one
    attempt.click()
    while not answered:
        page.wait_for_timeout(20)
    page.wait_for_timeout(1000)
    route, answer = answered.pop()
    route.fulfill(response=answer)
    expect(attempt).to_be_enabled()
    expect(shown).to_contain_text("Waiting")
    assert shown.get_attribute("hx-get") != before
