"""A worker that fails whatever it is given is parked; a bot that breaks its matches takes none away."""

import pytest

from agon.contest.attempts import FailureKind
from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.core.db.leases import now
from agon.site.fleet import failing, parking
from agon.site.fleet.models import OddWorker
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.matches.states import State
from games.core.reason import Reason
from tests.support.factories import activate, played

GOOD = [f"good:core{number}" for number in range(3)]
BAD = "bad:core0"
BROKEN = Reason("text", text="no space left in the sandbox")


@pytest.fixture
def bots(competition):
    """Of sixteen authors."""
    return [activate(User.objects.create_user(f"a{n}"), competition, [f"bot{n}"])[0] for n in range(16)]


def match_of(competition, *seats):
    Match.objects.filter(state=State.QUEUED).update(state=State.HELD)  # so that it is the next
    return queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, list(seats))


def play(competition, bots, matches, workers=GOOD):
    for number in range(matches):
        match_of(competition, *table(bots, number))
        claimed = leases.claim(f"{workers[number % len(workers)]}:7")
        assert leases.finish(claimed, played(claimed))


def fail(competition, tables, kind=FailureKind.SANDBOX):
    for seats in tables:
        match_of(competition, *seats)
        assert leases.fail(leases.claim(f"{BAD}:7"), BROKEN, kind=kind)


def table(bots, number):
    first = 4 * number % 16
    return bots[first : first + 4]


def tables(bots, number):
    return [table(bots, n) for n in range(number)]


def odd():
    failing.tick()
    return list(OddWorker.objects.values_list("worker", "state"))


def test_it_is_parked_with_its_matches_as_evidence_and_no_result_changes(competition, bots):
    play(competition, bots, 6)
    fail(competition, tables(bots, 4))
    play(competition, bots, 6)
    assert odd() == [], "four may be chance"
    fail(competition, [table(bots, 4)])
    results = list(Match.objects.filter(state=State.FINISHED).values_list("pk", "summary").order_by("pk"))

    assert odd() == [(BAD, "parked")]

    [odd_worker] = OddWorker.objects.all()
    assert "failed 5 matches in a row" in str(odd_worker.finding)
    assert len(odd_worker.finding.matches) == 5
    act = Act.objects.get(verb="park")
    assert (act.actor, act.subject) == (None, BAD)
    assert parking.is_parked(f"{BAD}:8")
    assert (
        list(Match.objects.filter(state=State.FINISHED).values_list("pk", "summary").order_by("pk"))
        == results
    )

    parking.release(odd_worker, why="its disk is mended")
    assert odd() == [(BAD, "released")], "what it failed before is settled"
    fail(competition, tables(bots, 5))
    play(competition, bots, 6)
    assert odd() == [(BAD, "released"), (BAD, "parked")]


def test_a_bot_that_breaks_its_matches_takes_no_worker_away(competition, bots):
    play(competition, bots, 6)
    fail(competition, [[bots[0], *bots[n : n + 3]] for n in range(1, 13)])
    play(competition, bots, 6)
    assert odd() == []


def test_one_that_plays_a_match_in_between_is_well(competition, bots):
    play(competition, bots, 6)
    fail(competition, tables(bots, 3))
    play(competition, bots, 1, [BAD])
    fail(competition, tables(bots, 4))
    play(competition, bots, 6)
    assert odd() == []


def test_where_nobody_plays_it_is_the_platform_that_fails(competition, bots):
    play(competition, bots, 6)
    fail(competition, tables(bots, 6))
    assert odd() == []


def test_what_a_game_or_a_lost_program_fails_is_no_evidence(competition, bots):
    play(competition, bots, 6)
    fail(competition, tables(bots, 6), FailureKind.REFEREE)
    play(competition, bots, 6)
    assert odd() == []


def test_one_of_the_last_two_is_reported_and_plays_on(competition, bots):
    play(competition, bots, 6, GOOD[:1])
    fail(competition, tables(bots, 6))
    play(competition, bots, 6, GOOD[:1])
    assert odd() == [(BAD, "reported")]
    assert OddWorker.objects.get().found <= now()
