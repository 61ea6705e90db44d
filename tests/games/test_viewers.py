"""The replay viewers, in a real browser under the site's own content security policy."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Route, sync_playwright

from agon.middleware import CONTENT_SECURITY_POLICY
from games.core.driver import Driver, Reply
from games.core.manifest import GAMES, load
from games.core.record import SeatInfo, to_json

pytestmark = pytest.mark.browser

SITE = "http://viewer.test/"
HOSTILE = "<img src=x onerror=document.title='broken'>"
PAGE = """<!doctype html><html lang="en"><title>viewer</title><div id="place"></div>
<script type="module" src="page.js"></script>"""
SCRIPT = """import view from "./viewer.js";
const record = await (await fetch("record.json")).json();
view(document.getElementById("place"), record, new URL(location).searchParams.get("language"));"""


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


def record_of(slug: str, replies: list[dict[int, str]]) -> str:
    driver = Driver(load(slug), load(slug).max_seats, 38)
    for texts in replies:
        if driver.finished:
            break
        raw: dict[int, Any] = texts
        if slug == "coup":
            raw = {seat: {"appended": text, "stdout": ""} for seat, text in texts.items()}
        driver.answer({seat: Reply(move) for seat, move in raw.items()})
    assert driver.finished
    names = [HOSTILE, *(f"bot{seat}" for seat in range(1, driver.seats))]
    return to_json(driver.record([SeatInfo(name, "0") for name in names]))


def visit(page: Page, slug: str, record: str, language: str = "en") -> list[str]:
    """Open the viewer on a record; the list fills with whatever goes wrong in the page."""
    files = {
        "": ("text/html", PAGE),
        "page.js": ("text/javascript", SCRIPT),
        "viewer.js": ("text/javascript", (GAMES / slug / "viewer.js").read_text(encoding="utf-8")),
        "record.json": ("application/json", record),
        "favicon.ico": ("image/x-icon", ""),
    }

    def serve(route: Route) -> None:
        name = route.request.url.removeprefix(SITE).split("?")[0]
        kind, body = files[name]
        headers = {"Content-Security-Policy": CONTENT_SECURITY_POLICY}
        route.fulfill(body=body, content_type=f"{kind}; charset=utf-8", headers=headers)

    wrong: list[str] = []
    page.unroute_all()
    page.route("**/*", serve)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.goto(f"{SITE}?language={language}")
    page.locator("output").wait_for()
    return wrong


def words_at(page: Page, step: str) -> str:
    page.get_by_label(step, exact=True).click()
    return page.locator("#place").locator(".says").inner_text()


COUP = [{0: "T"}, {1: "q"}, {0: "_\n"}, {1: "oops"}]  # seat 0 holds ~!, seat 1 holds $$


def test_a_coup_match_is_shown_step_by_step_with_its_lies_and_faults(page: Page) -> None:
    wrong = visit(page, "coup", record_of("coup", COUP))
    assert "The cards are dealt." in page.locator(".says").inner_text()
    tax = words_at(page, "Next")
    assert "claims the Duke: tax." in tax
    assert "a lie" in tax
    assert "challenges" in words_at(page, "Next")
    end = words_at(page, "Last")
    assert "gives up Ambassador." in end
    assert "'oops' was appended" in end
    assert f"{HOSTILE} wins" in end
    assert page.locator(".card.gone").count() == 1
    assert (page.title(), wrong) == ("viewer", [])


def test_a_samurai_match_is_shown_with_hidden_nights_and_points(page: Page) -> None:
    day = {0: "0 0 0 0 0", 1: "1 1 1 1 1", 2: "2 3 4 5 0", 3: "2 3 4 5 1"}
    night = {0: "1 1", 1: "0 0", 2: "2 2", 3: "3 3"}
    wrong = visit(page, "samurai", record_of("samurai", [day, night] * 4 + [day]))
    assert "day" in words_at(page, "Next")
    assert "night" in words_at(page, "Next")
    assert page.locator("tbody tr").nth(1).locator("td").first.inner_text().startswith("4 (0)")
    words_at(page, "Last")
    record = json.loads(record_of("samurai", [day, night] * 4 + [day]))
    points = page.locator("tbody tr").last.locator("td").all_inner_texts()
    assert points == record["scores"]
    assert page.locator("th").nth(1).inner_text() == HOSTILE
    assert (page.title(), wrong) == ("viewer", [])


def test_a_match_of_language_survival_is_shown_with_hidden_holidays_and_points(page: Page) -> None:
    weekday = {0: "0 0 0 0 0", 1: "1 1 1 1 1", 2: "2 3 4 5 0", 3: "2 3 4 5 1"}
    holiday = {0: "1 1", 1: "0 0", 2: "2 2", 3: "3 3"}
    record = record_of("language_survival", [weekday, holiday] * 4 + [weekday])
    wrong = visit(page, "language_survival", record)
    assert "weekday" in words_at(page, "Next")
    assert "holiday" in words_at(page, "Next")
    assert page.locator("tbody tr").nth(1).locator("td").first.inner_text().startswith("4 (0)")
    words_at(page, "Last")
    points = page.locator("tbody tr").last.locator("td").all_inner_texts()
    assert points == json.loads(record)["scores"]
    assert page.locator("th").nth(1).inner_text() == HOSTILE
    assert (page.title(), wrong) == ("viewer", [])


def test_a_match_of_honest_rps_is_shown_round_by_round_with_broken_words_and_faults(page: Page) -> None:
    claims, throws = {0: "R", 1: "P"}, {0: "R", 1: "S"}
    wrong = visit(page, "honest_rps", record_of("honest_rps", [claims, throws] * 2 + [{0: "R", 1: HOSTILE}]))
    assert "Before the first round" in page.locator(".says").inner_text()
    assert words_at(page, "Next") == "Round 1"
    honest, liar = (page.locator(".player").nth(seat).inner_text() for seat in (0, 1))
    assert "kept its word in 1 / 1" in honest
    assert "3 points" in honest
    assert "broke its word" in liar
    assert "0 points" in liar
    end = words_at(page, "Last")
    assert f'expected R, P or S; "{HOSTILE}" came' in end
    assert f"{HOSTILE} wins" in end
    assert page.locator("polyline").get_attribute("points").count(",") == 3
    assert (page.title(), wrong) == ("viewer", [])


def test_a_game_of_camel_up_is_shown_turn_by_turn_with_traps_bets_and_faults(page: Page) -> None:
    said = ["[1, -1, 12]", "[2, 4]", "oops", "[4, 0]"]
    record = record_of("camel_up", [{turn % 4: said[turn] if turn < 4 else "[0]"} for turn in range(400)])
    wrong = visit(page, "camel_up", record)
    assert "at the start" in page.locator(".says").inner_text()
    assert f"{HOSTILE} lays a trap (−1) on square 12." in words_at(page, "Next")
    assert page.locator(".square").nth(12).locator(".trap").inner_text().startswith("−1")
    assert "bot1 bets on camel 4 to win the round." in words_at(page, "Next")
    refused = words_at(page, "Next")
    assert "bot2 rolls: camel" in refused
    assert "'oops' came" in refused
    assert "bot3 bets on camel 0 to come last." in words_at(page, "Next")
    assert page.locator(".camel").count() == 5
    assert page.locator(".camel.waits").count() == 4
    end = words_at(page, "Last")
    assert "The round ends: camel" in end
    assert "win" in end
    coins = [text.split()[0] for text in page.locator(".coins").all_inner_texts()]
    assert coins == json.loads(record)["scores"]
    assert (page.title(), wrong) == ("viewer", [])


@pytest.mark.parametrize(
    ("slug", "language", "label"),
    [
        ("coup", "ja", "再生"),
        ("samurai", "ru", "Смотреть"),
        ("language_survival", "ja", "再生"),
        ("honest_rps", "ru", "Смотреть"),
        ("camel_up", "ja", "再生"),
    ],
)
def test_a_viewer_speaks_the_language_of_the_page(page: Page, slug: str, language: str, label: str) -> None:
    replies: list[dict[int, str]] = {
        "coup": COUP,
        "honest_rps": [{0: "", 1: ""}],
        "camel_up": [{turn % 4: "[0]"} for turn in range(400)],
    }.get(slug, [{seat: "0" for seat in range(4)}] * 9)
    visit(page, slug, record_of(slug, replies), language)
    assert page.get_by_label(label).is_visible()
