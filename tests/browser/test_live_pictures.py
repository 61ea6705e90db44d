"""What the viewer of each game draws of a match that is still being played."""

import json
import random
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from agon.contest.replay_data import ENGLISH, news
from games.core.compliance.harness import game_under_test
from games.core.compliance.scripted import play
from games.core.manifest import GAMES, all_games, load
from games.core.public import public_frames, running_log
from tests.support.drawing import open_viewer

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    yield context.new_page()
    context.close()


def visit(page: Page, slug: str, count: int, players=None, language: str = "en") -> list[str]:
    """Open the viewer on the first frames of a match of random bots, or of these; what goes wrong there."""
    info = load(slug)
    bot = game_under_test(info).player
    players = players or [bot(random.Random(seat)) for seat in range(info.max_seats)]
    driver = play(info, players, 38)
    frames = public_frames(slug, driver.frames)[:count]
    names = [f"bot{seat}" for seat in range(driver.seats)]
    log = news(running_log(slug, info.version, names, frames, driver.frame_steps[:count]), ENGLISH, 0)
    return open_viewer(page, GAMES / slug / "viewer.js", json.dumps(log | {"live": True}), language)


@pytest.mark.first(5)
@pytest.mark.parametrize("slug", [info.slug for info in all_games()])
@pytest.mark.parametrize("language", ["en", "ja", "ru"])
def test_every_frame_of_a_running_match_is_drawn(page: Page, slug: str, language: str) -> None:
    wrong = visit(page, slug, 9, language=language)
    for _ in range(8):
        page.locator(".player-box").press("ArrowLeft")
    expect(page.locator(".outcome")).to_have_count(0)
    assert wrong == []


def test_cards_of_coup_are_covered_and_claims_are_not_judged(page: Page) -> None:
    visit(page, "coup", 2, [lambda request: {"appended": request.view.args[3], "stdout": ""}] * 2)
    expect(page.get_by_label("covered card")).to_have_count(4)
    visit(page, "coup", 2, [lambda request: {"appended": "T" if not request.step else "p", "stdout": ""}] * 2)
    expect(page.get_by_text("I am the Duke: tax.")).to_be_visible()
    expect(page.locator(".bluff")).to_have_count(0)


@pytest.mark.exhaustive
def test_bets_on_the_game_of_camel_up_are_there_without_their_camel(page: Page) -> None:
    answers = ["[3, 2]", "[4, 1]"]
    visit(page, "camel_up", 3, [lambda r: answers[r.step] if r.step < 2 else "[0]"] * 4)
    expect(page.get_by_label("Hidden bet: wins the game", exact=True)).to_have_text("▲?")
    expect(page.get_by_label("Hidden bet: comes last", exact=True)).to_have_text("▼?")
