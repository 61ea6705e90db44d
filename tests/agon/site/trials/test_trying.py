"""A trial on a worker: built and played for real, leased like a match, and gone after a day."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from agon.contest.adapters import adapter_of
from agon.site.bots import artifacts
from agon.site.bots.models import Submission
from agon.site.core.db.leases import ATTEMPTS
from agon.site.leaderboards.models import Leaderboard
from agon.site.matches.models import Match, WorkerTime
from agon.site.trials.models import Trial
from agon.site.trials.states import State
from agon.site.workers import tasks, trying
from agon.site.workers.worker import worker
from games.core.manifest import load
from sandbox.building.build import build
from sandbox.uploads.accept import read_upload

from .conftest import PROGRAM

BROKEN = "def bot(their_past, my_past, their_claim, my_claim)\n    return 'R'\n"
CRASHING = "def bot(their_past, my_past, their_claim, my_claim):\n    return their_past[0]\n"
TALKING = """import sys

def bot(their_past, my_past, their_claim, my_claim):
    print('@debug {"bars": {"rounds": %d}}' % len(my_past), file=sys.stderr)
    return "R"
"""
SLOW = "import time\n\ndef bot(a, b, c, d):\n    time.sleep(0.05)\n    return 'R'\n"


def part(client: Client) -> str:
    return client.get(Trial.objects.get().get_absolute_url(), headers={"HX-Request": "true"}).content.decode()


@pytest.mark.slow
def test_a_program_is_built_and_played_and_counts_nowhere(client, tried, playing, rps):
    before = Leaderboard.objects.get(competition=rps).version
    tried(client)
    tasks.try_programs("interactive")
    trial = Trial.objects.get()
    assert trial.state == State.FINISHED, trial.reason
    page = part(client)
    assert "without a fault" in page
    assert "Your program won. Choose a stronger opponent" in page
    assert "You have beaten 1 of 2 house bots." in page
    log = client.get(f"{trial.get_absolute_url()}log.json").json()
    assert [seat["name"] for seat in log["seats"]] == ["Your program", "Fibber"]

    assert not Match.objects.exists()
    assert not WorkerTime.objects.exists()
    assert Submission.objects.filter(bot__house=False).count() == 0
    assert Leaderboard.objects.get(competition=rps).version == before
    assert trial.used > 0


@pytest.mark.slow
def test_a_tie_for_first_place_is_no_loss(client, tried, playing, house, store):
    """Against its own copy."""
    source = read_upload("bot.py", PROGRAM.encode())
    built = build(source, worker.sandbox(), store, adapter_of(load("honest_rps")))
    artifacts.keep(house[0], built.artifact)
    house[0].save()
    tried(client)
    tasks.try_programs("interactive")
    page = part(client)
    assert "Your program tied for first place." in page
    assert "did not win" not in page


@pytest.mark.slow
def test_a_crash_is_shown_with_its_line_and_what_was_printed(client, tried, playing):
    tried(client, CRASHING)
    assert trying.play_next()
    page = part(client)
    assert "Line 2: a list or a text has no element with this number" in page
    assert 'data-line="2"' in page
    assert "Traceback (most recent call last)" in page


@pytest.mark.slow
def test_what_a_program_wrote_is_shown_to_its_author_at_the_round_in_which_it_wrote_it(
    client, tried, playing
):
    tried(client, TALKING)
    assert trying.play_next()
    address = f"{Trial.objects.get().get_absolute_url()}debug.json"
    assert f'data-debug="{address}"' in part(client)
    pieces = client.get(address).json()["pieces"]
    assert [(piece["frame"], piece["overlay"]) for piece in pieces] == [
        (number, {"bars": {"rounds": number}}) for number in range(250)
    ]
    assert Client().get(address).status_code == 404


@pytest.mark.slow
def test_a_program_that_cannot_be_built_is_rejected_with_its_line(client, tried, playing):
    tried(client, BROKEN)
    assert trying.play_next()
    assert Trial.objects.get().state == State.REJECTED
    assert "Line 1: a colon is missing" in part(client)


@pytest.mark.slow
def test_a_match_that_is_too_long_for_a_trial_is_given_up_at_once(client, tried, playing, monkeypatch):
    monkeypatch.setattr(trying, "LONGEST", 1)
    tried(client, SLOW)
    assert trying.play_next()
    trial = Trial.objects.get()
    assert (trial.state, trial.attempt) == (State.FAILED, 1)
    assert "took longer than 1 s" in part(client)


@pytest.mark.production
@pytest.mark.slow
def test_a_trial_whose_opponent_was_deleted_meanwhile_ends_at_once_in_words(client, tried, playing, house):
    tried(client)
    artifacts.forget(house[0].pk)
    Submission.objects.filter(pk=house[0].pk).update(artifact_digest="0" * 64)  # none that is cached here
    assert trying.play_next()
    trial = Trial.objects.get()
    assert (trial.state, trial.attempt) == (State.FAILED, 1)
    assert "The program of an opponent is no longer kept. Choose another one." in part(client)


def test_one_worker_gets_a_trial_the_oldest_first(client, tried):
    tried(client)
    tried(Client())
    first, second = Trial.objects.order_by("pk")
    assert [trying.claim("one"), trying.claim("two"), trying.claim("three")] == [first, second, None]


@pytest.mark.production
def test_a_trial_of_a_lost_worker_is_played_again_and_given_up_in_the_end(client, tried):
    tried(client)
    for attempt in range(1, ATTEMPTS + 1):
        claimed = trying.claim("one")
        assert claimed.attempt == attempt
        assert trying.clean_up() == 0
        Trial.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        assert trying.clean_up() == 1
    trial = Trial.objects.get()
    assert trial.state == State.FAILED
    assert "the worker was lost" in part(client)


def test_a_result_that_comes_too_late_changes_nothing(client, tried, playing):
    tried(client, BROKEN)
    late = trying.claim("one")
    Trial.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    trying.clean_up()
    trying.claim("two")
    trying._play(late, 0.0)
    assert Trial.objects.get().state == State.RUNNING


def test_a_trial_is_gone_after_a_day(client, tried):
    tried(client)
    Trial.objects.update(created=timezone.now() - timedelta(hours=25), state=State.FINISHED)
    tasks.sweep()
    assert not Trial.objects.exists()


LOUD = """import base64, os, sys

