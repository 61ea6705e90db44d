"""Nothing is wider than a narrow phone, whatever the language; tables and names are whole on a common one."""

import pytest

from agon.site.bots import reasons
from agon.site.courses.models import Course, Role
from agon.site.matches import leases
from agon.site.tournaments import scheduling, services
from agon.site.tournaments.models import Tournament
from agon.site.use_cases import leaving_play
from agon.statistics.voids import Blame
from tests.support.drawing import window
from tests.support.factories import activate, played

from .conftest import browser_of, play

pytestmark = pytest.mark.browser

SITE = "http://phone.test"
NARROW, COMMON = 360, 390  # pixels across

# What has to be scrolled sideways, and names of bots that are broken into more than one line.
TOO_WIDE = (
    "[...document.querySelectorAll('.table-box, .tabs')].filter(box => box.scrollWidth > box.clientWidth)"
)
BROKEN = "[...document.querySelectorAll('.seat-name')].filter(name => name.offsetHeight > 32)"
# Names of an ordinary length in a board that are not whole on one line.
CRAMPED = (
    "[...document.querySelectorAll('.board .who a')].filter("
    "name => name.textContent.length < 13 && name.offsetHeight > 32)"
)
# Scores below the names that they belong to.
APART = (
    "[...document.querySelectorAll('.matches .score')].filter("
    "score => score.offsetTop > score.parentElement.querySelector('.seat-name').offsetTop + 8)"
)


@pytest.fixture
def answers(user, competition, client) -> dict[str, bytes]:
    """Pages as somebody who is not signed in gets them, by language and path."""
    *bots, stopped = activate(
        user, competition, ["Bookmaker", "Challenger", "Statistician", "W" * 40, "Vera"]
    )
    match = play(bots, {(0, 1): ("timeout", "no answer within 1000 ms")})
    leaving_play.stop(stopped.bot, None, reasons.voids(Blame(stopped.bot_id, (match.pk,), 120, 1, 900, 1e-9)))
    lists = ("/c/samurai/", "/c/samurai/matches/", "/c/samurai/tournaments/")
    own = (bots[0].bot.get_absolute_url(), stopped.bot.get_absolute_url())
    draft = services.create(user, competition, "Draft", "rotations", 1, 3, [bot.bot for bot in bots])
    cup = finished(user, bots)
    more = (
        draft.get_absolute_url(),
        f"{own[0]}analysis/",
        f"{own[0]}rungs/",
        cup.get_absolute_url(),
        f"{cup.get_absolute_url()}matrix",
    )
    paths = (
        "/",
        "/c/samurai/data/",
        *lists,
        "/c/samurai/rules/",
        "/c/samurai/submit/",
        "/docs/guides/compete/",
        match.get_absolute_url(),
        *own,
        *more,
    )
    return {
        f"/{language}{path}": client.get(path, headers={"accept-language": language}).content
        for language in ("en", "ja", "ru")
        for path in paths
    }


def finished(user, bots) -> Tournament:
    cup = services.create(user, bots[0].bot.competition, "Cup", "rotations", 1, 3, [bot.bot for bot in bots])
    services.start(cup)
    while (match := leases.claim("w")) is not None:
        assert leases.finish(match, played(match))
    scheduling.settle(cup.pk)
    return cup


def test_pages_fit_a_phone_and_show_tables_tabs_and_names_whole_in_every_language(browser, answers) -> None:
    wrong = {}
    with window(browser, SITE, answers) as page:
        for path in answers:
            page.set_viewport_size({"width": NARROW, "height": 780})
            page.goto(SITE + path)
            width = page.evaluate("document.documentElement.scrollWidth")
            page.set_viewport_size({"width": COMMON, "height": 780})
            counts = page.evaluate(f"[{TOO_WIDE}.length, {BROKEN}.length, {APART}.length]")
            if path.endswith("/matrix"):  # a column for each bot
                counts[0] = 0
            wrong[path] = [max(width - NARROW, 0), *counts]
    assert {path: numbers for path, numbers in wrong.items() if any(numbers)} == {}


@pytest.mark.first(1)
@pytest.mark.parametrize("language", ["ru", "en", "ja"])
def test_names_are_whole_in_a_window_of_any_width(browser, user, competition, client, language) -> None:
    bots = activate(user, competition, ["Bookmaker", "Challenger", "Statistician", "Vera"])
    play(bots)
    paths = ("/c/samurai/", finished(user, bots).get_absolute_url())
    pages = {path: client.get(path, headers={"accept-language": language}).content for path in paths}
    cramped = []
    with window(browser, SITE, pages) as page:
        for path in pages:
            page.goto(SITE + path)
            assert page.locator(".board .who a").count() >= len(bots)
            for width in range(COMMON, 1200, 60):
                page.set_viewport_size({"width": width, "height": 780})
                if page.evaluate(f"{CRAMPED}.length"):
                    cramped.append((path, width))
    assert cramped == []


def test_the_header_fits_a_window_of_any_width(browser, client) -> None:
    paths = {f"/{language}/docs/": {"accept-language": language} for language in ("en", "ja", "ru")}
    pages = {path: client.get("/docs/", headers=headers).content for path, headers in paths.items()}
    widths = range(NARROW, 1000, 40)
    too_wide = []
    with window(browser, SITE, pages) as page:
        for path in pages:
            page.goto(SITE + path)
            for width in widths:
                page.set_viewport_size({"width": width, "height": 780})
                if page.evaluate("document.documentElement.scrollWidth") > width:
                    too_wide.append((path, width))
    assert too_wide == []


def test_the_longest_names_push_nothing_off_a_page(browser, organizer, competition) -> None:
    """Of a bot, an author, and a competition: whole on several lines, or cut, on desks as on phones."""
    organizer.username = competition.title = "W" * 120
    organizer.save()
    competition.save()
    bots = activate(organizer, competition, ["W" * 40, "m" * 40, "Rita", "Sue"])
    match = play(bots)
    version, bot = bots[0].get_absolute_url(), bots[0].bot.get_absolute_url()
    # All names are long, so that the winner's is.
    cup = finished(
        organizer, activate(organizer, competition, [f"{'W' * 39}{number}" for number in range(4)])
    )
    lists = (
        "/",
        "/c/samurai/",
        "/c/samurai/matches/",
        "/c/samurai/tournaments/",
        f"/u/{organizer.username}/",
    )
    acts = (f"{bot}rename/", f"{bot}stop/", f"{version}code/")
    forms = ("/c/samurai/submit/", "/c/samurai/editor/")
    course = Course.objects.create(slug="course", title="W" * 120)
    course.competitions.add(competition)
    course.staff.create(user=organizer, role=Role.TEACHER)
    client = browser_of(organizer)
    answers = {
        path: client.get(path).content
        for path in (
            *lists,
            *(course.get_absolute_url(), "/seasons/new/"),
            *(bot, f"{bot}analysis/", version, *acts, *forms),
            *(match.get_absolute_url(), cup.get_absolute_url()),
        )
    }
    wrong = {}
    with window(browser, SITE, answers) as page:
        for path, width in ((path, width) for path in answers for width in (NARROW, 1280)):
            page.set_viewport_size({"width": width, "height": 780})
            page.goto(SITE + path)
            whole = page.evaluate("document.documentElement.scrollWidth")
            wrong[path, width] = [max(whole - width, 0), page.evaluate(f"{TOO_WIDE}.length")]
    assert {place: numbers for place, numbers in wrong.items() if any(numbers)} == {}
