"""Shows replays, drawn by a game's viewer.js, and pages of the site in a real browser, without a server."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, Route

from agon.contest.replay_data import ENGLISH, whole
from agon.site.web.core.middleware import CONTENT_SECURITY_POLICY
from games.core.driver import Driver, Reply
from games.core.faults import FaultCause, FaultKind
from games.core.manifest import GAMES, load
from games.core.record import SeatInfo
from tests.support.chromium import chromium
from tests.support.reasons import said

SITE = "http://viewer.test/"
PAGE = """<!doctype html><html lang="en"><title>viewer</title><div id="place"></div>
<script type="module" src="page.js"></script>"""
SCRIPT = """import view from "./viewer.js";
const log = await (await fetch("log.json")).json();
const language = new URL(location).searchParams.get("language");
view(document.getElementById("place"), log, language);
document.body.dataset.drawn = "";"""
HOSTILE = "<img src=x onerror=document.title='broken'>"  # the name of the bot in seat 0
COUP = [{0: "T"}, {1: "q"}, {0: "_\n"}, {1: "oops"}]  # a lie and a fault: seat 0 holds ~!, seat 1 holds $$
SCRIPTS = Path(__file__).resolve().parents[2] / "static" / "js"


def log_of(slug: str, replies: Sequence[Mapping[int, str]]) -> str:
    """The JSON that a replay is drawn from: a match in which the seats answer with these lines.

    In Coup they append them to the history. Without replies, the match ends with start faults of all bots.
    """
    driver = Driver(load(slug), load(slug).max_seats, 38)
    if not replies:
        driver.start_faults(
            dict.fromkeys(range(driver.seats), FaultCause(FaultKind.CRASH, said("it did not come up")))
        )
    for texts in replies:
        if driver.finished:
            break
        raw: Mapping[int, Any] = texts
        if slug == "coup":
            raw = {seat: {"appended": text, "stdout": ""} for seat, text in texts.items()}
        driver.answer({seat: Reply(move) for seat, move in raw.items()})
    assert driver.finished
    names = [HOSTILE, *(f"bot{seat}" for seat in range(1, driver.seats))]
    return json.dumps(whole(driver.log([SeatInfo(name, "0") for name in names]), ENGLISH))


def visit(page: Page, slug: str, log: str, language: str = "en") -> list[str]:
    """Open a game's replay; see `open_viewer`."""
    return open_viewer(page, GAMES / slug / "viewer.js", log, language)


def open_viewer(page: Page, viewer: Path, log: str, language: str = "en") -> list[str]:
    """Open a game's viewer.js with the JSON of a log, under the site's own content security policy.

    Returns a list to which errors in the page are appended, also later.
    """
    files = {
        "": ("text/html", PAGE),
        "page.js": ("text/javascript", SCRIPT),
        "viewer.js": ("text/javascript", viewer.read_text(encoding="utf-8")),
        "log.json": ("application/json", log),
        "favicon.ico": ("image/x-icon", ""),
    }
    for script in SCRIPTS.glob("*.js"):
        files[f"static/js/{script.name}"] = ("text/javascript", script.read_text(encoding="utf-8"))

    for script in GAMES.glob("*.js"):
        files[f"games/{script.name}"] = ("text/javascript", script.read_text(encoding="utf-8"))

    def serve(route: Route) -> None:
        kind, body = files[route.request.url.removeprefix(SITE).partition("?")[0]]
        headers = {"Content-Security-Policy": CONTENT_SECURITY_POLICY}
        route.fulfill(body=body, content_type=f"{kind}; charset=utf-8", headers=headers)

    wrong: list[str] = []
    page.unroute_all()
    page.route("**/*", serve)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.goto(f"{SITE}?language={language}")
    page.locator("body[data-drawn]").wait_for()
    return wrong


def replayed(record: Path, games: Path) -> str:
    """The JSON that the replay of a record is drawn from; its game is in the folder `games`."""
    code = "import json, sys\nfrom agon.contest.replay_data import ENGLISH, whole\n"
    code += "from games.core.replay import log_of\n"
    code += "print(json.dumps(whole(log_of(open(sys.argv[1], 'rb').read()), ENGLISH)))"
    environment = os.environ | {"AGON_GAMES": str(games), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code, str(record)]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def drawn(viewer: Path, record: Path) -> list[list[str]]:
    """The texts of the cells of the table that a viewer draws, at the last step if it has steps.

    Raises AssertionError if there are errors in the page.
    """
    with chromium() as browser:
        page = browser.new_page()
        wrong = open_viewer(page, viewer, replayed(record, viewer.parent.parent))
        for last in page.get_by_label("Last", exact=True).all():
            last.click()
        rows = page.locator("table tr").all()
        texts = [row.locator("th, td").all_inner_texts() for row in rows]
    assert wrong == []
    return texts


def step_of(page: Page) -> str:
    """The step that a replay shows, and the number of steps: "1 / 3"."""
    return page.locator("output").inner_text()


@contextmanager
def window(browser: Browser, site: str, answers: dict[str, bytes]) -> Iterator[Page]:
    """Open a window in which requests to `site` get `answers`; see `answer_with`."""
    with browser.new_context() as context:
        page = context.new_page()
        answer_with(page, site, answers)
        yield page


def answer_with(page: Page, site: str, answers: dict[str, bytes]) -> None:
    """Answer requests to `site` with these bodies, by path and query up to "&", or with static files."""
    from django.contrib.staticfiles import finders

    from agon.site.web.core.stylesheet import stylesheet

    def answer(route: Route) -> None:
        address = route.request.url.removeprefix(site).partition("&")[0]
        if address in answers:
            kind = "text/javascript" if address.endswith(".js") else "text/html"
            return route.fulfill(body=answers[address], content_type=f"{kind}; charset=utf-8")
        if address.startswith("/style-"):
            return route.fulfill(body=stylesheet().text, content_type="text/css")
        file = address.startswith("/static/") and finders.find(address.removeprefix("/static/"))
        return route.fulfill(path=Path(file)) if file else route.fulfill(status=404)

    page.route("**/*", answer)
