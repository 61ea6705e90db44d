"""Several matches of a tournament claimed, given up and stored together: each as if it were alone."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from threading import Barrier, Event, Timer

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from agon.site.leaderboards.models import Rating
from agon.site.matches import leases, queueing, results
from agon.site.matches.models import Match, Recording
from agon.site.matches.states import State
from agon.site.tournaments import scheduling, services, stopped
from tests.support.factories import activate, active_bots, played
from tests.support.reasons import said

pytestmark = pytest.mark.production
BOTH = (Match.Queue.INTERACTIVE, Match.Queue.BULK)


@pytest.fixture
def bots(user, competition):
    return active_bots(user, competition, ["a", "b", "c", "d", "e"])


@pytest.fixture
def cup(user, competition, bots):
    """20 matches: each of 5 groups of four, rotated through the seats."""
    made = services.create(user, competition, "Cup", "rotations", 1, 100, bots)
    services.start(made)
    return made


def claim(most=8, worker="w"):
    return leases.claim_many(worker, BOTH, most)


def in_order(cup):
    return list(cup.matches.order_by("pk").values_list("pk", flat=True))


def states(matches):
    rows = Match.objects.filter(pk__in=[match.pk for match in matches])
    return list(rows.order_by("pk").values_list("state", "attempt"))


def test_a_batch_is_the_matches_that_are_next(cup):
    first, second = claim(4), claim(4)

    assert [match.pk for match in first + second] == in_order(cup)[:8]
    assert states(first + second) == [(State.RUNNING, 1)] * 8
    assert all(match.lease_until > timezone.now() for match in first)


def test_a_batch_is_at_most_half_of_what_waits_so_that_other_workers_get_some(cup):
    sizes = []
    while batch := claim(64):
        sizes.append(len(batch))

    assert sizes == [10, 5, 2, 1, 1, 1]


def test_a_match_that_failed_before_is_claimed_alone(cup):
    leases.fail(leases.claim("w"), said("the box was lost"))

    assert [len(claim(4)), len(claim(4))] == [1, 4]


def test_a_batch_ends_before_a_match_that_failed(cup):
    order = in_order(cup)
    Match.objects.filter(pk=order[2]).update(attempt=1)

    batches = [[match.pk for match in claim(8)] for _ in range(3)]
    assert batches == [order[:2], order[2:3], order[3:11]]


def test_rated_matches_are_claimed_one_by_one(user, competition):
    four = activate(user, competition, ["a", "b", "c", "d"])
    matches = [queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, four) for _ in range(3)]

    assert [claim(), claim(), claim()] == [[match] for match in matches]


def test_what_is_handed_back_is_as_if_it_had_not_been_claimed(cup):
    before = list(cup.matches.order_by("pk").values())
    batch = claim(4)

    leases.hand_back(batch[1:])

    after = list(cup.matches.order_by("pk").values())
    assert after[1:] == before[1:]
    assert after[0] != before[0]


def test_a_result_of_a_match_that_was_handed_back_is_not_heard_even_if_another_worker_holds_it(cup):
    batch = claim(4, "v")
    leases.hand_back(batch)
    again = claim(4, "w")
    assert (again, again[0].attempt) == (batch, batch[0].attempt)

    assert not leases.finish(batch[0], played(batch[0]))
    assert leases.finish(again[0], played(again[0]))


def test_of_a_paused_tournament_what_is_handed_back_is_held(cup):
    batch = claim(4)
    services.pause(cup)

    assert leases.not_to_begin(batch) == batch
    leases.hand_back(batch)

    assert states(batch) == [(State.HELD, 0)] * 4


def test_of_a_cancelled_tournament_nothing_is_begun(cup):
    batch = claim(4)
    services.cancel(cup)

    assert leases.not_to_begin(batch) == batch
    leases.hand_back(batch)

    assert states(batch) == [(State.WITHDRAWN, 1)] * 4


def test_the_matches_of_a_bot_that_is_stopped_are_withdrawn_and_the_others_begun(cup, bots):
    batch = claim(8)
    stopped.disqualify(bots[4], "It cheats.")
    with_it = [match for match in batch if match.seats.filter(submission__bot=bots[4]).exists()]
    assert 0 < len(with_it) < 8

    assert leases.not_to_begin(batch) == with_it
    leases.hand_back(with_it)

    assert states(with_it) == [(State.WITHDRAWN, 1)] * len(with_it)


def test_a_lease_that_expired_is_not_begun(cup):
    batch = claim(4)
    Match.objects.filter(pk=batch[1].pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    leases.give_back_expired()

    assert leases.not_to_begin(batch) == [batch[1]]


def test_leases_are_renewed_together(cup):
    batch = claim(4)
    Match.objects.update(lease_until=timezone.now() - timedelta(seconds=1))

    assert leases.renew(*batch)

    assert leases.give_back_expired() == 0


def test_results_stored_together_are_what_they_are_one_by_one(cup):
    batch, alone = claim(4), claim(1)
    shapes = {}
    for matches in (batch, alone):
        ended = [results.just_ended(match, played(match, {(2, 1): ("timeout", "late")})) for match in matches]
        leases.finish_all(ended)
        for outcome in ended:
            match = Match.objects.get(pk=outcome.match.pk)
            log = outcome.played.log
            assert (match.state, match.steps, match.summary) == (State.FINISHED, 9, log.summary)
            assert match.duration.total_seconds() == pytest.approx(0.25, abs=1e-3)
            assert [seat.score for seat in match.seats.all()] == list(log.scores)
            assert [seat.rank for seat in match.seats.all()] == list(log.ranks)
            faults = [(seat.number, fault.kind) for seat in match.seats.all() for fault in seat.faults.all()]
            assert faults == [(1, "timeout")]
            assert bytes(match.recording.record) == outcome.packed.record
            shapes[match.pk] = match.lease_until
    assert set(shapes.values()) == {None}


def test_results_without_any_measured_answer_are_stored(cup):
    ended = []
    for match in claim(4):
        result = played(match)
        exchanges = tuple(exchange._replace(wall_us=None) for exchange in result.log.exchanges)
        ended.append(results.just_ended(match, replace(result, log=replace(result.log, exchanges=exchanges))))

    leases.finish_all(ended)

    assert [state for state, _ in states([outcome.match for outcome in ended])] == [State.FINISHED] * 4
    assert set(ended[0].match.seats.values_list("slowest", flat=True)) == {None}


def test_of_results_stored_together_those_that_are_no_longer_the_workers_are_left_alone(cup):
    batch = claim(4)
    Match.objects.filter(pk=batch[2].pk).update(worker="another")

    leases.finish_all([results.just_ended(match, played(match)) for match in batch])

    assert [state for state, _ in states(batch)] == [State.FINISHED] * 2 + [State.RUNNING, State.FINISHED]
    assert not Recording.objects.filter(match=batch[2]).exists()


def test_results_that_cannot_be_stored_together_are_not_stored_at_all(cup):
    batch = claim(4)
    Recording.objects.create(match=batch[3], record=b"", times=b"")

    with pytest.raises(IntegrityError):
        leases.finish_all([results.just_ended(match, played(match)) for match in batch])

    assert [state for state, _ in states(batch)] == [State.RUNNING] * 4
    assert Recording.objects.count() == 1
    assert set(Rating.objects.values_list("played", flat=True)) == {0}


@contextmanager
def locked(match):
    """For half a second, by another process: PostgreSQL keeps the lock of a row that a worker meant to claim,
    and found claimed by another.
    """
    begun, over = Event(), Event()

    def claim_too_late():
        with transaction.atomic():
            Match.objects.select_for_update().get(pk=match.pk)
            begun.set()
            over.wait(60)
        connection.close()

    with ThreadPoolExecutor(1) as executor:
        late = executor.submit(claim_too_late)
        assert begun.wait(60)
        Timer(0.5, over.set).start()
        yield
        late.result()


@pytest.mark.django_db(transaction=True)
def test_a_match_that_is_locked_for_a_moment_is_handed_back_too(cup):
    batch = claim(4)
    with locked(batch[1]):
        leases.hand_back(batch)
    assert states(batch) == [(State.QUEUED, 0)] * 4


@pytest.mark.django_db(transaction=True)
def test_nor_is_it_taken_for_lost_when_its_lease_is_to_be_renewed(cup):
    [match] = claim(1)
    with locked(match):
        assert leases.renew(match)
    Match.objects.filter(pk=match.pk).update(worker="another")
    assert not leases.renew(match)


@pytest.mark.django_db(transaction=True)
def test_of_many_workers_that_claim_and_store_batches_at_once_each_match_counts_once(user, competition):
    made = active_bots(user, competition, ["a", "b", "c", "d", "e"])
    cup = services.create(user, competition, "Cup", "rotations", 3, 100, made)
    services.start(cup)
    workers = 4
    together = Barrier(workers)

    def work(name):
        together.wait()
        while batch := claim(8, name):
            leases.hand_back(batch[5:])
            leases.finish_all([results.just_ended(match, played(match)) for match in batch[:5]])
        connection.close()

    with ThreadPoolExecutor(workers) as threads:
        list(threads.map(work, "abcd"))
    scheduling.tick()

    assert set(cup.matches.values_list("state", "attempt")) == {(State.FINISHED, 1)}
    assert cup.matches.count() == Recording.objects.count() == 60
    cup.refresh_from_db()
    assert cup.state == cup.State.FINISHED
