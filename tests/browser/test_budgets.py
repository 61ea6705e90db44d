"""What a first visit costs a reader: bytes on the wire, and nothing that jumps. What a page is on paper."""

import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import Site

FIRST_PAGE = 100_000  # bytes, compressed, with all that the page loads
LARGEST_SHIFT = 0.03  # of Chromium's score; up to 0.1 is called good

SHIFTS = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""


@pytest.fixture
def played(site: Site, page: Page) -> str:
    """The address of a match that is over."""
    page.goto("/c/coup/matches/?state=finished")
    link = page.locator("a[id^='match-link-']").first
    for _ in range(60):
        if link.count():
            break
        page.wait_for_timeout(1000)
        page.reload()
    return str(link.get_attribute("href"))


@pytest.mark.first(1)
@pytest.mark.parametrize("width", [360, 1280])
def test_a_first_visit_takes_less_than_100_kb_and_nothing_jumps(
    site: Site, browser: Browser, played: str, width: int
) -> None:
    for address in ("/", "/c/coup/", "/c/coup/editor/", "/c/coup/rules/", played):
        context = browser.new_context(base_url=site.url, viewport={"width": width, "height": 800})
        context.add_init_script(SHIFTS)
        window = context.new_page()
        sizes: list[float] = []
        wire = context.new_cdp_session(window)
        wire.send("Network.enable")
        wire.on(
            "Network.loadingFinished", lambda event, sizes=sizes: sizes.append(event["encodedDataLength"])
        )
        window.goto(address)
        window.wait_for_timeout(2500)  # what is loaded after the page, and the first news of a live one
        shifted = window.evaluate("window.shifted")
        context.close()
        assert len(sizes) > 3, address
        assert shifted <= LARGEST_SHIFT, address
        if address != "/c/coup/editor/":  # the editor itself is 130 kB, and kept from then on
            assert sum(sizes) <= FIRST_PAGE, address


def test_a_page_in_the_dark_theme_is_printed_in_dark_letters(page: Page, played: str) -> None:
    page.goto(played)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    color = "getComputedStyle(document.querySelector('h1')).color.match(/[0-9.]+/g).slice(0, 3).map(Number)"
    assert min(page.evaluate(color)) > 200
    page.emulate_media(media="print")
    assert max(page.evaluate(color)) < 60
    expect(page.get_by_role("banner")).to_be_hidden()
