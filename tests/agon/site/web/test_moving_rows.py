"""Rows of a leaderboard that change places slide there; the focus stays, and less motion means none."""

import pytest
from playwright.sync_api import Page

from tests.support.drawing import window

pytestmark = pytest.mark.browser
SITE = "http://board.test"


def rows(*names: str) -> str:
    row = '<tr id="row-{0}" data-place="{1}"><td><a id="bot-{0}" href="#">{0}</a></td></tr>'
    return f"<table>{''.join(row.format(name, place) for place, name in enumerate(names, 1))}</table>"


PAGE = f"""<!doctype html><html lang="en"><title>board</title><body>
<div id="board" hx-get="/new" hx-trigger="changed from:body">{rows("ada", "bea", "cleo")}</div>
<script src="/static/django_htmx/htmx-2.min.js"></script><script src="/static/js/live.js"></script>"""
NEWS = f"event: board\ndata: {rows('ada', 'cleo', 'bea')}\n\n"
MOVES = """() => Object.fromEntries([...document.querySelectorAll('tr')].map((row) => [
  row.id, row.getAnimations().map((each) => each.effect.getKeyframes()[0].transform)[0] ?? null]))"""


def change(page: Page, motion: str) -> dict[str, str | None]:
    """The transforms at which rows start after bea and cleo have changed places."""
    page.emulate_media(reduced_motion=motion)
    page.goto(f"{SITE}/board")
    page.locator("#bot-cleo").focus()
    page.evaluate("document.body.dispatchEvent(new CustomEvent('changed'))")
    page.locator("#row-cleo.moved-up[data-place='2']").wait_for(state="attached")
    return page.evaluate(MOVES)


def test_rows_slide_from_where_they_were_and_the_focus_stays(browser):
    new = rows("ada", "cleo", "bea").encode()
    with window(browser, SITE, {"/board": PAGE.encode(), "/new": new}) as page:
        moves = change(page, "no-preference")
        top = "document.querySelector('#row-{}').offsetTop"
        height = page.evaluate(f"{top.format('bea')} - {top.format('cleo')}")
        expected = {
            "row-ada": None,
            "row-cleo": f"translateY({height}px)",
            "row-bea": f"translateY(-{height}px)",
        }
        assert height > 0
        assert moves == expected
        assert page.evaluate("document.activeElement.id") == "bot-cleo"
        still = change(page, "reduce")
        assert still == dict.fromkeys(moves)


def test_rows_under_the_pointer_wait_until_it_has_left(browser):
    order = "() => [...document.querySelectorAll('tr')].map((row) => row.id).join()"
    new = rows("ada", "cleo", "bea").encode()
    with window(browser, SITE, {"/board": PAGE.encode(), "/new": new}) as page:
        page.emulate_media(reduced_motion="reduce")
        page.goto(f"{SITE}/board")
        page.evaluate("addEventListener('htmx:beforeRequest', (e) => document.title = e.defaultPrevented)")
        page.hover("#row-cleo")
        page.evaluate("document.body.dispatchEvent(new CustomEvent('changed'))")
        page.wait_for_function("document.title == 'true'")
        assert page.evaluate(order) == "row-ada,row-bea,row-cleo"
        page.mouse.move(0, 700)
        page.locator("#row-cleo[data-place='2']").wait_for(state="attached")
        assert page.evaluate(order) == "row-ada,row-cleo,row-bea"


STREAM = PAGE.replace("<body>", '<body data-events="/events/?board=1">')


def test_a_board_that_comes_with_an_event_is_shown_without_asking_for_it(browser):
    asked: list[str] = []
    with window(browser, SITE, {"/board": STREAM.encode()}) as page:
        page.on("request", lambda request: asked.append(request.url.removeprefix(SITE)))
        page.route("**/events/*", lambda route: route.fulfill(content_type="text/event-stream", body=NEWS))
        page.emulate_media(reduced_motion="reduce")
        page.goto(f"{SITE}/board")
        page.locator("#bot-cleo").focus()
        page.locator("#row-cleo.moved-up[data-place='2']").wait_for(state="attached")
        assert page.evaluate("document.activeElement.id") == "bot-cleo"
        assert "/new" not in asked


def test_a_board_that_comes_with_an_event_waits_for_the_pointer_to_leave_and_is_asked_for_then(browser):
    new = rows("cleo", "bea", "ada").encode()
    with window(browser, SITE, {"/board": PAGE.encode(), "/new": new}) as page:
        page.goto(f"{SITE}/board")
        page.hover("#row-cleo")
        page.evaluate("(html) => changed(html)", rows("ada", "cleo", "bea"))
        page.locator("#board[data-waits]").wait_for(state="attached")
        page.mouse.move(0, 700)
        page.locator("#row-cleo[data-place='1']").wait_for(state="attached")


FILTERS = """<!doctype html><html lang="en"><title>matches</title><body>
<form class="filters" data-filters><select id="kind" name="kind"><option>all<option>ladder<option>cup</select>
<button>Filter</button></form><script src="/static/js/page.js"></script>"""


def test_a_filter_works_at_once_with_the_mouse_and_not_at_every_key(browser):
    """With the arrow keys every option on the way would load the page and take the focus."""
    with window(
        browser, SITE, {path: FILTERS.encode() for path in ("/all", "/all?kind=ladder", "/all?kind=cup")}
    ) as page:
        page.goto(f"{SITE}/all")
        page.locator("#kind").press("ArrowDown")
        page.locator("#kind").press("ArrowDown")
        assert page.evaluate("[document.activeElement.id, location.search]") == ["kind", ""]
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_url("**/all?kind=cup")
        page.locator("#kind").click()
        page.locator("#kind").select_option("ladder")
        page.wait_for_url("**/all?kind=ladder")


BRACKET = """<div id="board" hx-get="/new" hx-trigger="changed from:body" hx-swap="outerHTML">
<div id="bracket-1" tabindex="0" style="overflow: auto; width: 99px"><p style="width: 999px">{0}</p></div>
<details open><summary id="round-2">2</summary></details>
<details><summary id="round-1">1</summary></details></div>
<script src="/static/django_htmx/htmx-2.min.js"></script><script src="/static/js/live.js"></script>"""


def test_a_bracket_stays_where_it_was_scrolled_to_and_rounds_as_the_reader_opened_them(browser):
    with window(
        browser, SITE, {"/board": BRACKET.format("old").encode(), "/new": BRACKET.format("new").encode()}
    ) as page:
        page.goto(f"{SITE}/board")
        page.locator("#bracket-1").focus()
        page.evaluate("document.querySelector('#bracket-1').scrollLeft = 150")
        page.locator("#round-1").click()
        page.locator("#round-2").press("Enter")
        page.locator("#bracket-1").focus()
        page.evaluate("document.body.dispatchEvent(new CustomEvent('changed'))")
        page.get_by_text("new").wait_for()
        assert page.evaluate("document.querySelector('#bracket-1').scrollLeft") == 150
        assert page.evaluate("document.activeElement.id") == "bracket-1"
        opened = "[...document.querySelectorAll('details[open] summary')].map((each) => each.id)"
        assert page.evaluate(opened) == ["round-1"]
