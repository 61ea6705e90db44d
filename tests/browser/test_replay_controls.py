"""What the replays of all games share (static/js/player.js): keys, playing, words, long matches, phones."""

import json
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from contest.replay_data import ENGLISH, whole
from games.core.compliance.harness import game_under_test
from games.core.compliance.scripted import play
from games.core.manifest import GAMES, load
from games.core.record import SeatInfo
from tests.support.drawing import COUP, HOSTILE, answer_with, log_of, open_viewer, visit

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROUNDS = [{0: "R", 1: "P"}, {0: "R", 1: "S"}] * 250
RECORDS = {
    "coup": COUP,
    "honest_rps": ROUNDS,
    "camel_up": [{turn % 4: "[0]"} for turn in range(400)],
    "samurai": [{seat: "0" for seat in range(4)}] * 9,
    "language_survival": [{seat: "0" for seat in range(4)}] * 9,
}
SITE = "http://site.test"
MATCH = b"""<!doctype html><html lang="en"><title>match</title><body>
<div id="place" data-viewer="/game.js" data-log="/log.json" data-failed="failed"></div>
<script type="module" src="/static/js/viewer.js"></script>"""


@pytest.fixture(scope="module")
def window(browser: Browser) -> Iterator[Page]:
    """A window that knows no site; opening one takes longer than most of these tests."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.fixture
def page(window: Page) -> Page:
    window.set_viewport_size({"width": 1000, "height": 800})
    window.goto("about:blank")
    return window


def step_of(page: Page) -> str:
    return page.locator("output").inner_text()


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


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "illegal move: "), ("ja", "不正な手: "), ("ru", "недопустимый ход: ")],
)
def test_a_fault_is_named_in_the_language_before_the_records_own_words(page, language, words) -> None:
    visit(page, "coup", log_of("coup", COUP), language)
    page.get_by_role("slider").press("End")
    assert f"bot1 {words}expected one of" in page.locator(".says").inner_text()


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


@pytest.mark.parametrize("slug", RECORDS)
def test_a_replay_fits_a_phone_at_every_step_that_is_looked_at(page: Page, slug: str) -> None:
    page.set_viewport_size({"width": 340, "height": 700})
    assert visit(page, slug, log_of(slug, RECORDS[slug])) == []
    for key in ("Home", "ArrowRight", "End"):
        page.get_by_role("slider").press(key)
        assert page.evaluate("document.documentElement.scrollWidth") <= 340
    for button in page.locator("button:visible").all():
        box = button.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 44


def random_match(slug: str) -> str:
    """What the replay of a match of random bots is drawn from."""
    info = load(slug)
    bots = [game_under_test(info).player(random.Random(seat)) for seat in range(info.max_seats)]
    driver = play(info, bots, 38)
    names = [SeatInfo(f"bot{seat}", "0") for seat in range(driver.seats)]
    return json.dumps(whole(driver.log(names), ENGLISH))


WHERE = """([phone]) => {
  const root = document.querySelector("#place").shadowRoot;
  const next = root.querySelector("[data-act=next]");
  if (phone) root.querySelector(".controls").style.position = "static"; // else it sticks to the window
  const places = new Set();
  for (let last = false; !last; next.click()) {
    places.add(Math.round(next.getBoundingClientRect().top + scrollY));
    last = next.getAttribute("aria-disabled") === "true";
  }
  return [...places];
}"""


@pytest.mark.parametrize("width", [340, 650, 1200])
@pytest.mark.parametrize("slug", RECORDS)
def test_the_buttons_stay_where_they_are_at_every_step(page: Page, slug: str, width: int) -> None:
    """Whoever taps or plays on would otherwise miss them."""
    page.set_viewport_size({"width": width, "height": 700})
    data = json.loads(random_match(slug))
    if slug == "camel_up":
        data["frames"][3]["track"] = [[5, [0, 1, 2, 3, 4]]]  # no stack is higher
    assert visit(page, slug, json.dumps(data)) == []
    assert len(page.evaluate(WHERE, [width < 1000])) == 1
    alone = data["ranks"].count(1) == 1
    expect(page.locator(".board .champion")).to_have_count(1 if alone else 0)


GLIDES = """() => {
  const root = document.querySelector("#place").shadowRoot;
  const board = root.querySelector(".board");
  const [moved, strayed] = [new Set(), []];
  for (let step = 0; step < 9; step += 1) {
    const pieces = [...board.querySelectorAll("[data-piece]")];
    const before = new Map(pieces.map((each) => [each.dataset.piece, each.getBoundingClientRect()]));
    root.querySelector("[data-act=next]").click();
    for (const animation of board.getAnimations({ subtree: true })) {
      animation.pause();
      animation.currentTime = 0;
      const { target } = animation.effect;
      const [now, old] = [target.getBoundingClientRect(), before.get(target.dataset.piece)];
      const glides = Boolean(animation.effect.getKeyframes()[0].translate);
      const sides = ["left", "top", "width"];
      const off = glides && Math.max(...sides.map((side) => Math.abs(now[side] - old[side])));
      if (off > 3) strayed.push([target.dataset.piece, off]);
      if (glides) moved.add(target.dataset.piece.split(" ")[0]);
      animation.finish();
    }
  }
  return [[...moved].sort(), strayed];
}"""


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize(
    ("slug", "pieces"), [("camel_up", ["camel"]), ("samurai", ["real", "shown"]), ("coup", ["call", "card"])]
)
def test_pieces_glide_from_exactly_where_they_were_unless_less_motion_is_wanted(browser, slug, pieces, full):
    log = random_match(slug)
    for motion in ("no-preference", "reduce"):
        page = browser.new_page(reduced_motion=motion, viewport={"width": 1920, "height": 1080})
        assert visit(page, slug, log) == []
        if full:
            page.get_by_label("Full screen").click()
            page.wait_for_function("document.fullscreenElement !== null")
        moved, strayed = page.evaluate(GLIDES)
        assert strayed == []
        assert set(moved) <= ({*pieces} if motion == "no-preference" else set())
        assert moved or motion == "reduce" or slug == "coup"
        page.close()


def test_a_replay_fills_a_large_screen_and_its_timeline_seeks_there(browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1920, "height": 1080})
    visit(page, "camel_up", log_of("camel_up", RECORDS["camel_up"]))
    page.get_by_label("Full screen").click()
    expect(page.locator(".player-box")).to_have_attribute("style", re.compile("zoom: 1\\.[3-9]"))
    for inside in (".track", ".controls"):
        box = page.locator(inside).bounding_box()
        assert box
        assert box["x"] > 0
        assert box["y"] + box["height"] < 1080
    curve = page.locator(".curve").bounding_box()
    assert curve
    middle = curve["x"] + curve["width"] / 2
    page.mouse.move(middle, curve["y"] + 9)
    hint = page.locator(".hint").bounding_box()
    assert hint
    assert abs(hint["x"] + hint["width"] / 2 - middle) < 3
    page.mouse.down()
    page.mouse.up()
    now, last = map(int, step_of(page).split(" / "))
    assert abs(now - last / 2) <= 1 + last * 7 / curve["width"]  # a mark attracts the pointer
    page.close()


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


@pytest.mark.parametrize("slug", ["coup", "honest_rps"])
def test_the_replay_of_the_home_page_keeps_its_height_on_a_phone(browser: Browser, slug: str) -> None:
    page = browser.new_page(viewport={"width": 340, "height": 700})
    page.add_init_script("document.addEventListener('DOMContentLoaded', () => { place.dataset.play = ''; })")
    assert visit(page, slug, random_match(slug)) == []
    assert len(page.evaluate(WHERE, [False])) == 1
    page.close()


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
