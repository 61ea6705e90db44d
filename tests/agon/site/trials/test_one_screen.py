"""Code, replay and what the program wrote to standard error are on one screen, also after a reload."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from agon.contest.arena import Played
from agon.site.bots.models import Bot, Submission
from agon.site.matches import results
from agon.site.trials import states
from agon.site.trials.models import Trial
from games.core.compliance import scripted
from games.core.manifest import load
from games.core.record import SeatInfo
from tests.agon.site.web.conftest import browser_of
from tests.support.chromium import chromium
from tests.support.factories import activate

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page(monkeypatch, live_server, house) -> Iterator[Page]:
    with chromium() as browser:
        monkeypatch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        yield browser.new_page(base_url=live_server.url, viewport={"width": 1280, "height": 800})


def end(trial: Trial) -> None:
    """As a worker does that has played it."""
    driver = scripted.play(load("honest_rps"), [lambda request: "P", lambda request: "R"], 38)
    log = driver.log([SeatInfo("Your program", "0"), SeatInfo(trial.opponent.bot.name, "1")])
    played = Played(log=log, stderr=(b"hello\n", b""), files={}, seconds=1.0, stderr_at=((0,), ()))
    packed = results.pack(played)
    stored = {"record": packed.record, "times": packed.times, "stderr": packed.stderr[0]}
    trial.move(states.CLAIM).move(states.FINISH, **stored, stderr_asks=packed.stderr_at[0])


def test_it_is_all_in_view_when_the_try_has_been_played(page: Page) -> None:
    page.goto("/c/rps/editor/")
    page.get_by_role("button", name="Try", exact=True).click()
    expect(page.locator("#trial")).to_contain_text("Waiting for a free worker")
    end(Trial.objects.get())
    for _ in range(2):
        expect(page.locator("#trial")).to_contain_text("played without a fault")
        page.evaluate("document.querySelector('.workbench').scrollIntoView()")
        for part in (".cm-content", "#wrote pre", "#trial [data-viewer]"):
            expect(page.locator(part)).to_be_in_viewport()
        expect(page.locator("#wrote pre")).to_have_text("hello")
        page.reload()


def test_the_results_of_several_arrive_while_one_watches(page: Page) -> None:
    page.goto("/c/rps/editor/")
    page.locator("#several-summary").click()
    page.get_by_role("button", name="Try all").click()
    table = page.locator("#batch")
    expect(table).to_contain_text("0 of 2 played")
    for trial in Trial.objects.order_by("number"):
        end(trial)
    expect(table).not_to_contain_text("of 2 played")
    page.get_by_role("link", name="Replay of match 2").click()
    expect(page.locator("#trial [data-drawn]")).to_be_visible()
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.reload()
    expect(table.locator("tbody tr")).to_have_count(2)


@pytest.mark.parametrize("scripts", [True, False])
def test_enter_in_a_field_tries_the_program_and_never_enters_it(
    page: Page, live_server, user, rps, scripts: bool
) -> None:
    """The first button of the form would have entered it as the next version of the bot."""
    activate(user, rps, ["Countess"])
    versions = Submission.objects.count()
    cookie = browser_of(user).cookies["sessionid"].value
    browser = page.context.browser
    assert browser is not None
    context = browser.new_context(base_url=live_server.url, java_script_enabled=scripts)
    context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
    window = context.new_page()
    window.goto(f"/c/rps/editor/?bot={Bot.objects.get(name='Countess').pk}")
    window.locator("#several-summary").click()
    window.locator("[name=seed]").fill("5")
    window.locator("[name=seed]").press("Enter")
    expect(window.locator("#trial")).to_contain_text("Waiting for a free worker")
    assert Submission.objects.count() == versions
    assert Trial.objects.count() == (2 if scripts else 1)
    context.close()
