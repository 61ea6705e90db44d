"""The replay viewers, in a real browser under the site's own content security policy."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from games.core.manifest import GAMES, all_games
from tests.support.chromium import chromium
from tests.support.drawing import COUP, HOSTILE, log_of, visit

pytestmark = pytest.mark.browser

LARGEST = 15 * 1024  # bytes of a viewer, compressed, with the script that it shares with another game


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with chromium() as browser:
        yield browser.new_page()


def words_at(page: Page, step: str) -> str:
    page.get_by_label(step, exact=True).click()
    return page.locator(".says").inner_text()


@pytest.mark.parametrize("slug", [info.slug for info in all_games()])
def test_a_viewer_is_small(slug: str) -> None:
    viewer = (GAMES / slug / "viewer.js").read_bytes()
    shared = [path.read_bytes() for path in GAMES.glob("*.js") if path.name.encode() in viewer]
    assert len(gzip.compress(viewer + b"".join(shared))) <= LARGEST


def test_a_coup_match_is_shown_step_by_step_with_its_bluffs_and_faults(page: Page) -> None:
    wrong = visit(page, "coup", log_of("coup", COUP))
    assert "is dealt Ambassador and Contessa" in page.locator(".says").inner_text()
    assert page.get_by_role("img", name="Ambassador").count() == 1
    assert page.get_by_role("img", name="Duke").count() == 2
    assert "claims the Duke, to tax" in words_at(page, "Next")
    assert "I am the Duke: tax." in page.locator(".bubble.now").inner_text()
    assert page.locator(".bluff").inner_text() == "bluff"
    assert "does not believe it" in words_at(page, "Next")
    end = words_at(page, "Last")
    assert "gives up the Ambassador" in end
    assert "got 'oops'" in end
    assert f"{HOSTILE} wins" in end
    assert page.get_by_role("img", name="Ambassador (lost)").count() == 1
    assert (page.title(), wrong) == ("viewer", [])


def test_a_samurai_match_is_shown_with_hidden_nights_and_points(page: Page) -> None:
    day = {0: "0 0 0 0 0", 1: "1 1 1 1 1", 2: "2 3 4 5 0", 3: "2 3 4 5 1"}
    night = {0: "1 1", 1: "0 0", 2: "2 2", 3: "3 3"}
    record = log_of("samurai", [day, night] * 4 + [day])
    wrong = visit(page, "samurai", record)
    words_at(page, "Next")
    assert page.locator(".sky").inner_text().startswith("Turn 1: day")
    words_at(page, "Next")
    assert "Turn 2: night, hidden from the other daimyo" in page.locator(".sky").inner_text()
    lord = page.locator(".target").nth(1)
    assert lord.locator(".number").first.inner_text() == "4 (0)"
    assert lord.locator(".dots").first.locator("i").count() == 2
    end = words_at(page, "Last")
    for seat, score in enumerate(["−12", "−14", "13", "13"]):
        name = HOSTILE if seat == 0 else f"bot{seat}"
        assert f"{name} stands at {score} points after the battle" in end
    assert (page.title(), wrong) == ("viewer", [])


def test_a_match_of_language_survival_is_shown_with_hidden_holidays_and_points(page: Page) -> None:
    weekday = {0: "0 0 0 0 0", 1: "1 1 1 1 1", 2: "2 3 4 5 0", 3: "2 3 4 5 1"}
    holiday = {0: "1 1", 1: "0 0", 2: "2 2", 3: "3 3"}
    record = log_of("language_survival", [weekday, holiday] * 4 + [weekday])
    wrong = visit(page, "language_survival", record)
    words_at(page, "Next")
    assert page.locator(".sky").inner_text().startswith("Turn 1: weekday")
    words_at(page, "Next")
    assert "holiday, hidden from the others" in page.locator(".sky").inner_text()
    assert page.locator(".target").nth(1).locator(".number").first.inner_text() == "4 (0)"
    end = words_at(page, "Last")
    for seat, score in enumerate(["−2 1/2", "−4 1/2", "4 1/2", "2 1/2"]):
        assert f"{HOSTILE if seat == 0 else f'bot{seat}'} ends with {score} points" in end
    assert (page.title(), wrong) == ("viewer", [])


@pytest.mark.parametrize("slug", ["samurai", "language_survival"])
def test_bars_of_equal_favor_are_equally_long_however_long_the_names(page: Page, slug: str) -> None:
    visit(page, slug, log_of(slug, [{seat: "0" for seat in range(4)}] * 9))
    words_at(page, "Last")
    bars = page.locator(".target").first.locator(".bar.hatched").all()
    boxes = [bar.bounding_box() for bar in bars]
    assert len(boxes) == 4
    assert len({round(box["width"]) for box in boxes if box}) == 1


def test_a_match_of_honest_rps_is_shown_round_by_round_with_broken_words_and_faults(page: Page) -> None:
    claims, throws = {0: "R", 1: "P"}, {0: "R", 1: "S"}
    wrong = visit(page, "honest_rps", log_of("honest_rps", [claims, throws] * 2 + [{0: "R", 1: HOSTILE}]))
    assert "Round 1: 3 to 0 points" in page.locator(".says").inner_text()
    honest, liar = (page.locator(".side").nth(seat).inner_text() for seat in (0, 1))
    assert "kept its word" in honest
    assert "word kept in 1 of 1" in honest
    assert honest.split("points")[0].endswith("3+3 ")
    assert "lied" in liar
    assert "word kept in 0 of 1" in liar
    end = words_at(page, "Last")
    assert f'expected R, P or S, got "{HOSTILE}"' in end
    assert f"{HOSTILE} wins" in end
    curve = [line.get_attribute("points") for line in page.locator(".curve polyline").all()]
    assert [points.count(",") for points in curve if points] == [2, 2]
    assert (page.title(), wrong) == ("viewer", [])


def test_a_game_of_camel_up_is_shown_turn_by_turn_with_traps_bets_and_faults(page: Page) -> None:
    said = ["[1, -1, 12]", "[2, 4]", "oops", "[4, 0]"]
    record = log_of("camel_up", [{turn % 4: said[turn] if turn < 4 else "[0]"} for turn in range(400)])
    wrong = visit(page, "camel_up", record)
    assert "lays a trap on square 12: one back" in words_at(page, "Next")
    assert page.locator(".square").nth(12).locator(".trap").inner_text() == "−1"
    assert "bot1 bets on camel 4 to win the round" in words_at(page, "Next")
    assert page.get_by_role("img", name="Bet on the round: camel 4").count() == 1
    refused = words_at(page, "Next")
    assert "bot2 rolls: camel" in refused
    assert "got 'oops'" in refused
    assert "bot3 bets on camel 0 to come last" in words_at(page, "Next")
    assert page.get_by_role("img", name="Hidden bet: comes last: camel 0").count() == 1
    assert page.locator(".square .camel").count() == 5
    assert page.locator(".dice .die.rolled").count() == 1
    end = words_at(page, "Last")
    assert "the round ends: camel" in end
    right = json.loads(record)["frames"][-1]["round"][-1] == 0
    assert f"bot3 {'gets 8 coins' if right else 'loses a coin'}: camel 0, bet on the last" in end
    assert "Tied for first place" in end or "wins" in end
    coins = [text.split()[0] for text in page.locator(".money").all_inner_texts()]
    assert coins == json.loads(record)["scores"]
    assert (page.title(), wrong) == ("viewer", [])


@pytest.mark.parametrize("slug", [info.slug for info in all_games()])
def test_a_match_that_no_bot_came_to_is_shown_with_the_reason(page: Page, slug: str) -> None:
    wrong = visit(page, slug, log_of(slug, []))
    says = page.locator(".says").inner_text()
    assert f"{HOSTILE} did not start: it did not come up" in says
    page.get_by_role("slider").press("End")
    assert (page.title(), wrong) == ("viewer", [])


@pytest.mark.parametrize(
    ("slug", "language", "label"),
    [
        ("coup", "ja", "再生"),
        ("samurai", "ru", "Воспроизвести"),
        ("language_survival", "ja", "再生"),
        ("honest_rps", "ru", "Воспроизвести"),
        ("camel_up", "ja", "再生"),
    ],
)
def test_a_viewer_speaks_the_language_of_the_page(page: Page, slug: str, language: str, label: str) -> None:
    replies: list[dict[int, str]] = {
        "coup": COUP,
        "honest_rps": [{0: "", 1: ""}],
        "camel_up": [{turn % 4: "[0]"} for turn in range(400)],
    }.get(slug, [{seat: "0" for seat in range(4)}] * 9)
    wrong = visit(page, slug, log_of(slug, replies), language)
    assert page.get_by_label(label, exact=True).is_visible()
    assert wrong == []
