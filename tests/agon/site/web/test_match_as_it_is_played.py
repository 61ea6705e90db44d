"""The page of a match that was opened before it was played, and its replay in the frame of another site."""

import pytest
from playwright.sync_api import expect

from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from tests.support.drawing import window
from tests.support.factories import played

pytestmark = pytest.mark.browser

SITE = "http://match.test"


@pytest.fixture
def answers(four, client) -> dict[str, bytes]:
    """What the site answers, by path: the page of a waiting match, and what it asks for when that is over."""
    queueing.queue(four[0].bot.competition, Match.Kind.LADDER, Match.Queue.INTERACTIVE, four, seed=1)
    match = Match.objects.get()
    waiting = client.get(match.get_absolute_url()).content
    leases.finish(leases.claim("w"), played(match))
    page = match.get_absolute_url()
    record, viewer, shared = f"{page}log.json", "/games/samurai/viewer.js", "/games/hidden_favor.js"
    return {
        page: waiting,
        f"{page}?part=match": client.get(f"{page}?part=match").content,
        record: client.get(record).content,
        f"{page}embed/?step=4": client.get(f"{page}embed/").content,
        viewer: client.get(viewer).content,
        shared: client.get(shared).content,
    }


def test_the_replay_appears_when_the_result_does(browser, answers) -> None:
    with window(browser, SITE, answers) as page:
        page.goto(SITE + next(iter(answers)))
        expect(page.locator("#match")).to_contain_text("The result will appear here.")
        expect(page.locator(".viewer output")).to_have_text("0 / 9")
        page.locator(".viewer").get_by_role("slider").press("End")
        expect(page.locator(".viewer .says .outcome")).to_contain_text("wins")
        page.get_by_role("link", name="Turn 4, night").click()
        expect(page.locator(".viewer output")).to_have_text("4 / 9")


def test_the_replay_in_a_frame_starts_at_its_step_and_tells_the_page_around_it(browser, answers) -> None:
    pk = next(iter(answers)).strip("/").partition("/")[2]
    around = f"""<!doctype html><title>blog</title><script>
      window.heard = [];
      window.addEventListener("message", (event) => heard.push(event.data));
    </script><iframe src="/matches/{pk}/embed/?step=4&speed=2" width="700" height="900"></iframe>"""
    with window(browser, SITE, answers | {"/blog": around.encode()}) as page:
        page.goto(f"{SITE}/blog")
        frame = page.frame_locator("iframe")
        expect(frame.locator("output")).to_have_text("4 / 9")
        expect(frame.get_by_label("Speed")).to_have_value("2")
        frame.get_by_role("slider").press("End")
        page.wait_for_function("heard.some((each) => each.type === 'ended')")
        heard = page.evaluate("heard")
    about = {"source": "agon", "match": int(pk), "last": 9}
    assert heard[0] == {**about, "type": "step", "step": 4}
    assert heard[-1] == {**about, "type": "ended", "step": 9}
