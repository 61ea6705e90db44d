"""The replay of a match: buttons in view on arrival, an outline while it loads, the deciding step."""

import random
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route, expect

from agon.contest import replay_data
from agon.contest.arena import Played
from agon.site.accounts.models import User
from agon.site.competitions.models import Competition
from agon.site.leaderboards.models import Leaderboard
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from games.core.compliance import scripted
from games.core.compliance.harness import game_under_test
from games.core.manifest import all_games, load
from games.core.record import SeatInfo
from tests.support.chromium import chromium
from tests.support.factories import activate

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page(monkeypatch, live_server) -> Iterator[Page]:
    with chromium() as browser:
        monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        yield browser.new_page(base_url=live_server.url, viewport={"width": 1280, "height": 800})


def match_of(game: str, bots) -> str:
    """The address of a match that these functions from a request to a reply have played."""
    competition = Competition.objects.create(slug=game, game=game, title=game)
    Leaderboard.objects.create(competition=competition)
    versions = activate(
        User.objects.create_user("ada"), competition, [f"bot{seat}" for seat, _ in enumerate(bots)]
    )
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, versions, seed=38)
    match = leases.claim("w")
    assert match is not None
    driver = scripted.play(load(game), bots, 38)
    log = driver.log([SeatInfo(version.bot.name, version.digest) for version in versions])
    assert leases.finish(match, Played(log, (b"",) * len(versions), driver.files, 0.25))
    return match.get_absolute_url()


def random_bots(game: str):
    info = load(game)
    return [game_under_test(info).player(random.Random(seat)) for seat in range(info.max_seats)]


@pytest.mark.first(2)
@pytest.mark.parametrize("game", [info.slug for info in all_games()])
def test_the_buttons_are_in_view_when_the_page_opens(page: Page, game: str) -> None:
    page.goto(match_of(game, random_bots(game)))
    expect(page.locator("#replay[data-drawn]")).to_be_visible()
    box = page.locator("#replay .controls").bounding_box()
    assert box is not None
    assert page.evaluate("scrollY") == 0
    assert box["y"] + box["height"] <= 800


def test_an_outline_is_there_while_the_record_loads(page: Page) -> None:
    held: list[Route] = []
    page.route("**/log.json*", lambda route: held.append(route))
    page.goto(match_of("honest_rps", random_bots("honest_rps")))
    page.wait_for_function("document.querySelector('#replay').dataset.shown !== undefined")
    outline = "getComputedStyle(document.querySelector('#replay'), '::before').height"
    assert float(page.evaluate(outline).removesuffix("px")) > 300
    while not held:
        page.wait_for_timeout(50)
    held[0].continue_()
    expect(page.locator("#replay[data-drawn]")).to_be_visible()
    assert page.evaluate(outline) == "auto"


def turning(at: int):
    """Two bots of a game of 250 rounds: the second leads until the first passes it after round `at`."""
    return [
        lambda request: "P" if request.step // 2 >= at else "R",
        lambda request: "R" if request.step // 2 >= at else "P",
    ]


def test_it_opens_at_the_step_after_which_the_winner_always_leads(page: Page) -> None:
    address = match_of("honest_rps", turning(100))
    page.goto(f"{address}#step=deciding")
    place = page.locator("#replay output")
    expect(place).to_have_text("201 / 250")
    page.goto(f"{address}#step=3")
    expect(place).to_have_text("3 / 250")
    page.goto(f"{address}?step=deciding")
    expect(place).to_have_text("201 / 250")


def test_a_match_on_tv_is_as_large_as_the_screen_allows(page: Page) -> None:
    match_of("honest_rps", random_bots("honest_rps"))
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.emulate_media(reduced_motion="reduce")  # it stays at the first step
    page.goto("/c/honest_rps/tv/")
    expect(page.locator(".viewer[data-drawn]")).to_be_visible()
    bottoms = page.evaluate(
        """() => {
          const main = document.querySelector("main");
          const zoom = Number(main.style.zoom);
          const bottom = (each) => { main.style.zoom = each; return main.getBoundingClientRect().bottom; };
          return [0.6, 0.7, 0.85, 1, 1.25, 1.5, 1.75, 2].map((each) => [each === zoom, bottom(each)]);
        }"""
    )
    fitting = [is_chosen for is_chosen, bottom in bottoms if bottom <= 1080]
    assert fitting[-1]


IN_PARTS = """
import { stage } from "/static/js/replay.js";
export const partial = true;
export default (element, log, language) =>
  stage(element, language, { log, step: "Step", parts: [], show: () => null });
"""


def test_a_part_of_a_long_replay_that_does_not_come_is_asked_for_again(page: Page, monkeypatch) -> None:
    monkeypatch.setattr(replay_data, "PART", 100)
    page.route(
        "**/games/*/viewer.js", lambda route: route.fulfill(body=IN_PARTS, content_type="text/javascript")
    )
    page.route("**/log.json?at=*", lambda route: route.abort())
    page.goto(f"{match_of('honest_rps', random_bots('honest_rps'))}#step=99")
    replay, says = page.locator("#replay"), page.locator("#replay .says")
    replay.get_by_role("button", name="Play", exact=True).click()
    expect(says).to_contain_text("This part of the replay could not be loaded.")
    expect(replay.get_by_role("button", name="Play", exact=True)).to_be_visible()

    page.unroute("**/log.json?at=*")
    says.get_by_role("button", name="Try again").click()
    expect(replay.locator("output")).to_have_text("100 / 249")
    expect(says).not_to_contain_text("could not be loaded")
