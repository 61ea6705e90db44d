"""Nothing is wider than a narrow phone, whatever the language; tables and names are whole on a common one."""

import pytest

from bots import reasons
from contest.voids import Blame
from pipeline import leaving_play
from tests.support.drawing import window
from tests.support.factories import activate

from .conftest import play

pytestmark = pytest.mark.browser

SITE = "http://phone.test"
NARROW, COMMON = 360, 390  # pixels across

# What has to be scrolled sideways, and names of bots that are broken into more than one line.
TOO_WIDE = (
    "[...document.querySelectorAll('.table-box, .tabs')].filter(box => box.scrollWidth > box.clientWidth)"
)
BROKEN = "[...document.querySelectorAll('.seat-name')].filter(name => name.offsetHeight > 32)"


@pytest.fixture
def answers(user, competition, client) -> dict[str, bytes]:
    """Pages as somebody who is not signed in gets them, by language and path."""
    *bots, stopped = activate(user, competition, ["Bookmaker", "Challenger", "Statistician", "Una", "Vera"])
    match = play(bots, {(0, 1): ("timeout", "no answer within 1000 ms")})
    leaving_play.stop(stopped.bot, None, reasons.voids(Blame(stopped.bot_id, (match.pk,), 120, 1, 900, 1e-9)))
    lists = ("/c/samurai/", "/c/samurai/matches/", "/c/samurai/tournaments/")
    own = (bots[0].bot.get_absolute_url(), stopped.bot.get_absolute_url())
    paths = ("/", *lists, "/c/samurai/rules/", "/c/samurai/submit/", match.get_absolute_url(), *own)
    return {
        f"/{language}{path}": client.get(path, headers={"accept-language": language}).content
        for language in ("en", "ja", "ru")
        for path in paths
    }


def test_pages_fit_a_phone_and_show_tables_tabs_and_names_whole_in_every_language(answers) -> None:
    wrong = {}
    with window(SITE, answers) as page:
        for path in answers:
            page.set_viewport_size({"width": NARROW, "height": 780})
            page.goto(SITE + path)
            width = page.evaluate("document.documentElement.scrollWidth")
            page.set_viewport_size({"width": COMMON, "height": 780})
            wrong[path] = [max(width - NARROW, 0), *page.evaluate(f"[{TOO_WIDE}.length, {BROKEN}.length]")]
    assert {path: found for path, found in wrong.items() if found != [0, 0, 0]} == {}
