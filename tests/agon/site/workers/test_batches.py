"""A worker that plays several claimed matches one after the other: real bots in real boxes."""

import signal
import threading
from datetime import timedelta

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from agon.contest import arena
from agon.site.bots.models import Submission
from agon.site.bots.services import receive_text
from agon.site.fleet import environments
from agon.site.matches import leases, queueing
from agon.site.matches.models import Fault, Match, Recording
from agon.site.matches.results import Ended
from agon.site.matches.states import State
from agon.site.tournaments import services
from agon.site.use_cases import qualification
from agon.site.workers import building, playing
from agon.site.workers.pace import SPAN, Pace
from agon.site.workers.playing import Batch
from agon.site.workers.tasks import sweep
from agon.site.workers.worker import worker as own_worker
from sandbox.backends import open_sandbox
from tests.support.factories import played
from tests.support.processes import ROOT, Workers, until

GOOD = (ROOT / "tests" / "bots" / "samurai" / "good.py").read_text()
BOTH = (Match.Queue.INTERACTIVE, Match.Queue.BULK)

on_a_site = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.production,
    pytest.mark.slow,
]


@pytest.fixture(scope="module")
def sandbox():
    own_worker.close()  # another test may have left it with the other sandbox
    opened = open_sandbox("bubblewrap")
    yield opened
    opened.close()
    own_worker.close()


@pytest.fixture
def cup(user, competition, sandbox, monkeypatch, settings, store):
    """A running tournament of 60 short matches between real bots."""
    monkeypatch.setenv("AGON_SANDBOX", "bubblewrap")
    # Longer than it takes to open boxes on a busy machine: what is left of a batch is handed back then.
    monkeypatch.setattr(playing, "OVERDUE", 60.0)
    monkeypatch.setattr("agon.site.core.db.leases.RENEWED_EVERY", 60.0)
    settings.AGON_ARTIFACTS = store
    for name in "abcde":
        receive_text(user, competition, name, f"{GOOD}\n# {name}\n", "python")
    while building.build_next(sandbox):
        pass
    for submission in Submission.objects.order_by("pk"):
        qualification.activate(submission)
    competition.state = competition.State.CLOSED  # its ladder queues nothing
    competition.save()
    competition.matches.all().delete()
    bots = [submission.bot for submission in Submission.objects.order_by("pk")]
    made = services.create(user, competition, "Cup", "rotations", 3, 100, bots)
    services.start(made)
    return made


@pytest.fixture
def after_the_first(monkeypatch):
    """Do something once, right after the first match was played; the worker looks after each one."""
    monkeypatch.setattr(playing, "CHECK_EVERY", 0.0)
    really = arena.play

    def during(act):
        acts = [act]

        def play(*args, **named):
            result = really(*args, **named)
            while acts:
                acts.pop()()
            return result

        monkeypatch.setattr(arena, "play", play)

    return during


def claim(most=4):
    return leases.claim_many(own_worker.name, BOTH, most)


def states(matches):
    rows = Match.objects.filter(pk__in=[match.pk for match in matches])
    return list(rows.order_by("pk").values_list("state", "attempt"))


def sat(match):
    return frozenset(match.seats.values_list("submission", flat=True))


def expire(tournament):
    held = tournament.matches.filter(state=State.RUNNING)
    held.update(lease_until=timezone.now() - timedelta(seconds=1))


@given(st.lists(st.floats(0.001, 100), max_size=50), st.floats(0.001, 100))
def test_a_batch_is_no_longer_than_its_span_even_if_each_match_is_as_long_as_the_last(before, last):
    pace = Pace()
    for seconds in [*before, last]:
        pace.note(seconds)

    assert pace.matches == 1 or pace.matches * last <= SPAN


def test_short_matches_are_claimed_together_and_after_a_long_one_the_next_is_claimed_alone():
    pace = Pace()
    assert pace.matches == 1
    for _ in range(100):
        pace.note(0.02)
    assert pace.matches == SPAN / 0.02 - 1  # what is left of the first guess
    pace.note(1.0)
    assert pace.matches == 1


def test_a_batch_is_not_over_while_another_thread_stores_its_results(monkeypatch):
    """Else a failure to store them would be noticed too late for the worker to pause."""
    storing, may_end = threading.Event(), threading.Event()

    def finish_all(ended):
        if ended:
            storing.set()
            assert may_end.wait(60)
            raise OSError("the disk is full")

    monkeypatch.setattr(leases, "finish_all", finish_all)
    monkeypatch.setattr(leases, "fail", lambda match, reason, **_: None)
    batch = Batch([])
    batch._ended = [Ended(Match(pk=1), None, None, 0.0)]
    keeping = threading.Thread(target=batch.store)
    keeping.start()
    assert storing.wait(60)
    threading.Timer(0.1, may_end.set).start()

    batch.store()

    assert not batch.is_stored
    keeping.join()


