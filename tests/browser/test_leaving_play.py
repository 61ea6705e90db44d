"""In a real browser, on a site that plays: a bot is withdrawn, renamed, deleted, and its account closed."""

import re

import pytest
from playwright.sync_api import Page, expect

from .test_main_line import (
    FIRST_RESULT,
    house_bots_have_played,
    sign_up,
    states_are_shown_as_they_change,
    upload,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LIVE = 30_000  # milliseconds until an open leaderboard shows what has changed


@pytest.mark.exhaustive
def test_a_bot_leaves_play_and_its_author_the_site(page: Page) -> None:
    house_bots_have_played(page)
    sign_up(page, "bea")
    upload(page, "Baroness")
    states_are_shown_as_they_change(page)
    expect(page.get_by_role("link", name="first rated match")).to_be_visible(timeout=FIRST_RESULT * 1000)
    board = page.context.new_page()
    board.goto("/c/coup/")
    expect(board.get_by_role("link", name="Baroness")).to_be_visible(timeout=LIVE)

    page.get_by_role("link", name="Baroness", exact=True).first.click()
    page.get_by_role("link", name="Rename", exact=True).click()
    page.get_by_label("New name").fill("Duchess")
    page.get_by_role("button", name="Rename bot").click()
    expect(page.get_by_role("heading", name="Duchess")).to_be_visible()
    expect(board.get_by_role("link", name="Duchess")).to_be_visible(timeout=LIVE)

    confirm(page, "Withdraw", "Withdraw bot", "Duchess has been withdrawn.")
    expect(board.get_by_role("link", name="Duchess")).to_have_count(0, timeout=LIVE)
    page.get_by_role("link", name="Let it play again", exact=True).click()
    page.get_by_role("button", name="Let it play again", exact=True).click()
    expect(page.get_by_text("Duchess was withdrawn less than an hour ago.")).to_be_visible()
    page.go_back()
    page.go_back()

    confirm(page, "Delete", "Delete bot", "Duchess has been deleted.")
    expect(board.get_by_role("link", name="Duchess")).to_have_count(0, timeout=LIVE)
    expect(page.locator("table.matches tbody tr").first).to_contain_text(re.compile("Baroness|Duchess"))
    the_account_is_closed(page)


def confirm(page: Page, act: str, button: str, done: str) -> None:
    page.get_by_role("link", name=act, exact=True).click()
    page.get_by_role("button", name=button, exact=True).click()
    expect(page.get_by_role("status").filter(has_text=done)).to_be_visible()


def the_account_is_closed(page: Page) -> None:
    page.goto("/u/bea/")
    page.get_by_role("link", name="Close your account").click()
    page.get_by_label("Your password").fill("correct horse battery")
    page.get_by_role("button", name="Close the account").click()
    expect(page.get_by_text("The account bea has been closed.")).to_be_visible()
    expect(page.get_by_role("link", name="Sign up").first).to_be_visible()
