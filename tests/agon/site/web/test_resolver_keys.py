"""The pages on which results are revealed, in a browser: with keys alone, and with axe."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, expect

from agon.site.competitions.models import Competition
from agon.site.matches import leases
from agon.site.tournaments import running, scheduling, services
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.states import State
from tests.support.accessibility import assert_accessible_and_narrow, each_look
from tests.support.factories import active_bots, duel

from .conftest import browser_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]
NAMES = ["Ada", "Bea", "Cleo", "Dora"]


@pytest.fixture
def cup(user, organizer):
    rps = Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")
    bots = active_bots(user, rps, NAMES)
    tournament = services.create(organizer, rps, "Cup", "round_robin", 1, 1, bots)
    running.release(tournament, Tournament.Release.ORGANIZERS, organizer)
    services.start(tournament, organizer)
    while (match := leases.claim("w")) is not None:
        leases.finish(match, duel(match, NAMES))
    scheduling.tick()
    tournament.refresh_from_db()
    assert tournament.state == State.FINISHED
    return tournament


@pytest.fixture
def desk(browser, live_server, organizer) -> Iterator[BrowserContext]:
    cookies = browser_of(organizer).cookies.values()
    with browser.new_context(base_url=live_server.url, viewport={"width": 1280, "height": 900}) as context:
        context.add_cookies(
            [{"name": cooky.key, "value": cooky.value, "url": live_server.url} for cooky in cookies]
        )
        yield context


@pytest.mark.django_db(transaction=True)
def test_keys_alone_reveal_place_after_place_and_every_screen_follows(browser, live_server, desk, cup):
    stage = f"/tournaments/{cup.pk}/resolver/"
    presenter, projector = desk.new_page(), desk.new_page()
    with browser.new_context(base_url=live_server.url) as hall:
        spectator = hall.new_page()
        spectator.goto(stage)
        projector.goto(stage)
        presenter.goto(f"{stage}presenter")
        expect(presenter.get_by_role("heading", name="Next: place 4")).to_be_visible()
        presenter.keyboard.press("Space")
        expect(presenter.get_by_role("heading", name="Next: place 3")).to_be_visible()
        for page in (projector, spectator):
            expect(page.get_by_role("heading", name="Place 4")).to_be_visible()
        # On the projector itself a press changes a part alone, so that it stays on the whole screen.
        projector.evaluate("window.stays = true")
        projector.keyboard.press("PageDown")
        expect(projector.get_by_role("heading", name="Place 3")).to_be_visible()
        projector.keyboard.press("ArrowLeft")
        expect(projector.get_by_role("heading", name="Place 4")).to_be_visible()
        projector.keyboard.press("ArrowRight")
        expect(projector.get_by_role("heading", name="Place 3")).to_be_visible()
        assert projector.evaluate("window.stays")
        expect(presenter.get_by_role("heading", name="Next: place 2")).to_be_visible()
        expect(spectator.get_by_role("heading", name="Place 3")).to_be_visible()
        spectator.keyboard.press("Space")
        spectator.keyboard.press("ArrowRight")
        expect(spectator.get_by_role("heading", name="Place 3")).to_be_visible()
    cup.refresh_from_db()
    assert cup.revealed == 2


@pytest.mark.exhaustive
@pytest.mark.django_db(transaction=True)
def test_without_scripts_buttons_and_links_do_the_same(browser, live_server, organizer, cup):
    cookies = browser_of(organizer).cookies.values()
    with browser.new_context(base_url=live_server.url, java_script_enabled=False) as context:
        context.add_cookies(
            [{"name": cooky.key, "value": cooky.value, "url": live_server.url} for cooky in cookies]
        )
        page = context.new_page()
        page.goto(f"/tournaments/{cup.pk}/resolver/")
        page.get_by_role("button", name="Reveal the next place").click()
        expect(page.get_by_role("heading", name="Place 4")).to_be_visible()
        page.get_by_role("button", name="Reveal the next place").click()
        page.get_by_role("link", name="The place before").click()
        expect(page.get_by_role("heading", name="Place 4")).to_be_visible()
        page.get_by_role("link", name="The place after").click()
        expect(page.get_by_role("heading", name="Place 3")).to_be_visible()


@each_look
def test_axe_finds_nothing_wrong_before_in_the_middle_and_at_the_end(browser, cup, organizer, both):
    desk = browser_of(organizer)
    stage = f"/tournaments/{cup.pk}/resolver/"
    pages = {}
    for shown in (0, 2, 4):
        while cup.revealed < shown:
            running.reveal(cup, organizer)
        pages[f"{stage}?shown={shown}"] = desk.get(stage).content
        pages[f"{stage}presenter?shown={shown}"] = desk.get(f"{stage}presenter").content
    assert "Place 1" in pages[f"{stage}?shown=4"].decode()
    assert_accessible_and_narrow(browser, pages, both)
