"""A window that knows no site, for the replays that are drawn in it."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def window(browser: Browser) -> Iterator[Page]:
    """Opening one takes longer than most tests of replays."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.fixture
def page(window: Page) -> Page:
    window.set_viewport_size({"width": 1000, "height": 800})
    window.goto("about:blank")
    return window
