"""Accessibility violations that axe-core finds in a page, in a wide light window and a narrow dark one."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page

from tests.support.drawing import window

SITE = "http://site.test"
NARROW = 360
LOOKS = [("light", 1280), ("dark", 360)]
OPTIONS = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
    "resultTypes": ["violations"],
}
RUN = """async (options) => (await axe.run(options)).violations.map(
  ({id, nodes}) => [id, nodes.slice(0, 3).map(({html}) => html.slice(0, 300))])"""


# In `make test` one page is examined in the light, the next in the dark.
each_look = pytest.mark.parametrize("both", [False, pytest.param(True, marks=pytest.mark.exhaustive)])


class Violation(NamedTuple):
    """A rule of axe-core that a page breaks in one look, and the HTML of the first elements that break it."""

    scheme: str
    width: int
    rule: str
    elements: list[str]


def violations(page: Page, looks: Sequence[tuple[str, int]] = LOOKS) -> list[Violation]:
    """The violations in the current page, in these looks, between which it is not loaded again."""
    page.evaluate(AXE_SCRIPT)
    broken_rules = []
    for scheme, width in looks:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": 900})
        broken_rules += [Violation(scheme, width, *details) for details in page.evaluate(RUN, OPTIONS)]
    return broken_rules


def looks_at(number: int, both: bool) -> Sequence[tuple[str, int]]:
    """The looks in which to examine a page: both, or one of them, in turn."""
    return LOOKS if both else [LOOKS[number % 2]]


def assert_accessible_and_narrow(browser: Browser, pages: Mapping[str, bytes], both: bool = True) -> None:
    """axe-core finds nothing wrong in these pages, by address, and none is too wide for a phone."""
    wrong, too_wide = {}, {}
    with window(browser, SITE, pages) as page:
        for number, address in enumerate(pages):
            page.goto(SITE + address)
            wrong[address] = violations(page, looks_at(number, both))
            page.set_viewport_size({"width": NARROW, "height": 780})
            too_wide[address] = page.evaluate("document.documentElement.scrollWidth") - NARROW
    assert {address: broken for address, broken in wrong.items() if broken} == {}
    assert {address: more for address, more in too_wide.items() if more > 0} == {}
