"""Claiming matches and writing results: once, by the present holder, with all that follows or not at all."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import DatabaseError, connection
from django.utils import timezone

from agon.site.core.db.leases import ATTEMPTS
from agon.site.leaderboards import fitting
from agon.site.leaderboards.models import Leaderboard, PairCount, Rating
from agon.site.matches import leases, queueing, records
from agon.site.matches.models import Fault, Match, Recording, Stderr
from agon.site.matches.states import State
from games.core.match_log import timed
from tests.support.factories import activate, played
from tests.support.reasons import said

pytestmark = pytest.mark.production

Kind, Queue = Match.Kind, Match.Queue


@pytest.fixture
def four(user, competition):
    return activate(user, competition, ["north", "east", "south", "west"])


def queue(competition, submissions, where=Queue.BULK, kind=Kind.LADDER):
    return queueing.queue(competition, kind, where, submissions, seed=7)


def expire(match):
    Match.objects.filter(pk=match.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_interactive_matches_are_claimed_before_older_bulk_matches(competition, four):
    bulk = queue(competition, four)
    urgent = queue(competition, four, Queue.INTERACTIVE)

    assert [leases.claim("w"), leases.claim("w"), leases.claim("w")] == [urgent, bulk, None]


def test_a_worker_of_the_interactive_queue_leaves_bulk_matches_alone(competition, four):
    queue(competition, four)

    assert leases.claim("w", [Queue.INTERACTIVE]) is None


def test_a_claim_raises_the_attempt_and_names_the_worker(competition, four):
    queue(competition, four)

    match = leases.claim("machine:1")

    match.refresh_from_db()
    assert (match.state, match.attempt, match.worker) == (State.RUNNING, 1, "machine:1")
    assert timezone.now() < match.lease_until <= timezone.now() + timedelta(seconds=16)


def test_a_result_is_written_with_everything_that_follows_from_it(competition, four):
    queue(competition, four)
    match = leases.claim("w")
    result = played(match, faults={(2, 1): ("timeout", "no answer within 1000 ms")})

    assert leases.finish(match, result)

    match.refresh_from_db()
    seats = list(match.seats.all())
    assert match.state == State.FINISHED
    assert [seat.score for seat in seats] == list(result.log.scores)
    assert [seat.rank for seat in seats] == list(result.log.ranks)
    assert [(f.seat.number, f.kind, f.step) for f in Fault.objects.all()] == [(1, "timeout", 2)]
    assert records.log(match) == timed(result.log, result.log.timing)
    assert records.stderr(seats[3]) == b"seat 3 says hello\n"
    assert match.steps == 9
    assert set(Rating.objects.values_list("played", flat=True)) == {1}
    assert Rating.objects.get(rated__submission=four[1]).faults == 1


def test_a_result_delivered_twice_counts_once(competition, four):
    queue(competition, four)
    match = leases.claim("w")
    result = played(match)

    assert [leases.finish(match, result), leases.finish(match, result)] == [True, False]

    assert Rating.objects.get(rated__submission=four[0]).played == 1
    assert match.seats.count() == 4
    assert Recording.objects.count() == 1
    assert Stderr.objects.count() == 4


def test_a_late_result_of_an_expired_attempt_is_discarded(competition, four):
    queue(competition, four)
    first = leases.claim("slow")
    expire(first)
    assert leases.give_back_expired() == 1
    second = leases.claim("quick")

    assert not leases.finish(first, played(first))
    assert leases.finish(second, played(second))

    assert Rating.objects.get(rated__submission=four[0]).played == 1
    assert Match.objects.get(pk=first.pk).attempt == 2


def test_the_holder_of_an_expired_but_not_yet_swept_lease_may_still_finish(competition, four):
    queue(competition, four)
    match = leases.claim("w")
    expire(match)

    assert leases.finish(match, played(match))
    assert leases.give_back_expired() == 0


def test_a_renewed_lease_is_not_swept(competition, four):
    queue(competition, four)
    match = leases.claim("w")
    expire(match)

    assert leases.renew(match)
    assert leases.give_back_expired() == 0


def test_a_lost_lease_cannot_be_renewed(competition, four):
    queue(competition, four)
    match = leases.claim("w")
    expire(match)
    leases.give_back_expired()

    assert not leases.renew(match)


def test_failures_of_the_platform_void_a_match_after_the_last_attempt_and_cost_nobody_anything(
    competition, four
):
    queue(competition, four)
    version = Leaderboard.objects.get(competition=competition).version

    for attempt in range(1, ATTEMPTS + 1):
        match = leases.claim("w")
        assert match.attempt == attempt
        assert leases.fail(match, said("the disk is full"))

    match.refresh_from_db()
    assert (match.state, str(match.reason)) == (State.VOID, "the platform failed")
    assert leases.claim("w") is None
    assert set(Rating.objects.values_list("played", "faults")) == {(0, 0)}
    assert Leaderboard.objects.get(competition=competition).version == version


def test_a_failure_reported_by_a_former_holder_changes_nothing(competition, four):
    queue(competition, four)
    first = leases.claim("w")
    leases.fail(first, said("once"))
    second = leases.claim("w")

    assert not leases.fail(first, said("twice"))
    assert Match.objects.get(pk=second.pk).state == State.RUNNING


def test_a_result_that_cannot_be_stored_whole_is_not_stored_at_all(competition, four, monkeypatch):
    queue(competition, four)
    match = leases.claim("w")
    result = played(match)

    def broken(*args, **kwargs):
        raise DatabaseError("connection lost")

    monkeypatch.setattr("agon.site.leaderboards.ratings.of_match", broken)
    with pytest.raises(DatabaseError):
        leases.finish(match, result)

    match = Match.objects.get(pk=match.pk)
    assert match.state == State.RUNNING
    assert not Recording.objects.exists()
    assert not Stderr.objects.exists()
    assert not Fault.objects.exists()
    assert set(Rating.objects.values_list("played", flat=True)) == {0}


def test_after_a_first_match_ratings_are_in_the_order_of_the_ranks(competition, four):
    queue(competition, four)
    match = leases.claim("w")
    leases.finish(match, played(match, faults={(0, 2): ("crash", "exit status 1")}))
    fitting.tick()

    by_skill = Rating.objects.order_by("-rating").values_list("rated__submission__seats__rank", flat=True)
    assert list(by_skill) == sorted(by_skill)
    assert len(set(by_skill)) > 1


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_that_claim_at_once_no_two_get_the_same_match(user, competition):
    four = activate(user, competition, ["north", "east", "south", "west"])
    matches = [queue(competition, four) for _ in range(24)]
    workers = 6
    together = Barrier(workers)

    def work(name):
        together.wait()
        mine = []
        while (match := leases.claim(name)) is not None:
            mine.append(match.pk)
        connection.close()
        return mine

    with ThreadPoolExecutor(workers) as threads:
        claimed = Counter(pk for mine in threads.map(work, map(str, range(workers))) for pk in mine)

    assert claimed == dict.fromkeys((match.pk for match in matches), 1)


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_that_finish_the_same_attempt_at_once_one_is_heard(user, competition):
    four = activate(user, competition, ["north", "east", "south", "west"])
    queue(competition, four)
    match = leases.claim("w")
    result = played(match)
    together = Barrier(4)

    def finish(_):
        together.wait()
        try:
            return leases.finish(match, result)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(finish, range(4))) == [False, False, False, True]

    assert set(Rating.objects.values_list("played", flat=True)) == {1}


@pytest.mark.django_db(transaction=True)
def test_results_of_one_competition_that_come_at_once_all_count(user, competition):
    four = activate(user, competition, ["north", "east", "south", "west"])
    for _ in range(12):
        queue(competition, four)
    held = [leases.claim("w") for _ in range(12)]
    results = [(match, played(match)) for match in held]
    before = Leaderboard.objects.get(competition=competition).version

    def finish(pair):
        try:
            return leases.finish(*pair)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(finish, results))

    assert set(Rating.objects.values_list("played", flat=True)) == {12}
    assert PairCount.objects.count() == 6
    assert {row.first_ahead + row.tied + row.second_ahead for row in PairCount.objects.all()} == {12}
    assert Leaderboard.objects.get(competition=competition).version > before
