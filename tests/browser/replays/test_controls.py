"""What the replays of all games share (static/js/player.js): keys, playing, words, long matches."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from games.core.manifest import GAMES
from tests.support.drawing import COUP, HOSTILE, answer_with, log_of, open_viewer, step_of, visit
from tests.support.sample_replays import RECORDS, ROUNDS

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SITE = "http://site.test"
MATCH = b"""<!doctype html><html lang="en"><title>match</title><body>
<div id="place" data-viewer="/game.js" data-log="/log.json" data-failed="failed"></div>
<script type="module" src="/static/js/viewer.js"></script>"""


def focused(page: Page) -> str:
    script = "document.querySelector('#place').shadowRoot.activeElement?.getAttribute('aria-label')"
    return page.evaluate(script)


def test_keys_step_through_a_match_and_the_focus_stays(page: Page) -> None:
    visit(page, "coup", log_of("coup", COUP))
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


def test_keys_lead_from_one_key_moment_to_the_next_and_change_the_speed(page: Page) -> None:
    """Step 1 is a bluff, step 3 its loss and the fault after it."""
    visit(page, "coup", log_of("coup", COUP))
    page.locator(".room").click()  # a click on the picture brings the keys there
    for key, step in (("]", 1), ("]", 3), ("]", 3), ("[", 1), ("[", 1)):
        page.keyboard.press(key)
        assert step_of(page) == f"{step} / 3"
    expect(page.get_by_label("Speed")).to_have_value("1")
    for key, speed in (("+", "2"), ("+", "4"), ("-", "2")):
        page.keyboard.press(key)
        expect(page.get_by_label("Speed")).to_have_value(speed)
    page.keyboard.press("?")
    expect(page.get_by_text("previous or next key moment")).to_be_visible()


def test_the_timeline_seeks_and_says_what_is_there(page: Page) -> None:
    visit(page, "coup", log_of("coup", COUP))
    box = page.locator(".marks").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 3, box["y"] + 4)
    assert "Call 1 of 3: bluffs: claims the Duke" in page.locator(".hint").inner_text()
    page.mouse.down()
    page.mouse.up()
    assert step_of(page) == "1 / 3"


def test_the_slider_keeps_its_own_keys_and_says_where_it_is(page: Page) -> None:
    visit(page, "coup", log_of("coup", COUP))
    slider = page.get_by_role("slider", name="Call")
    slider.press("ArrowRight")
    assert step_of(page) == "1 / 3"
    expect(slider).to_have_attribute("aria-valuetext", "Call 1 of 3")
    slider.press("Space")
    expect(page.get_by_label("Pause")).to_be_visible()


@pytest.mark.first(1)
@pytest.mark.parametrize(("motion", "pace"), [("no-preference", 450), ("reduce", 1500)])
def test_it_plays_by_itself_to_the_end_slower_where_less_motion_is_wanted(browser, motion, pace) -> None:
    page = browser.new_page(reduced_motion=motion)
    page.clock.install(time=0)
    visit(page, "honest_rps", log_of("honest_rps", [*ROUNDS[:6], {0: "R", 1: "oops"}]))
    page.clock.pause_at(3600)  # from here on only this test moves the clock
    page.get_by_label("Play", exact=True).press("Space")
    says = page.locator(".says")
    expect(says).to_have_attribute("aria-live", "off")
    page.clock.run_for(pace - 50)
    assert step_of(page) == "1 / 3"
    page.clock.run_for(100)
    assert step_of(page) == "2 / 3"
    page.clock.run_for(3 * pace)
    assert step_of(page) == "3 / 3"
    expect(page.get_by_label("Play", exact=True)).to_be_focused()
    expect(says).to_have_attribute("aria-live", "polite")
    page.close()


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("language", "coins"),
    [("en", ["1 coin", "4 coins"]), ("ja", ["1 コイン", "4 コイン"]), ("ru", ["1 монета", "4 монеты"])],
)
def test_numbers_of_coins_take_the_form_of_the_language(page: Page, language: str, coins: list[str]) -> None:
    replies = [{0: "T"}, {1: "p"}, {0: "\n"}, {1: "oops"}]
    visit(page, "coup", log_of("coup", replies), language)
    page.get_by_role("slider").press("End")
    assert page.locator(".delta").all_inner_texts() == ["+3"]
    assert sorted(page.locator(".purse > span:not(.delta)").all_inner_texts()) == coins


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "illegal move: "), ("ja", "不正な手: "), ("ru", "недопустимый ход: ")],
)
def test_a_fault_is_named_in_the_language_before_the_records_own_words(page, language, words) -> None:
    visit(page, "coup", log_of("coup", COUP), language)
    page.get_by_role("slider").press("End")
    assert f"bot1 {words}expected one of" in page.locator(".says").inner_text()


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("language", "shown", "title"),
    [
        ("en", "2.4 ms", "2.4 ms of 1.5 s"),
        ("ja", "2.4ミリ秒", "2.4ミリ秒 / 1.5秒"),
        ("ru", "2,4 мс", "2,4 мс из 1,5 с"),
    ],
)
def test_how_long_an_answer_took_is_written_as_in_the_language(page, language, shown, title) -> None:
    log = json.loads(log_of("coup", COUP))
    log["limit_us"] = 1_500_000
    log["told"][1]["lines"][0]["us"] = 2400
    visit(page, "coup", json.dumps(log), language)
    page.get_by_role("slider").press("ArrowRight")
    took = page.locator(".took")
    assert took.inner_text().replace("\xa0", " ") == shown
    assert (took.get_attribute("title") or "").replace("\xa0", " ") == title


def part(start: int, count: int) -> dict[str, Any]:
    frames = [
        {"round": n + 1, "named": [1, 2], "scores": [n, 2 * n]}
        for n in range(start, min(count, start + 1024))
    ]
    line = {"seat": 0, "text": "says 1", "us": 1200, "fault": None}
    return {"from": start, "frames": frames, "told": [{"title": "", "lines": [line]} for _ in frames]}


def test_a_match_of_10000_steps_arrives_in_parts_and_opens_at_the_step_of_a_link(browser: Browser) -> None:
    """With a mark at every step: the page has as few elements as that of a short match."""
    count = 10_000
    head: dict[str, Any] = {
        "seats": [{"name": "Ann"}, {"name": "Bob"}],
        "scores": ["1", "2"],
        "ranks": [2, 1],
        "summary": {},
        "faults": [],
        "count": count,
        "part": 1024,
        "limit_us": 1_000_000,
        "marks": [[at, "fault", 0, "too slow"] for at in range(2000)],
        "curve": [[at, at, 2 * at] for at in range(0, count, 17)],
    }
    page = browser.new_page()
    answer_with(
        page,
        SITE,
        {
            "/": MATCH,
            "/game.js": (GAMES / "core" / "skeleton" / "viewer.js").read_bytes(),
            "/log.json": json.dumps(head | part(0, count)).encode(),
            **{
                f"/log.json?at={at}": json.dumps(part(at // 1024 * 1024, count)).encode()
                for at in (4999, 9999)
            },
        },
    )
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "log.json" in request.url else None)
    page.goto(f"{SITE}/#step=5000")
    expect(page.get_by_role("cell", name="5000", exact=True)).to_be_visible()
    assert step_of(page) == "5000 / 10000"
    page.get_by_label("Last", exact=True).click()
    expect(page.locator(".outcome")).to_have_text("Bob wins")
    assert [url.partition("log.json")[2] for url in asked] == ["", "?at=4999&only=part", "?at=9999&only=part"]
    script = "document.querySelector('#place').shadowRoot.querySelectorAll('*').length"
    assert page.evaluate(script) < 250
    page.get_by_label("Copy link").click()
    assert page.url == f"{SITE}/#step=10000"
    told = page.locator("button[aria-label='Copy link to this step'] + [role='status']")
    expect(told).to_have_text(re.compile("^The link "))
    page.close()


def test_what_the_readers_bot_wrote_is_shown_at_its_step_as_text_and_at_its_places(page: Page) -> None:
    log = json.loads(log_of("camel_up", RECORDS["camel_up"]))
    overlay = {
        "text": HOSTILE,
        "bars": {"stay": 1, "<b>go</b>": -3},
        "places": {"3": 0.5, "4": "here", "99": 1},
    }
    log["debug"] = [{"frame": 1, "seat": 0, "text": "thinking", "overlay": overlay}]
    wrong = visit(page, "camel_up", json.dumps(log))
    assert page.locator(".debug").inner_text() == ""
    page.get_by_label("Next", exact=True).click()
    told = page.locator(".debug").inner_text()
    assert all(words in told for words in (HOSTILE, "thinking", "<b>go</b>", "-3"))
    assert page.locator("[data-place='3'] .at-place").inner_text() == "0.5"
    assert page.locator("[data-place='4'] .at-place").inner_text() == "here"
    page.get_by_label("Next", exact=True).click()
    assert page.locator(".at-place").count() == 0
    assert (page.title(), wrong) == ("viewer", [])


def test_a_viewer_may_tell_its_steps_itself_and_draw_them_from_its_own_data(page: Page, tmp_path) -> None:
    viewer = tmp_path / "viewer.js"
    viewer.write_text("""
        import { faults, make, outcome, stage } from "/static/js/replay.js";
        export default function view(element, log, language) {
          const box = make("p");
          const show = (step) => {
            box.textContent = `drawn ${step}`;
            const end = [...faults(log, language, () => true), ...outcome(log, language, () => "")];
            return [`told ${step}. `, ...(step === 2 ? end : [])];
          };
          stage(element, language, { step: "Part", last: 2, parts: [box], show });
        }
    """)
    wrong = open_viewer(page, viewer, log_of("coup", COUP))
    assert (step_of(page), page.locator(".says").inner_text()) == ("0 / 2", "told 0.")
    page.get_by_label("Last", exact=True).click()
    assert page.locator(".board").inner_text() == "drawn 2"
    told = page.locator(".says").inner_text()
    assert told.startswith("told 2.")
    assert "bot1: illegal move." in told
    assert f"{HOSTILE} wins" in told
    assert wrong == []


def test_a_step_that_a_viewer_cannot_draw_is_said_to_be_so_and_does_not_stop_the_replay(page, tmp_path):
    viewer = tmp_path / "viewer.js"
    viewer.write_text("""
        import { make, stage } from "/static/js/replay.js";
        export default function view(element, log, language) {
          const box = make("p");
          const show = (step) => { box.textContent = step === 1 ? log.nothing.here : `drawn ${step}`; };
          stage(element, language, { log, step: "Part", parts: [box], show });
        }
    """)
    open_viewer(page, viewer, log_of("coup", COUP))
    page.get_by_label("Next", exact=True).click()
    assert step_of(page) == "1 / 3"
    expect(page.get_by_text("This step cannot be drawn.")).to_be_visible()
    assert "claims the Duke" in page.locator(".says").inner_text()
    page.get_by_label("Next", exact=True).click()
    assert page.locator(".board").inner_text() == "drawn 2"
    expect(page.get_by_text("This step cannot be drawn.")).to_have_count(0)


@pytest.mark.first(1)
@pytest.mark.parametrize(("motion", "button"), [("no-preference", "Pause"), ("reduce", "Play")])
def test_the_replay_of_the_home_page_plays_when_it_is_seen_unless_less_motion_is_wanted(
    browser, motion, button
) -> None:
    page = browser.new_page(reduced_motion=motion)
    featured = MATCH.replace(b"data-viewer", b'data-lazy data-play="autoplay=1" data-viewer')
    below = featured.replace(b"<body>", b'<body><p style="height: 5000px">')
    viewer = (GAMES / "coup" / "viewer.js").read_bytes()
    answers = {"/": below, "/game.js": viewer, "/log.json": log_of("coup", COUP).encode()}
    answer_with(page, SITE, answers)
    page.goto(SITE)
    assert page.evaluate("document.querySelector('#place').shadowRoot") is None
    page.locator("#place").scroll_into_view_if_needed()
    expect(page.get_by_label(button, exact=True)).to_be_visible()
    expect(page.get_by_label("Full screen", exact=True)).to_be_hidden()
    page.close()
