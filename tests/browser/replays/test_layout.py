"""Where the parts of a replay stand: on a phone, on a large screen, at every step, while pieces move."""

import json
import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.drawing import log_of, step_of, visit
from tests.support.sample_replays import RECORDS, random_match

pytestmark = [pytest.mark.browser, pytest.mark.slow]

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


@pytest.mark.first(5)
@pytest.mark.parametrize("slug", RECORDS)
@pytest.mark.parametrize("width", [340, 650, 1200])
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


@pytest.mark.first(2)
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


@pytest.mark.first(1)
@pytest.mark.parametrize("slug", ["coup", "honest_rps"])
def test_the_replay_of_the_home_page_keeps_its_height_on_a_phone(browser: Browser, slug: str) -> None:
    page = browser.new_page(viewport={"width": 340, "height": 700})
    page.add_init_script("document.addEventListener('DOMContentLoaded', () => { place.dataset.play = ''; })")
    assert visit(page, slug, random_match(slug)) == []
    assert len(page.evaluate(WHERE, [False])) == 1
    page.close()
