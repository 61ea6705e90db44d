"""`make pictures`: takes ten screenshots for docs/images/ of a site that has played for a while.

Starts a site with every house bot, as `make run` does but with its data in a temporary folder, and stops it
at the end. This takes some minutes.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize, expect

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.support.chromium import chromium  # noqa: E402

IMAGES = ROOT / "docs" / "images"
PASSWORD = "correct horse battery"
DESKTOP: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 800}
PATIENCE = 600_000  # milliseconds

expect.set_options(timeout=PATIENCE)


def main() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="agon-") as folder,
        site(Path(folder)) as (url, password),
        chromium() as browser,
    ):
        ada, admin = visitor(browser, url), visitor(browser, url)
        submit_bot(ada)
        sign_in(admin, password)
        shoot_tournament(admin)
        shoot_author_pages(ada)
        shoot_match(ada, "camel-up", "match")
        ada.set_viewport_size(PHONE)
        ada.emulate_media(color_scheme="dark")
        shoot_match(ada, "samurai", "match-phone")


@contextmanager
def site(folder: Path) -> Iterator[tuple[str, str]]:
    """Run a site; yields its URL and the password of its administrator."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    running = subprocess.Popen(
        [sys.executable, "-m", "agon", "serve"],
        env=os.environ | {"AGON_VAR": str(folder / "var"), "PORT": str(port)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    try:
        for line in running.stdout:
            if matched := re.search(r"Administrator: admin, password (\S+)", line):
                yield f"http://127.0.0.1:{port}", matched[1]
                return
        sys.exit("agon: the site ended before it was ready")
    finally:
        running.send_signal(signal.SIGINT)
        running.communicate()


def visitor(browser: Browser, url: str) -> Page:
    context = browser.new_context(
        base_url=url,
        viewport=DESKTOP,
        locale="en-US",
        reduced_motion="reduce",  # so that no screenshot shows a row that is sliding
    )
    context.set_default_timeout(PATIENCE)
    return context.new_page()


def shoot(page: Page, name: str) -> None:
    page.mouse.move(0, 0)
    # The page loads more by itself. One cannot wait for an idle network: event streams stay open.
    page.wait_for_timeout(1000)
    page.screenshot(path=IMAGES / f"{name}.png")


def submit_bot(page: Page) -> None:
    """Write a bot for Coup in the editor, try it, sign up, and submit it."""
    reload_until(page, "/c/coup/editor/", "#id_opponent option")
    page.get_by_role("button", name="Try", exact=True).click()
    expect(page.locator("#trial .note.good")).to_be_visible()
    shoot(page, "editor")
    page.get_by_role("button", name="Enter", exact=True).click()
    page.get_by_label("Username").fill("ada")
    page.locator("#id_password1").fill(PASSWORD)
    page.locator("#id_password2").fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()
    page.locator("#id_name").fill("Countess")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator("#progress").get_by_role("status")).to_contain_text("active")


def sign_in(page: Page, password: str) -> None:
    page.goto("/accounts/login/")
    page.locator("#id_login").fill("admin")
    page.locator("#id_password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def shoot_tournament(page: Page) -> None:
    """A tournament in which every pair of Coup's bots meets five times, and its head-to-head matrix."""
    reload_until(page, "/c/coup/tournaments/new/", "input[name=bots]", 9)
    page.locator("#id_name").fill("Summer school")
    page.locator("#id_rounds").fill("5")
    for bot in page.locator("input[name=bots]").all():
        bot.check()
    page.get_by_role("button", name="Create").click()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("link", name="Archive")).to_be_visible()
    page.reload()
    shoot(page, "tournament")
    page.goto(f"{page.url}matrix")
    shoot(page, "head-to-head")


def shoot_author_pages(page: Page) -> None:
    """The pages that the author of a bot reads: leaderboard, home page, and the analysis of the bot."""
    reload_until(page, "/c/coup/", "#board tr.own a[href^='/bots/']")
    played = "least => document.querySelector('#board tr.own td:nth-last-child(3)')?.innerText >= least"
    page.wait_for_function(played, arg=60)
    page.reload()
    shoot(page, "leaderboard")
    page.emulate_media(color_scheme="dark")
    shoot(page, "leaderboard-dark")
    page.set_viewport_size(PHONE)
    shoot(page, "leaderboard-phone")
    page.set_viewport_size(DESKTOP)
    page.emulate_media(color_scheme="light")
    page.goto("/")
    shoot(page, "home")
    page.goto("/c/coup/")
    page.locator("#board tr.own a[href^='/bots/']").first.click()
    page.goto(f"{page.url}analysis/")
    shoot(page, "analysis")


def shoot_match(page: Page, slug: str, name: str) -> None:
    """A match of the ladder, a third of the way through."""
    reload_until(page, f"/c/{slug}/matches/?kind=ladder&state=finished", "main a[href^='/matches/']")
    page.locator("main a[href^='/matches/']").first.click()
    slider = page.get_by_role("slider")
    expect(slider).to_be_visible()
    for _ in range(int(slider.get_attribute("aria-valuemax") or slider.get_attribute("max") or 30) // 3):
        slider.press("ArrowRight")
    page.evaluate("scrollTo(0, 0)")
    shoot(page, name)


def reload_until(page: Page, address: str, selector: str, least: int = 1) -> None:
    """Reload a page until at least `least` elements match the selector."""
    while page.goto(address) and page.locator(selector).count() < least:
        page.wait_for_timeout(500)


if __name__ == "__main__":
    main()
