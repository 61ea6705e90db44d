"""What the replays of all games share (static/js/replay.js): keys, focus, playing, words, narrow screens."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.drawing import COUP, record_of, visit

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROUNDS = [{0: "R", 1: "P"}, {0: "R", 1: "S"}] * 250
RECORDS = {
    "coup": COUP,
    "honest_rps": ROUNDS,
    "camel_up": [{turn % 4: "[0]"} for turn in range(400)],
    "samurai": [{seat: "0" for seat in range(4)}] * 9,
    "language_survival": [{seat: "0" for seat in range(4)}] * 9,
}


@pytest.fixture(scope="module")
def window(browser: Browser) -> Iterator[Page]:
    """A window that knows no site; opening one takes longer than most of these tests."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.fixture
def page(window: Page) -> Page:
    window.set_viewport_size({"width": 1000, "height": 800})
    return window


def step_of(page: Page) -> str:
    return page.locator("output").inner_text()


def focused(page: Page) -> str:
    script = "document.querySelector('#place').shadowRoot.activeElement?.getAttribute('aria-label')"
    return page.evaluate(script)


def test_keys_step_through_a_match_and_the_focus_stays(page: Page) -> None:
    visit(page, "coup", record_of("coup", COUP))
    page.get_by_label("Next", exact=True).focus()
    for key, step in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 3), ("Home", 0)):
        page.keyboard.press(key)
        assert (step_of(page), focused(page)) == (f"{step} / 3", "Next")
    for _ in range(6):
        page.keyboard.press("Enter")
    assert (step_of(page), focused(page)) == ("3 / 3", "Next")
    expect(page.get_by_label("Next", exact=True)).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Control+Home")
    assert step_of(page) == "3 / 3"


def test_the_slider_keeps_its_own_keys_and_says_where_it_is(page: Page) -> None:
    visit(page, "coup", record_of("coup", COUP))
    slider = page.get_by_role("slider", name="Call")
    slider.press("ArrowRight")
    assert step_of(page) == "1 / 3"
    expect(slider).to_have_attribute("aria-valuetext", "Call 1 of 3")
    slider.press("Space")
    expect(page.get_by_label("Pause")).to_be_visible()


@pytest.mark.parametrize(("motion", "pace"), [("no-preference", 300), ("reduce", 1500)])
def test_it_plays_by_itself_to_the_end_slower_where_less_motion_is_wanted(browser, motion, pace) -> None:
    page = browser.new_page(reduced_motion=motion)
    page.clock.install(time=0)
    visit(page, "honest_rps", record_of("honest_rps", [*ROUNDS[:4], {0: "R", 1: "oops"}]))
    page.clock.pause_at(3600)  # from here on only this test moves the clock
    page.get_by_label("Play").press("Space")
    says = page.locator("p.says")
    expect(says).to_have_attribute("aria-live", "off")
    page.clock.run_for(pace - 50)
    assert step_of(page) == "0 / 2"
    page.clock.run_for(100)
    assert step_of(page) == "1 / 2"
    page.clock.run_for(3 * pace)
    assert step_of(page) == "2 / 2"
    expect(page.get_by_label("Play")).to_be_focused()
    expect(says).to_have_attribute("aria-live", "polite")
    page.close()


@pytest.mark.parametrize(
    ("language", "coins"),
    [("en", ["1 coin", "4 coins"]), ("ja", ["1 コイン", "4 コイン"]), ("ru", ["1 монета", "4 монеты"])],
)
def test_numbers_of_coins_take_the_form_of_the_language(page: Page, language: str, coins: list[str]) -> None:
    replies = [{0: "T"}, {1: "p"}, {0: "\n"}, {1: "oops"}]
    visit(page, "coup", record_of("coup", replies), language)
    page.get_by_role("slider").press("End")
    assert sorted(page.locator(".coins").all_inner_texts()) == coins


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "bot1: illegal move. "), ("ja", "bot1: 不正な手. "), ("ru", "bot1: недопустимый ход. ")],
)
def test_a_fault_is_named_in_the_language_before_the_records_own_words(page, language, words) -> None:
    visit(page, "coup", record_of("coup", COUP), language)
    page.get_by_role("slider").press("End")
    assert f"{words}call 4: expected one of" in page.locator(".says").inner_text()


@pytest.mark.parametrize("slug", RECORDS)
def test_a_replay_fits_a_phone_at_every_step_that_is_looked_at(page: Page, slug: str) -> None:
    page.set_viewport_size({"width": 340, "height": 700})
    assert visit(page, slug, record_of(slug, RECORDS[slug])) == []
    for key in ("Home", "ArrowRight", "End"):
        page.get_by_role("slider").press(key)
        assert page.evaluate("document.documentElement.scrollWidth") <= 340
    for button in page.locator("button").all():
        box = button.bounding_box()
        assert min(box["width"], box["height"]) >= 44
