"""axe-core finds nothing wrong in any type of page, light or dark, wide or narrow.

Pages of tournaments are in test_accessible_tournaments.py; the admin is Django's own.
"""

import re

import pytest
from django.core.files.base import ContentFile
from django.test import Client

from agon.site.accounts.services import house_user
from agon.site.bots import reasons
from agon.site.bots.models import Bot
from agon.site.bots.services import receive_text
from agon.site.bots.states import REJECT
from agon.site.challenges import services as challenges
from agon.site.comparisons import services as comparisons
from agon.site.competitions import announcing
from agon.site.competitions.announcing import Words
from agon.site.competitions.models import Competition
from agon.site.leaderboards import fitting
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.tokens import device
from agon.site.trials.models import Trial
from agon.site.trials.states import State as TrialState
from agon.site.use_cases import leaving_play, qualification
from agon.site.web.core.error_views import server_error
from agon.site.workers import trying
from games.core.reason import Reason
from tests.support.accessibility import each_look, looks_at, violations
from tests.support.drawing import window
from tests.support.factories import activate, duel, submit

from .conftest import PASSWORD, browser_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SITE = "http://site.test"
DRAWN = "[...document.querySelectorAll('.viewer')].every((each) => each.shadowRoot)"
STRENGTHS = ["Ada", "Dice", "Bea", "Fibber"]
SOURCE = b"# Always rock.\ndef ada(their_past, my_past, their_claim, my_claim):\n    return 'R'\n"


@pytest.fixture
def rps(db) -> Competition:
    return Competition.objects.create(slug="honest-rps", game="honest_rps", title="Honest RPS")


@pytest.fixture
def entered(rps, user, bob):
    """Two versions of ada's bot, two bots of bob and two house bots; all but the last have played."""
    [old] = activate(user, rps, ["Ada"])
    new = submit(user, rps, "Ada")
    house = activate(house_user(), rps, ["Fibber", "Dice"])
    Bot.objects.filter(owner=house_user()).update(house=True)
    for version, source in (
        (old, SOURCE),
        (new, SOURCE.replace(b"'R'", b"'P'")),
        *((submission, b"x") for submission in house),
    ):
        version.source.save("", ContentFile(source), save=False)
        version.artifact.save("", ContentFile(b"a tar"), save=False)
        version.filename, version.language, version.artifact_digest = "ada.py", "python", f"{version.pk}" * 16
        version.save()
    qualification.activate(new)
    bea, stan = activate(bob, rps, ["Bea", "Stan"])
    Match.objects.all().delete()
    for opponent in (house[0], house[1], bea):
        for seats in ((new, opponent), (opponent, new)) * 3:
            rated(rps, seats)
    fitting.fit_now(rps.pk)
    return old, new, house, bea, stan


def rated(rps, seats, faulty=()) -> Match:
    queueing.queue(rps, Match.Kind.LADDER, Match.Queue.INTERACTIVE, list(seats), seed=38)
    match = leases.claim("w")
    assert leases.finish(match, duel(match, STRENGTHS, faulty=faulty))
    return match


@pytest.fixture
def tried(rps, entered, user) -> Trial:
    """One of several tries, played without a fault, and a match played again."""
    old, _new, house, *_others = entered
    match = rated(rps, (old, house[0]))
    kept = trying._stored_fields(Trial(seat=0), duel(match, STRENGTHS))
    return Trial.objects.create(
        competition=rps,
        owner=user,
        person=f"user-{user.pk}",
        opponent=house[0],
        others=[house[0].pk],
        batch="several",
        again=match,
        language="python",
        name="Ada",
        text=SOURCE.decode(),
        state=TrialState.FINISHED,
        **kept,
    )


