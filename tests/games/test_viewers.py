"""The replay viewers, in a real browser under the site's own content security policy."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, sync_playwright

from games.core.manifest import all_games
from tests.support.drawing import COUP, HOSTILE, log_of, visit

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


def words_at(page: Page, step: str) -> str:
    page.get_by_label(step, exact=True).click()
    return page.locator("#place").locator(".says").inner_text()


def test_a_coup_match_is_shown_step_by_step_with_its_lies_and_faults(page: Page) -> None:
    wrong = visit(page, "coup", log_of("coup", COUP))
    assert "The cards are dealt." in page.locator(".says").inner_text()
    tax = words_at(page, "Next")
    assert "claims the Duke: tax." in tax
    assert "a lie" in tax
    assert "challenges" in words_at(page, "Next")
    end = words_at(page, "Last")
    assert "gives up Ambassador." in end
    assert "got 'oops'" in end
    assert f"{HOSTILE} wins" in end
    assert page.locator(".card.gone").count() == 1
    assert (page.title(), wrong) == ("viewer", [])


def test_a_samurai_match_is_shown_with_hidden_nights_and_points(page: Page) -> None:
    day = {0: "0 0 0 0 0", 1: "1 1 1 1 1", 2: "2 3 4 5 0", 3: "2 3 4 5 1"}
    night = {0: "1 1", 1: "0 0", 2: "2 2", 3: "3 3"}
    wrong = visit(page, "samurai", log_of("samurai", [day, night] * 4 + [day]))
    assert "day" in words_at(page, "Next")
    assert "night" in words_at(page, "Next")
    assert page.locator("tbody tr").nth(1).locator("td").first.inner_text().startswith("4 (0)")
    words_at(page, "Last")
    record = json.loads(log_of("samurai", [day, night] * 4 + [day]))
    points = page.locator("tbody tr").last.locator("td").all_inner_texts()
    assert points == record["scores"]
    assert page.locator("th").nth(1).inner_text() == HOSTILE
    assert (page.title(), wrong) == ("viewer", [])


def test_a_match_of_language_survival_is_shown_with_hidden_holidays_and_points(page: Page) -> None:
    weekday = {0: "0 0 0 0 0", 1: "1 1 1 1 1", 2: "2 3 4 5 0", 3: "2 3 4 5 1"}
    holiday = {0: "1 1", 1: "0 0", 2: "2 2", 3: "3 3"}
    record = log_of("language_survival", [weekday, holiday] * 4 + [weekday])
    wrong = visit(page, "language_survival", record)
    assert "weekday" in words_at(page, "Next")
    assert "holiday" in words_at(page, "Next")
    assert page.locator("tbody tr").nth(1).locator("td").first.inner_text().startswith("4 (0)")
    words_at(page, "Last")
    points = page.locator("tbody tr").last.locator("td").all_inner_texts()
    assert points == json.loads(record)["scores"]
    assert page.locator("th").nth(1).inner_text() == HOSTILE
    assert (page.title(), wrong) == ("viewer", [])


@pytest.mark.parametrize("slug", ["samurai", "language_survival"])
def test_bars_of_equal_favour_are_equally_long_however_long_the_names(page: Page, slug: str) -> None:
    visit(page, slug, log_of(slug, [{seat: "0" for seat in range(4)}] * 9))
    words_at(page, "Last")
    bars = page.locator("tbody tr").first.locator(".bar").all()
    boxes = [bar.bounding_box() for bar in bars]
    assert len(boxes) == 4
    assert len({round(box["width"]) for box in boxes if box}) == 1


def test_a_match_of_honest_rps_is_shown_round_by_round_with_broken_words_and_faults(page: Page) -> None:
    claims, throws = {0: "R", 1: "P"}, {0: "R", 1: "S"}
    wrong = visit(page, "honest_rps", log_of("honest_rps", [claims, throws] * 2 + [{0: "R", 1: HOSTILE}]))
    assert "Before the first round" in page.locator(".says").inner_text()
    assert words_at(page, "Next") == "Round 1"
    honest, liar = (page.locator(".player").nth(seat).inner_text() for seat in (0, 1))
    assert "kept its word in 1 / 1" in honest
    assert "3 points" in honest
    assert "broke its word" in liar
    assert "0 points" in liar
    end = words_at(page, "Last")
    assert f'expected R, P or S, got "{HOSTILE}"' in end
    assert f"{HOSTILE} wins" in end
    assert page.locator("polyline").get_attribute("points").count(",") == 3
    assert (page.title(), wrong) == ("viewer", [])


def test_a_game_of_camel_up_is_shown_turn_by_turn_with_traps_bets_and_faults(page: Page) -> None:
    said = ["[1, -1, 12]", "[2, 4]", "oops", "[4, 0]"]
    record = log_of("camel_up", [{turn % 4: said[turn] if turn < 4 else "[0]"} for turn in range(400)])
    wrong = visit(page, "camel_up", record)
    assert "at the start" in page.locator(".says").inner_text()
    assert f"{HOSTILE} lays a trap (−1) on square 12." in words_at(page, "Next")
    assert page.locator(".square").nth(12).locator(".trap").inner_text().startswith("−1")
    assert "bot1 bets on camel 4 to win the round." in words_at(page, "Next")
    refused = words_at(page, "Next")
    assert "bot2 rolls: camel" in refused
    assert "got 'oops'" in refused
    assert "bot3 bets on camel 0 to come last." in words_at(page, "Next")
    assert page.locator(".camel").count() == 5
    assert page.locator(".camel.waits").count() == 4
    end = words_at(page, "Last")
    assert "The round ends: camel" in end
    [(sign, coins)] = re.findall(r"bot3 ([+−])(\d) \(camel 0, bet on the last\)", end)
    last = json.loads(record)["frames"][-1]["round"][-1]
    assert (sign, coins) == (("+", "8") if last == 0 else ("−", "1"))
    assert "win" in end
    coins = [text.split()[0] for text in page.locator(".coins").all_inner_texts()]
    assert coins == json.loads(record)["scores"]
    assert (page.title(), wrong) == ("viewer", [])


@pytest.mark.parametrize("slug", [info.slug for info in all_games()])
def test_a_match_that_no_bot_came_to_is_shown_with_the_reason(page: Page, slug: str) -> None:
    wrong = visit(page, slug, log_of(slug, []))
    steps = ""
    for key in ("Home", "ArrowRight", "End"):
        page.get_by_role("slider").press(key)
        steps += page.locator(".says").inner_text()
    assert f"{HOSTILE}: did not start. it did not come up" in steps
    assert "200 calls" not in steps
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
    visit(page, slug, log_of(slug, replies), language)
    assert page.get_by_label(label).is_visible()
