"""A browser window without a site, for tests that draw replays."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def window(browser: Browser) -> Iterator[Page]:
    """One window for all tests of a file, because opening it takes longer than most of them."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.fixture
def page(window: Page) -> Page:
    window.set_viewport_size({"width": 1000, "height": 800})
    window.goto("about:blank")
    return window