@pytest.fixture
def pages(rps, entered, user, organizer, tried) -> dict[str, bytes]:
    """Every type of page, by address; those of people as they get them."""
    old, new, house, bea, stan = entered
    board, bot = rps.get_absolute_url(), new.bot.get_absolute_url()
    version = new.get_absolute_url()
    good, bad = rated(rps, (new, bea)), rated(rps, (new, house[0]), faulty=["Ada"])
    broken = receive_text(user, rps, "Eve", "def eve()\n", "python")
    broken.move(
        REJECT,
        reason=reasons.no_build(
            Reason("at_line", file="eve.py", line=1, problem="expected ':': def eve()", said="expected ':'")
        ),
    )
    comparison = comparisons.start(user, new, old)
    challenge = challenges.start(user, new.bot, [house[0].bot], 4)
    asking = device.begin("agon on laptop", ())
    assert not isinstance(asking, device.Refusal)
    leaving_play.stop(stan.bot, organizer, reasons.stopped("It copied another bot."))
    Competition.objects.update(prizes=[{"places": "1", "text": "A cup"}], sources="closed", records="all")
    rps.organizers.create(user=organizer)
    news = announcing.announce(rps, Words("News", "# Where\n\nHere."), organizer).get_absolute_url()
    user.set_password(PASSWORD)
    user.save()
    ada, anonymous, desk = browser_of(user), Client(), browser_of(organizer)
    asked = {
        anonymous: [
            *("/", board, f"{board}?q=nobody", f"{board}rules/", f"{board}matches/", f"{board}submit/"),
            *(f"{board}head-to-head/", f"{board}data/"),
            *(f"{board}editor/", f"{bad.get_absolute_url()}?", f"{good.get_absolute_url()}embed/"),
            *(house[0].bot.get_absolute_url(), stan.bot.get_absolute_url(), "/accounts/login/"),
            *("/accounts/signup/", "/accounts/password/reset/", "/chain/", "/nowhere"),
            *("/docs/", "/docs/guides/compete/", "/docs/explanations/performance/"),
        ],
        ada: [
            *("/?", f"{board}?", f"{board}first-win/", bad.get_absolute_url()),
            *(f"{bad.get_absolute_url()}?raw=1", bot, f"{bot}analysis/?beside=1", f"{bot}rungs/", version),
            *(broken.get_absolute_url(), f"{version}code/", f"{version}diff/", f"{version}compare/"),
            *(
                comparison.get_absolute_url(),
                challenge.get_absolute_url(),
                "/challenges/",
                f"{board}challenge/?bot={house[0].bot_id}",
                f"{bot}challenges/",
                f"{board}editor/?trial={tried.token}",
                "/u/ada/",
                "/u/ada/close/",
                f"{bot}rename/",
            ),
            *(f"{bot}withdraw/", f"{bot}delete/", f"{old.get_absolute_url()}restore/"),
            *(f"{broken.get_absolute_url()}remove/", "/accounts/logout/", "/accounts/password/change/"),
            *("/accounts/security/", "/accounts/2fa/", "/accounts/export/"),
            *("/accounts/email/", "/device/", f"/device/?code={asking[0].shown_code}", "/device/?code=no"),
        ],
        desk: [
            *(f"{board}?sort=won", f"{board}settings/", "/competitions/", "/?archived=true"),
            *(f"{board}announcements/", news, f"{news}edit/", f"{board}announcements/new/"),
        ],
    }
    contents = {path: browser.get(path).content for browser, paths in asked.items() for path in paths}
    for address in re.findall(r'data-(?:log|viewer|debug)="([^"]+)"', b"".join(contents.values()).decode()):
        contents[address] = b"".join(ada.get(address))
    contents["/refused"] = ada.post(f"{board}submit/", {"name": ""}).content
    contents["/403"] = Client(enforce_csrf_checks=True).post(f"{board}submit/").content
    contents["/500"] = server_error(None).content
    return contents


@each_look
def test_axe_finds_nothing_wrong_in_any_type_of_page(browser, pages, both):
    results = {}
    with window(browser, SITE, pages) as page:
        for number, address in enumerate(path for path, content in pages.items() if b"<html" in content):
            page.goto(SITE + address)
            page.wait_for_function(DRAWN)
            results[address] = violations(page, looks_at(number, both))
    assert {address: wrong for address, wrong in results.items() if wrong} == {}
