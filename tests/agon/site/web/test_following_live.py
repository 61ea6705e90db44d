"""The page of a running match in a browser: it follows, can be gone back in, and becomes the replay."""

import json
from collections.abc import Iterator
from itertools import pairwise
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from tests.support.accessibility import violations
from tests.support.drawing import answer_with, window
from tests.support.factories import played

from .test_running_matches import show

pytestmark = pytest.mark.browser

SITE = "http://match.test"
COUNTS = (3, 6, 8)


class Match9:
    """What the site answers of a match of nine turns: `frames` of it are shown, until it is `over`."""

    def __init__(self, client, four) -> None:
        queueing.queue(four[0].bot.competition, Match.Kind.LADDER, Match.Queue.INTERACTIVE, four, seed=1)
        match = leases.claim("w")
        self.path = match.get_absolute_url()
        self.count, self.over, self.gone = COUNTS[0], False, False
        self.answers = {self.path: client.get(self.path).content}
        self.news = {}
        for before, count in pairwise((0, *COUNTS)):
            show(match, count)
            for since in (before, count):
                asked = {"attempt": 1, "from": since}
                self.news[count, since] = client.get(f"{self.path}live.json", asked).json()
        self.embed = f"{self.path}embed/"
        self.answers[self.embed] = client.get(self.embed).content
        leases.finish(match, played(match))
        self.embed_after = client.get(self.embed).content
        for address in ("?part=match", "log.json"):
            self.answers[f"{self.path}{address}"] = client.get(f"{self.path}{address}").content
        for script in ("/games/samurai/viewer.js", "/games/hidden_favor.js"):
            self.answers[script] = client.get(script).content

    def answer(self, route: Route) -> None:
        if self.gone:
            return route.fulfill(status=404)
        query = parse_qs(urlsplit(route.request.url).query)
        news = self.news[self.count, int(query.get("from", ["0"])[0])]
        route.fulfill(
            body=json.dumps({"state": "finished", "attempt": 1} if self.over else news),
            content_type="application/json",
        )


@pytest.fixture
def match(four, client) -> Match9:
    return Match9(client, four)


@pytest.fixture
def page(browser, match) -> Iterator[Page]:
    with window(browser, SITE, match.answers) as page:
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.route("**/live.json*", match.answer)
        page.goto(SITE + match.path)
        yield page
    assert wrong == []


def place(page: Page):
    return page.locator(".viewer output")


def live(page: Page):
    return page.get_by_role("button", name="Live", exact=True)


def test_a_page_follows_a_match_until_the_reader_goes_back_and_again_afterwards(match, page) -> None:
    expect(place(page)).to_have_text("2 / 2")
    expect(live(page)).to_have_attribute("aria-pressed", "true")
    says = page.locator(".viewer .says")
    expect(says).to_have_attribute("aria-live", "off")  # every turn read out would be a flood
    match.count = 6
    expect(place(page)).to_have_text("5 / 5")
    expect(says).to_contain_text("Turn 5, day")
    page.get_by_label("First", exact=True).click()
    expect(live(page)).to_have_attribute("aria-pressed", "false")
    expect(says).to_have_attribute("aria-live", "polite")
    says.evaluate("(box) => { box.dataset.drawn = box.firstChild.textContent; box.firstChild.id = 'kept'; }")
    match.count = 8
    expect(place(page)).to_have_text("0 / 7")
    expect(page.get_by_role("slider")).to_have_attribute("max", "7")
    assert says.locator("#kept").count() == 1  # what was read out is not written anew
    live(page).click()
    expect(place(page)).to_have_text("7 / 7")
    expect(live(page)).to_have_attribute("aria-pressed", "true")


def test_when_the_match_is_over_its_replay_is_there_with_the_end_in_sight(match, page) -> None:
    expect(place(page)).to_have_text("2 / 2")
    assert page.locator(".viewer .outcome").count() == 0
    match.over = True
    expect(place(page)).to_have_text("9 / 9")
    expect(page.locator(".viewer .says .outcome")).to_contain_text("wins")
    expect(page.get_by_role("button", name="Live", exact=True)).to_be_hidden()
    expect(page.get_by_role("heading", name="Transcript")).to_be_visible()
    assert page.locator("[data-live]").count() == 0


def test_a_reader_who_looked_at_an_earlier_turn_stays_there_when_the_match_is_over(match, page) -> None:
    expect(place(page)).to_have_text("2 / 2")
    back = page.get_by_label("Back", exact=True)
    back.click()
    expect(place(page)).to_have_text("1 / 2")
    match.over = True
    expect(place(page)).to_have_text("1 / 9")
    expect(back).to_be_focused()


def test_a_match_that_fills_the_screen_fills_it_as_a_replay_when_it_is_over(match, page) -> None:
    expect(place(page)).to_have_text("2 / 2")
    page.get_by_label("Full screen", exact=True).click()
    match.over = True
    expect(place(page)).to_have_text("9 / 9")
    assert page.evaluate("document.fullscreenElement?.id") == "replay"
    page.evaluate("document.exitFullscreen()")
    expect(page.get_by_role("heading", name="Transcript")).to_be_visible()
    expect(place(page)).to_have_text("9 / 9")
    assert page.locator("[data-live]").count() == 0


def test_a_reader_who_may_no_longer_see_a_match_is_shown_nothing_of_it(match, page) -> None:
    expect(place(page)).to_have_text("2 / 2")
    match.gone = True
    expect(page.locator("#replay")).to_contain_text("The match cannot be shown while it is played.")
    expect(page.locator(".viewer .says")).to_have_count(0)


def test_in_the_frame_of_another_site_it_is_followed_too_and_the_page_around_is_told(match, page) -> None:
    around = f"""<!doctype html><title>blog</title><script>
      window.heard = [];
      window.addEventListener("message", (event) => heard.push(event.data));
    </script><iframe src="{match.embed}" width="700" height="900"></iframe>"""
    answers = match.answers | {"/blog": around.encode()}
    answer_with(page, SITE, answers)
    page.route("**/live.json*", match.answer)
    page.goto(f"{SITE}/blog")
    frame = page.frame_locator("iframe")
    expect(frame.locator("output")).to_have_text("2 / 2")
    match.count = 6
    expect(frame.locator("output")).to_have_text("5 / 5")
    assert {event["type"] for event in page.evaluate("heard")} == {"step"}
    answers[match.embed] = match.embed_after
    match.over = True
    expect(frame.locator("output")).to_have_text("9 / 9")
    expect(frame.locator(".says .outcome")).to_contain_text("wins")
    assert page.evaluate("heard")[-1]["type"] == "ended"


def test_axe_finds_nothing_wrong_in_the_page_of_a_running_match(page) -> None:
    expect(place(page)).to_have_text("2 / 2")
    assert violations(page) == []
