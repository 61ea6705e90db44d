"""Somebody who comes for the first time: from the home page to a bot on the leaderboard, without any help."""

import re
import time

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MOST_CLICKS = 10


class Clicks:
    """Counts what the newcomer clicks."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, target) -> None:
        self.count += 1
        target.click()


def test_from_the_home_page_to_an_own_bot_on_the_board(page: Page) -> None:
    house_bots_play(page)
    click = Clicks()
    page.goto("/")
    click(page.get_by_role("link", name="Write your first bot"))
    editor = page.locator(".cm-content")
    expect(editor).to_contain_text("starter")
    [slug] = re.findall(r"/c/([a-z-]+)/editor/", page.url)  # the easiest of those in which house bots play

    click(page.get_by_role("button", name="Try", exact=True))
    expect(page.locator("#trial .note.good")).to_contain_text("without a fault")
    expect(page.locator("#announce")).to_have_text("The match was played without a fault.")
    expect(page.locator("#trial [data-viewer] button").first).to_be_attached()
    expect(page.locator("#trial [data-act=link]")).to_be_hidden()  # nobody else could follow it

    a_mistake_is_pointed_out(page, editor, slug)
    click(page.get_by_role("button", name="Enter as a new bot"))
    page.get_by_label("Username").fill("nora")
    page.locator("#id_password1").fill("correct horse battery")
    page.locator("#id_password2").fill("correct horse battery")
    click(page.get_by_role("button", name="Sign up"))
    expect(page.locator("#progress").get_by_role("status")).to_contain_text("active")
    click(page.get_by_role("link", name="Go to the leaderboard"))
    expect(page.locator("#board tr.own")).to_contain_text("nora")
    assert click.count <= MOST_CLICKS


def house_bots_play(page: Page) -> None:
    deadline = time.monotonic() + 600
    while page.goto("/c/coup/editor/") and page.locator("#id_opponent option").count() == 0:
        assert time.monotonic() < deadline, "the house bots are not active"


def a_mistake_is_pointed_out(page: Page, editor, slug: str) -> None:
    """The line is named, marked, and one click away. The draft outlives a reload, and can be discarded."""
    editor.press("Control+Home")
    page.keyboard.type("import scipy\n")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#trial .advice")).to_contain_text("Line 1: there is no module scipy here")
    expect(page.locator(".cm-faulty")).to_have_text("import scipy")
    page.wait_for_function(f"localStorage.getItem('draft of {slug}/visitor/new')?.includes('import scipy')")
    page.reload()
    expect(editor).to_contain_text("import scipy")
    page.get_by_role("button", name="Discard it").click()
    expect(editor).not_to_contain_text("import scipy")


def test_who_signs_out_leaves_no_draft_behind(page: Page, site) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password").fill(site.password)
    page.get_by_role("button", name="Sign in").click()
    page.goto("/c/coup/editor/")
    editor = page.locator(".cm-content")
    expect(editor).to_contain_text("starter")
    editor.press("Control+Home")
    page.keyboard.type("# a secret plan")
    page.wait_for_function("() => JSON.stringify(localStorage).includes('a secret plan')")
    page.locator("summary", has_text="Your account").click()
    page.evaluate("document.querySelector('#id_text').dispatchEvent(new Event('input'))")  # not kept yet
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()
    assert page.evaluate("Object.keys(localStorage).length") == 0
    page.goto("/c/coup/editor/")
    expect(editor).to_contain_text("starter")
    expect(editor).not_to_contain_text("a secret plan")


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


def test_typing_over_a_selection_replaces_it_and_the_console_stays_silent(page: Page) -> None:
    """The fixture fails where the console reports anything, such as a style that the policy forbids."""
    editor = open_editor(page)
    editor.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("print(1)")
    expect(editor).to_have_text("print(1)")
    page.keyboard.insert_text("\nimport os  # a comment")
    editor.locator(".cm-line").last.click(click_count=3)
    page.keyboard.type("x = 'new'")
    expect(page.locator("[name=text]")).to_have_value("print(1)\nx = 'new'")
    page.keyboard.press("Control+z")
    expect(page.locator("[name=text]")).to_have_value("print(1)\nimport os  # a comment")
    page.keyboard.press("Control+a")
    session = page.context.new_cdp_session(page)  # an input method, as for Japanese
    session.send("Input.imeSetComposition", {"text": "か", "selectionStart": 1, "selectionEnd": 1})
    session.send("Input.insertText", {"text": "火"})
    expect(editor).to_have_text("火")


def open_editor(page: Page):
    page.goto("/c/coup/editor/")
    editor = page.locator(".cm-content")
    expect(editor).to_contain_text("starter")
    return editor


def test_what_was_written_outlives_leaving_at_once_and_a_starter_that_does_not_arrive(page: Page) -> None:
    open_editor(page).press("Control+Home")
    page.keyboard.type("# mine\n")
    page.goto("/")
    editor = open_editor(page)
    expect(editor).to_contain_text("# mine")
    page.once("dialog", lambda dialog: dialog.accept())
    page.evaluate("() => { window.fetch = () => Promise.reject(new Error()) }")
    page.locator("[data-starters] summary").click()
    page.locator("[data-starters] a").first.click()
    page.wait_for_url("**/editor/?starter=*")
    open_editor(page)
    expect(editor).to_contain_text("# mine")


def test_a_starter_that_was_not_changed_is_replaced_without_a_question(page: Page) -> None:
    open_editor(page)
    language = page.locator("#id_language")
    for starter, slug in (("C++", "cpp"), ("Python", "python")):
        page.locator("[data-starters] summary").click()
        page.locator("[data-starters] a").get_by_text(starter, exact=True).click()
        expect(language).to_have_value(slug)
        page.wait_for_timeout(600)  # a draft would have been kept by now
    assert page.evaluate("localStorage.length") == 0


def test_a_try_works_after_signing_in_elsewhere(page: Page) -> None:
    house_bots_play(page)
    open_editor(page)
    page.evaluate(f"document.cookie = 'csrftoken={'a' * 32}; path=/'")  # signing in gives a new one
    page.get_by_role("button", name="Try", exact=True).click()
    expect(page.locator("#trial")).to_contain_text(re.compile("Waiting|playing|without a fault"))


def test_the_enter_key_behind_the_name_enters_the_bot(page: Page) -> None:
    open_editor(page)
    page.get_by_label("Bot name").press("Enter")
    page.wait_for_url("**/accounts/signup/**")


def test_it_fits_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    for address in ("/", "/c/coup/editor/"):
        page.goto(address)
        expect(page.get_by_role("main")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), address