def bot(their_past, my_past, their_claim, my_claim):
    print(base64.b64encode(os.urandom(9000)).decode(), file=sys.stderr)
    return "R"
"""


@pytest.mark.slow
def test_all_trials_together_keep_a_bounded_number_of_bytes_the_newest(client, tried, playing, settings):
    """A visitor used to be able to fill the disk, after which uploads stopped for everyone."""
    settings.AGON_TRIALS_MIB = 1
    newest = []
    for _ in range(3):
        assert tried(client, LOUD).status_code < 400
        tasks.try_programs("interactive")
        trial = Trial.objects.latest("id")
        blobs = (trial.record, trial.times, trial.stderr, trial.stderr_asks)
        assert trial.stored_bytes == sum(map(len, (trial.text, trial.build_log, *blobs)))
        assert len(trial.stderr) > 40 << 10
        newest.append(trial.pk)
        Trial.objects.update(stored_bytes=500 << 10)
    assert list(Trial.objects.order_by("id").values_list("id", flat=True)) == newest[1:]


def test_a_worker_that_played_one_leaves_as_much_time_to_matches_that_wait(client, tried, monkeypatch, rps):
    clock = [1000.0]
    monkeypatch.setattr(trying.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(trying, "_play", lambda trial, began: clock.__setitem__(0, clock[0] + 4.0))
    tried(client)
    assert trying.play_next()
    assert not trying.is_yielding()  # nobody else waits
    Match.objects.create(competition=rps, kind=Match.Kind.LADDER, queue=Match.Queue.BULK, seed=1)
    assert trying.is_yielding()
    clock[0] += 4.1
    assert not trying.is_yielding()


def test_the_sweeper_notifies_of_a_trial_whose_notice_was_lost(client, tried, monkeypatch):
    sent = []
    tried(client)
    monkeypatch.setattr("agon.site.trials.services.request_task", lambda *args: sent.append(args[0]))
    trying.clean_up()
    assert sent == ["agon.site.workers.tasks.try_programs"]
