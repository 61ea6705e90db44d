"""Somebody who comes for the first time: from the home page to a bot on the leaderboard, without any help."""

import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WHOLE_WAY = 180.0  # seconds


class Clicks:
    """Counts what the newcomer clicks."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, target) -> None:
        self.count += 1
        target.click()


def test_from_the_home_page_to_an_own_bot_on_the_board(page: Page, pictures: Path) -> None:
    house_bots_play(page)
    click, began = Clicks(), time.monotonic()
    page.goto("/")
    click(page.get_by_role("link", name="Write your first bot"))
    editor = page.locator(".cm-content")
    expect(editor).to_contain_text("starter")
    [slug] = re.findall(r"/c/([a-z-]+)/editor/", page.url)  # the easiest of those in which house bots play

    click(page.get_by_role("button", name="Try", exact=True))
    expect(page.locator("#trial .note.good")).to_contain_text("without a fault")
    expect(page.locator("#trial [data-viewer] button").first).to_be_attached()
    page.screenshot(path=pictures / "editor.png")

    a_mistake_is_pointed_out(page, editor, slug)
    click(page.get_by_role("button", name="Enter", exact=True))
    page.get_by_label("Username").fill("grace")
    page.locator("#id_password1").fill("correct horse battery")
    page.locator("#id_password2").fill("correct horse battery")
    click(page.get_by_role("button", name="Sign up"))
    expect(page.locator("#id_name")).to_have_value("grace")
    click(page.get_by_role("button", name="Submit", exact=True))
    expect(page.locator("#progress").get_by_role("status")).to_contain_text("active")
    click(page.get_by_role("link", name="Go to the leaderboard"))
    expect(page.locator("#board tr.own")).to_contain_text("grace")
    took = time.monotonic() - began
    print(f"from the home page to the leaderboard: {took:.1f} s, {click.count} clicks")
    assert took < WHOLE_WAY


def house_bots_play(page: Page) -> None:
    deadline = time.monotonic() + 180
    while page.goto("/c/coup/editor/") and page.locator("#id_opponent option").count() == 0:
        assert time.monotonic() < deadline, "the house bots are not active"


def a_mistake_is_pointed_out(page: Page, editor, slug: str) -> None:
    """The line is named, marked, and one click away. The draft outlives a reload, and can be discarded."""
    editor.press("Control+Home")
    page.keyboard.type("import numpy\n")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#trial .advice")).to_contain_text("Line 1: there is no module numpy here")
    expect(page.locator(".cm-faulty")).to_have_text("import numpy")
    page.wait_for_function(f"localStorage.getItem('draft of {slug}')?.includes('import numpy')")
    page.reload()
    expect(editor).to_contain_text("import numpy")
    page.get_by_role("button", name="Discard it").click()
    expect(editor).not_to_contain_text("import numpy")


def test_the_keyboard_gets_into_the_editor_and_out_again(page: Page) -> None:
    page.goto("/c/coup/editor/")
    editor = page.locator(".cm-content")
    expect(editor).to_have_attribute("aria-label", re.compile("Source code"))
    editor.focus()
    page.keyboard.press("Tab")
    expect(editor).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(editor).not_to_be_focused()


def test_it_fits_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    for address in ("/", "/c/coup/editor/"):
        page.goto(address)
        expect(page.get_by_role("main")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), address
