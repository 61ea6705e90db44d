"""TV in a browser: the next match comes by itself, and all of it is on the screen."""

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]
LONGER_THAN_A_STILL_SCREEN = 61_000  # milliseconds; this browser asks for less motion, so nothing moves


@pytest.mark.first(1)
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1920, 1080)])
def test_one_match_after_the_other_is_shown_in_view(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.clock.install()
    page.goto("/c/coup/tv/")
    while page.locator("#playing a").count() == 0:  # the house bots have not played yet
        with page.expect_response(lambda answer: "/tv/" in answer.url):
            page.clock.run_for(LONGER_THAN_A_STILL_SCREEN)
        # Else the clock might be run on while the log of a match is fetched, which gives up then.
        expect(page.locator("#screen:not(.htmx-request)")).to_be_attached()
    play = page.locator("[data-viewer] [data-act=play]")
    expect(play).to_be_in_viewport(ratio=1)
    expect(page.locator("#screen table")).to_be_in_viewport()

    before = page.locator("#screen").get_attribute("hx-get")
    page.clock.run_for(LONGER_THAN_A_STILL_SCREEN)
    expect(page.locator("#screen")).not_to_have_attribute("hx-get", before or "")
    expect(play).to_be_in_viewport(ratio=1)
