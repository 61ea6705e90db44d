"""Whatever a build prints is written down, on every database: no bot keeps itself from being judged."""

import pytest

from agon.contest.text import escape_controls
from agon.site.bots.services import receive
from agon.site.bots.states import State
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.workers import building
from games.core.reason import Reason
from games.samurai.referee import Samurai
from sandbox.building.build import Built
from tests.support.factories import activate, played
from tests.support.reasons import said

pytestmark = pytest.mark.production

ODD = "a\0b\x1b[31m\r\n\u202e\ud800 ф　\t"
PLAIN = "a\\x00b\\x1b[31m\n\\u202e\\ud800 ф　\t"


@pytest.fixture
def claimed(user, competition):
    receive(user, competition, "Rita", "rita.py", b"print('READY')\n")
    return building.claim()


def test_the_log_of_a_build_may_hold_anything(claimed):
    assert building.finish(claimed, Built(None, ODD, said(f"the build failed: {ODD}"), ""))
    claimed.refresh_from_db()
    assert (claimed.state, claimed.build_log) == (State.REJECTED, PLAIN)
    assert str(claimed.reason) == f"the build failed: {PLAIN}"


def test_and_so_may_the_values_of_a_reason(claimed):
    reason = Reason("not_readable", path=ODD, why=said(ODD))
    assert building.finish(claimed, Built(None, "", reason, ""))
    claimed.refresh_from_db()
    assert str(claimed.reason) == f"{PLAIN} cannot be read: {PLAIN}"


def test_and_what_kept_the_platform_from_building_or_playing(claimed, user, competition):
    assert building.fail(claimed, said(ODD))
    claimed.refresh_from_db()
    assert str(claimed.reason).endswith(PLAIN)

    four = activate(user, competition, ["Una", "Sue", "Tom", "Ute"])
    queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, four)
    match = leases.claim("w")
    assert leases.fail(match, said(ODD))
    assert str(match.failed_attempts.get().details) == PLAIN


def test_text_without_anything_odd_stays_as_it_is():
    assert escape_controls("日本語　: ありがとう\n\té 👨‍👩‍👧 שלום") == "日本語　: ありがとう\n\té 👨‍👩‍👧 שלום"


def test_and_what_a_referee_says_of_the_end(user, competition, monkeypatch):
    """It may quote a bot, which could have its lost matches void by that."""
    monkeypatch.setattr(Samurai, "summary", lambda self: {"said": ODD})
    seats = activate(user, competition, ["Una", "Sue", "Tom", "Ute"])
    match = queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, seats)
    claimed = leases.claim("w")
    assert leases.finish(claimed, played(claimed))
    match.refresh_from_db()
    assert (match.state, match.summary["said"][:3]) == ("finished", "a\ufffdb")
