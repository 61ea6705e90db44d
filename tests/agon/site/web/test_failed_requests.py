"""A request of a page that fails is said, with a way on; nothing that was written or chosen is lost."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from agon.site.bots.models import Bot
from tests.support.drawing import answer_with, window

pytestmark = pytest.mark.browser

SITE = "http://failing.test"
FORM, EDITOR, BOARD, HOME = "/c/samurai/submit/", "/c/samurai/editor/", "/c/samurai/", "/"
NO_ANSWER = {"status": 0}


@pytest.fixture
def answers(four, signed_in) -> dict[str, bytes]:
    Bot.objects.filter(pk=four[3].bot_id).update(house=True)
    return {path: signed_in.get(path).content for path in (FORM, EDITOR, BOARD, HOME)}


@pytest.fixture
def page(browser, answers) -> Iterator[Page]:
    with window(browser, SITE, answers) as page:
        yield page


def answer_posts(page: Page, path: str, *answers: dict) -> list[bytes]:
    """Answer the POSTs to `path` in turn: "status" 0 is a lost connection. Returns what was sent."""
    sent: list[bytes] = []

    def answer(route: Route) -> None:
        if route.request.method != "POST":
            return route.fallback()
        sent.append(route.request.post_data_buffer or b"")
        response = answers[min(len(sent), len(answers)) - 1]
        return route.abort() if response == NO_ANSWER else route.fulfill(**response)

    page.route(SITE + path, answer)
    return sent


def choose(page: Page, folder: Path) -> None:
    file = folder / "rita.py"
    file.write_bytes(b"print('READY')\n")
    page.locator("input[type=file]").set_input_files(file)


REFUSED = '<div id="trial">refused</div>'
ERROR_PAGE = '<div class="oops"><h1>Too many requests</h1><p class="muted">Wait a minute.</p></div>'


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("failure", "says"),
    [
        (NO_ANSWER, "The site does not answer"),
        ({"status": 502, "body": "Bad Gateway", "content_type": "text/html"}, "The site has a problem"),
        ({"status": 413, "body": "", "content_type": "text/html"}, "The site refused"),
        (
            {"status": 429, "body": ERROR_PAGE, "content_type": "text/html"},
            "Too many requests. Wait a minute",
        ),
        ({"status": 403, "body": "Not here.", "content_type": "text/plain"}, "Not here."),
    ],
)
def test_an_upload_that_fails_says_why_and_is_sent_again_with_its_file(page, tmp_path, failure, says) -> None:
    sent = answer_posts(page, FORM, failure, {"status": 200, "headers": {"HX-Redirect": HOME}})
    page.goto(SITE + FORM)
    choose(page, tmp_path)
    page.get_by_role("button", name="Submit", exact=True).click()

    expect(page.get_by_role("alert")).to_contain_text(says)
    expect(page.get_by_role("alert")).to_contain_text("What you filled in is still here.")
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_enabled()
    page.get_by_role("alert").get_by_role("button", name="Try again").click()
    page.wait_for_url(SITE + HOME)
    assert [b'filename="rita.py"' in body for body in sent] == [True, True]


def test_an_upload_that_stands_still_is_given_up(page, tmp_path) -> None:
    page.clock.install()
    page.goto(SITE + FORM)
    page.route(SITE + FORM, lambda route: None if route.request.method == "POST" else route.fallback())
    choose(page, tmp_path)
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_role("button", name="Uploading…")).to_be_disabled()

    page.clock.run_for(61_000)
    expect(page.get_by_role("alert")).to_contain_text("The site does not answer")
    expect(page.get_by_role("button", name="Submit", exact=True)).to_be_enabled()


def test_a_try_that_fails_says_so_where_its_result_would_be(page, answers) -> None:
    sent = answer_posts(
        page, EDITOR, NO_ANSWER, {"status": 422, "body": REFUSED, "content_type": "text/html"}
    )
    page.goto(SITE + EDITOR)
    page.get_by_role("button", name="Try", exact=True).click()
    expect(page.locator("#trial [role=alert]")).to_contain_text("The site does not answer")
    page.locator("#trial").get_by_role("button", name="Try again").click()
    expect(page.locator("#trial")).to_have_text("refused")
    assert len(sent) == 2


def run_until_visible(page, locator) -> None:
    """Let up to a minute pass on the page's clock. Requests fail on the clock of the machine meanwhile."""
    for _ in range(60):
        page.clock.run_for(1_000)
        if locator.is_visible():
            return
    expect(locator).to_be_visible()


def test_a_page_that_fetches_news_says_that_the_site_is_down_until_it_answers_again(page, answers) -> None:
    down = [True]
    cards = f"{SITE}/?part=cards&page=1"
    page.route(cards, lambda route: route.abort() if down[0] else route.fulfill(body="<p>news</p>"))
    page.clock.install()
    page.goto(SITE + HOME)
    run_until_visible(page, page.get_by_text("The site does not answer."))

    down[0] = False
    page.locator("#again").dispatch_event("click")  # the page may try by itself, and hide it, meanwhile
    expect(page.get_by_text("The site does not answer.")).to_be_hidden()
    expect(page.locator("#cards")).to_have_text("news")


def test_a_page_says_that_its_reader_is_signed_out_and_shows_no_page_to_sign_in(page, answers) -> None:
    page.route(f"{SITE}/?part=cards&page=1", lambda route: route.fulfill(status=401, body="Sign in"))
    page.clock.install()
    page.goto(SITE + HOME)
    run_until_visible(
        page, page.get_by_text("You are signed out. Sign in again in another tab, then go on here.")
    )
    expect(page.locator("#cards")).not_to_contain_text("Sign in")


def test_a_page_says_that_the_browser_is_offline_and_keeps_what_was_filled_in(page, answers) -> None:
    page.goto(SITE + FORM)
    page.get_by_label("Bot name").fill("Rita")
    page.context.set_offline(True)
    expect(page.get_by_text("You are offline.")).to_be_visible()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("You are offline.")).to_be_visible()
    page.context.set_offline(False)
    expect(page.get_by_text("You are offline.")).to_be_hidden()
    expect(page.get_by_label("Bot name")).to_have_value("Rita")


LIVE = "retry: 100000\n\nevent: leaderboard\ndata: 1\n\n"
WAS_LIVE = """() => { window.wasLive = false; new MutationObserver(() => {
  window.wasLive ||= document.body.classList.contains("is-live");
}).observe(document.body, { attributes: true }) }"""


def test_the_board_calls_itself_live_only_while_it_hears_of_news(page, answers) -> None:
    live, down = page.get_by_text("Updated live as results arrive."), page.get_by_text("does not answer")
    page.route("**/first-win/", lambda route: route.fulfill(status=204))
    page.route("**/events/*", lambda route: route.abort())
    page.clock.install()
    with page.expect_event("requestfailed", lambda request: "events" in request.url):
        page.goto(SITE + BOARD)
    expect(live).to_be_hidden()
    run_until_visible(page, down)

    page.unroute("**/events/*")
    page.evaluate(WAS_LIVE)
    page.route("**/events/*", lambda route: route.fulfill(content_type="text/event-stream", body=LIVE))
    page.clock.run_for(20_000)
    page.wait_for_function("window.wasLive && !document.body.classList.contains('is-live')")
    expect(live).to_be_hidden()  # the stream has ended


def test_without_scripts_the_board_does_not_call_itself_live(browser, answers) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        answer_with(page, SITE, answers)
        page.goto(SITE + BOARD)
        expect(page.get_by_text("Updated live as results arrive.")).to_be_hidden()
