"""A replay drawn by a game's viewer.js, in a real browser under the site's own content security policy."""

import shutil
from pathlib import Path

from playwright.sync_api import Route, sync_playwright

from agon.middleware import CONTENT_SECURITY_POLICY

SITE = "http://viewer.test/"
PAGE = """<!doctype html><html lang="en"><title>viewer</title><div id="place"></div>
<script type="module" src="page.js"></script>"""
SCRIPT = """import view from "./viewer.js";
view(document.getElementById("place"), await (await fetch("record.json")).json(), "en");
document.title = "drawn";"""


def drawn(viewer: Path, record: Path) -> list[list[str]]:
    """The table that is drawn, as the texts of its cells. AssertionError for anything wrong in the page."""
    files = {
        "": ("text/html", PAGE),
        "page.js": ("text/javascript", SCRIPT),
        "viewer.js": ("text/javascript", viewer.read_text(encoding="utf-8")),
        "record.json": ("application/json", record.read_text(encoding="utf-8")),
        "favicon.ico": ("image/x-icon", ""),
    }

    def serve(route: Route) -> None:
        kind, body = files[route.request.url.removeprefix(SITE)]
        headers = {"Content-Security-Policy": CONTENT_SECURITY_POLICY}
        route.fulfill(body=body, content_type=f"{kind}; charset=utf-8", headers=headers)

    wrong: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.route("**/*", serve)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
        page.goto(SITE)
        page.wait_for_function("document.title == 'drawn'")
        rows = page.locator("table tr").all()
        texts = [row.locator("th, td").all_inner_texts() for row in rows]
        browser.close()
    assert wrong == []
    return texts