class TestOnASite:
    pytestmark = on_a_site

    def test_a_batch_is_played_and_stored(self, cup):
        batch = claim()

        assert playing.play(*batch)

        assert states(batch) == [(State.FINISHED, 1)] * 4
        assert Recording.objects.count() == 4
        assert not Fault.objects.exists()

    def test_a_failure_of_the_platform_keeps_what_was_played_and_hands_back_the_rest(self, cup):
        batch = claim(8)
        gone = min(set().union(*map(sat, batch)) - sat(batch[0]))
        before = next(number for number, match in enumerate(batch) if gone in sat(match))
        Submission.objects.filter(pk=gone).update(artifact_digest="0" * 64, artifact="artifacts/00/gone")

        assert not playing.play(*batch)

        played, left = [(State.FINISHED, 1)] * before, [(State.QUEUED, 0)] * (7 - before)
        assert states(batch) == [*played, (State.QUEUED, 1), *left]

    def test_a_result_that_cannot_be_stored_does_not_lose_the_others(self, cup):
        batch = claim()
        Recording.objects.create(match=batch[1], record=b"", times=b"")

        assert not playing.play(*batch)

        expected = [(State.FINISHED, 1), (State.QUEUED, 1), (State.FINISHED, 1), (State.FINISHED, 1)]
        assert states(batch) == expected

    @pytest.mark.parametrize(
        ("act", "left"),
        [(services.pause, (State.HELD, 0)), (services.cancel, (State.WITHDRAWN, 1))],
        ids=["pause", "cancel"],
    )
    def test_what_an_organizer_does_reaches_matches_that_are_claimed_and_not_begun(
        self, cup, after_the_first, act, left
    ):
        batch = claim()
        after_the_first(lambda: act(cup))

        assert playing.play(*batch)

        assert states(batch)[1:] == [left] * 3

    def test_an_interactive_match_does_not_wait_for_the_rest_of_a_batch(self, cup, after_the_first):
        batch = claim()
        four = [seat.submission for seat in batch[0].seats.all()]
        competition, interactive = cup.competition, Match.Queue.INTERACTIVE
        after_the_first(lambda: queueing.queue(competition, Match.Kind.LADDER, interactive, four))

        assert playing.play(*batch)

        assert states(batch) == [(State.FINISHED, 1)] + [(State.QUEUED, 0)] * 3

    def test_while_a_match_takes_long_results_are_stored_and_other_workers_get_what_was_not_begun(self, cup):
        matches = claim()
        batch = Batch(matches)
        batch.add_result(batch.next(), played(matches[0]))
        playing_now = batch.next()
        expire(cup)

        assert batch.renew()  # as the thread that renews leases does

        assert states(matches) == [(State.FINISHED, 1), (State.RUNNING, 1)] + [(State.QUEUED, 0)] * 2
        assert leases.give_back_expired() == 0
        assert (playing_now, batch.next()) == (matches[1], None)
        batch.add_result(playing_now, played(playing_now))
        assert not batch.renew()  # no lease is left to be renewed
        batch.store()
        assert states(matches)[1] == (State.FINISHED, 1)
        assert Recording.objects.count() == 2

    def test_what_a_paused_worker_lost_is_played_once_and_what_it_plays_on_counts_for_nothing(
        self, cup, after_the_first
    ):
        batch = claim()

        def lost():  # the process stood still for longer than its lease
            expire(cup)
            assert leases.give_back_expired() == 4
            again = leases.claim_many("another", BOTH, 1)
            assert leases.finish(again[0], played(again[0]))

        after_the_first(lost)
        assert playing.play(*batch)

        assert states(batch) == [(State.FINISHED, 2)] + [(State.QUEUED, 1)] * 3
        assert Recording.objects.count() == 1

    def test_a_task_claims_more_at_once_when_matches_turn_out_to_be_short(self, cup, monkeypatch):
        monkeypatch.setattr("agon.site.workers.pace.SPAN", 10.0)  # matches are short even on a busy machine
        monkeypatch.setattr(playing, "pace", Pace())
        monkeypatch.setattr(playing.worker, "_backs_off_until", 0.0)
        sizes = []
        really = leases.claim_many

        def claim_many(*args):
            sizes.append(len(claimed := really(*args)))
            return claimed

        monkeypatch.setattr(leases, "claim_many", claim_many)

        while cup.matches.filter(state=State.QUEUED).exists():
            playing.play_waiting("bulk")

        assert sizes[0] == 1
        assert max(sizes) > 1
        assert sum(sizes) == 60
        assert states(cup.matches.all()) == [(State.FINISHED, 1)] * 60
        [environment] = environments.of_tournament(cup.pk).values()
        assert (environment["sandbox"], environment["images"]) == ("bubblewrap", {})
        assert not cup.matches.filter(environment="").exists()

    @pytest.mark.exhaustive
    def test_a_worker_killed_in_the_middle_of_a_batch_loses_nothing_and_counts_nothing_twice(
        self, cup, tmp_path
    ):
        workers = Workers(tmp_path)
        try:
            first = workers.worker("interactive,bulk")
            until(lambda: is_stopped_in_a_batch(first, cup), 60, workers)
            first.send_signal(signal.SIGKILL)
            first.wait()
            held = list(cup.matches.filter(state=State.RUNNING))
            done = cup.matches.filter(state=State.FINISHED).count()
            waiting = cup.matches.filter(state=State.QUEUED).count()
            assert done == Recording.objects.count() == 60 - len(held) - waiting

            expire(cup)
            workers.worker("interactive,bulk")
            sweep()
            until(lambda: cup.matches.filter(state=State.FINISHED).count() == 60, 120, workers)
        finally:
            workers.stop_all()
        assert set(states(held)) == {(State.FINISHED, 2)}
        assert cup.matches.filter(attempt=1).count() == 60 - len(held)
        assert Recording.objects.count() == 60
        assert not Fault.objects.exists()


def is_stopped_in_a_batch(worker, tournament):
    """Stop the process; let it go on if it does not hold several matches just now."""
    worker.send_signal(signal.SIGSTOP)
    if tournament.matches.filter(state=State.RUNNING).count() > 1:
        return True
    worker.send_signal(signal.SIGCONT)
    return False
