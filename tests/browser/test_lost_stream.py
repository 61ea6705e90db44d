"""A page whose stream is refused, or broken, asks now and then instead."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from agon.site.web.leaderboards import stream

from .conftest import Site

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A window in which a refused request, which Chromium takes for an error, is none of the test's."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.mark.first(1)
@pytest.mark.parametrize(
    "answer",
    [
        {"status": 429, "body": "Too many pages."},
        {"content_type": "text/event-stream", "body": stream.BROKEN.decode()},
    ],
    ids=["refused", "broken"],
)
def test_a_page_without_a_stream_asks_for_its_rows_and_listens_again(
    site: Site, page: Page, answer: dict[str, Any]
) -> None:
    asked = []

    def lose(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(**answer)

    page.route("**/events/*", lose)
    with page.expect_request(lambda request: "part=board" in request.url, timeout=120_000):
        page.goto(f"{site.url}/c/coup/")
    assert asked
    page.unroute("**/events/*")
    expect(page.locator("body.is-live")).to_be_attached(timeout=120_000)
