"""axe-core finds nothing wrong in the operator's page, full or empty, and it fits a phone."""

import logging
from datetime import timedelta

import pytest

from agon.site.accounts.models import User
from agon.site.core.db.leases import now
from agon.site.fleet.heartbeat import Heartbeat
from agon.site.fleet.models import Canary, Process
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from games.core.reason import Reason
from tests.support.accessibility import assert_accessible_and_narrow
from tests.support.factories import activate, played

from .conftest import browser_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]
LONG = "a-machine-with-a-name-of-sixty-characters-as-clouds-give-them"[:60]


@pytest.fixture
def pages(user, competition, settings) -> dict[str, bytes]:
    settings.AGON_CANARY_SECONDS, settings.AGON_MACHINE = 300, LONG
    desk = browser_of(User.objects.create_superuser("boss"))
    contents = {"/operate/?empty": desk.get("/operate/").content}
    for number in range(3):
        facts = {
            "queues": ["bulk"],
            "core": str(number),
            "worker": f"{LONG}:core{number}:12345",
            "task": "play",
            "task_since": 1.0,
            "matches_per_minute": 1234.5,
        }
        Heartbeat(f"worker-{number}", "player", lambda facts=facts: facts).beat()
    Process.objects.filter(place__endswith="worker-2").update(seen=now() - timedelta(days=3))
    seats = activate(user, competition, ["a", "b", "c", "d"])
    for _ in range(3):
        queueing.queue(competition, Match.Kind.LADDER, Match.Queue.INTERACTIVE, seats)
    claimed = leases.claim(f"{LONG}:core0:12345")
    leases.finish(claimed, played(claimed))
    for _ in range(3):
        leases.fail(leases.claim(f"{LONG}:core1:12345"), Reason("text", text="x" * 300))
    leases.claim(f"{LONG}:core0:12345")
    logging.getLogger("agon.site.x").error("y" * 400)
    time = now()
    Canary.objects.create(pk=1, asked=time, since=time, succeeded=time, seconds=2.0, why="z" * 300)
    desk.post("/operate/acts/", {"what": f"park:{LONG}:core0", "why": "w" * 300})
    Heartbeat("builder", "builder").beat()
    contents["/operate/"] = desk.get("/operate/").content
    contents["/operate/acts/"] = desk.post("/operate/acts/", {"what": "no", "why": ""}).content
    return contents


def test_it_is_accessible_and_fits_a_phone(browser, pages):
    assert all(b"<main" in page for page in pages.values())
    assert_accessible_and_narrow(browser, pages)
