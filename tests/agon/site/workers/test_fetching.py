"""A worker that can fetch no programs spoils no match; a program that is lost stops no worker."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import BotState
from agon.site.core.db.leases import ATTEMPTS
from agon.site.fleet.models import PausedWorker
from agon.site.matches import leases
from agon.site.matches.models import FailedAttempt, Match
from agon.site.matches.states import State
from agon.site.trials.models import Trial
from agon.site.use_cases import void_rule
from agon.site.workers import playing, trying
from agon.site.workers import worker as worker_module
from agon.site.workers.worker import worker

from .test_workers import closed, entered, queue, same_sandbox, sandbox

__all__ = ["closed", "same_sandbox", "sandbox"]
pytestmark = [pytest.mark.slow, pytest.mark.production]

QUICK = """
import sys
print("READY", flush=True)
sys.stdin.readline(); sys.stdin.readline()
for turn in range(1, 10):
    for _ in range(9 if turn % 2 else 8):
        sys.stdin.readline()
    print(*[turn % 6] * (5 if turn % 2 else 2), flush=True)
"""


@pytest.fixture
def four(user, competition, sandbox):
    return entered(user, competition, ["north", "east", "south", "west"], sandbox, QUICK)


@pytest.fixture(autouse=True)
def no_pause_between_failures(monkeypatch):
    monkeypatch.setattr(worker_module, "BACKOFF", 0.0)


@pytest.fixture
def empty_cache(settings, tmp_path):
    """As on a machine that has played nothing yet. The tests share the other store."""
    worker.close_boxes()
    settings.AGON_ARTIFACTS = tmp_path / "artifacts"
    settings.AGON_ARTIFACTS.mkdir()
    return settings.AGON_ARTIFACTS


@pytest.fixture
def storage_away(empty_cache):
    """The storage is not there, and no program is in the cache: as on a machine that lost its mount."""
    folder = Path(default_storage.path("artifacts"))
    away = folder.with_name("away")
    folder.rename(away)
    return lambda: away.rename(folder)


@pytest.fixture
def cache_away(empty_cache):
    """No folder can be made for the cache."""
    empty_cache.rmdir()
    empty_cache.write_text("no folder")

    def back():
        empty_cache.unlink()
        empty_cache.mkdir()

    return back


@pytest.fixture(params=["storage_away", "cache_away"])
def broken_machine(request, four, closed):
    """Breaks fetching on this machine; returns what mends it."""
    return lambda: request.getfixturevalue(request.param)


def let_time_pass():
    PausedWorker.objects.update(tried=timezone.now() - timedelta(seconds=11))


@pytest.mark.first(1)
def test_such_a_worker_gives_matches_back_unharmed_stops_and_says_so(four, closed, broken_machine):
    matches = queue(closed, four, 30)
    mend = broken_machine()
    for _ in range(5):
        playing.play_waiting("bulk")
    assert set(Match.objects.values_list("state", "attempt")) == {(State.QUEUED, 0)}
    assert not FailedAttempt.objects.exists()
    [paused] = PausedWorker.objects.all()
    assert worker.name.startswith(f"{paused.worker}:")
    assert "could not be fetched" in str(paused.details)
    boss = Client()
    boss.force_login(User.objects.create_superuser("boss"))
    assert paused.worker in boss.get("/admin/fleet/pausedworker/").content.decode()
    assert "could not be fetched" not in Client().get(matches[0].get_absolute_url()).content.decode()
    mend()


@pytest.mark.first(1)
def test_it_goes_on_by_itself_when_fetching_works_again(four, closed, broken_machine):
    queue(closed, four)
    mend = broken_machine()
    playing.play_waiting("bulk")
    let_time_pass()
    playing.play_waiting("bulk")
    assert PausedWorker.objects.count() == 1, "it tried, and failed again"
    mend()
    playing.play_waiting("bulk")
    assert PausedWorker.objects.count() == 1, "it has just tried"
    let_time_pass()
    playing.play_waiting("bulk")
    assert not PausedWorker.objects.exists()
    assert set(Match.objects.values_list("state", "attempt")) == {(State.FINISHED, 1)}


@pytest.mark.first(1)
def test_what_it_was_to_play_another_worker_plays_meanwhile(four, closed, broken_machine, monkeypatch):
    [match] = queue(closed, four)
    mend = broken_machine()
    playing.play_waiting("bulk")
    mend()
    monkeypatch.setattr(type(worker), "name", "another machine:core0:1")
    playing.play_waiting("bulk")
    match.refresh_from_db()
    assert (match.state, match.attempt) == (State.FINISHED, 1)
    assert PausedWorker.objects.count() == 1


@pytest.mark.first(1)
def test_it_gives_trials_back_as_well(user, four, closed, broken_machine, settings):
    Bot.objects.update(house=True)
    trial = Trial.objects.create(
        competition=closed, name="mine", language="python", text=QUICK, opponent=four[0]
    )
    mend = broken_machine()
    store = settings.AGON_ARTIFACTS
    assert trying.play_next()
    trial.refresh_from_db()
    if store.is_dir():  # else it cannot be built either
        assert (trial.state, trial.attempt) == ("queued", 0)
        assert PausedWorker.objects.count() == 1
    assert "/" not in str(trial.reason)
    mend()


LOST = ["gone", "empty", "cut", "no tar", "no longer named"]


@pytest.fixture(params=[LOST[0], *(pytest.param(way, marks=pytest.mark.exhaustive) for way in LOST[1:])])
def lost(request, four, closed, empty_cache):
    """A program that no machine can fetch, though all the others can be."""
    broken = four[2]
    path = Path(broken.artifact.path)
    if request.param == "gone":
        path.unlink()
    elif request.param == "empty":
        path.write_bytes(b"")
    elif request.param == "cut":
        path.write_bytes(path.read_bytes()[:700])
    elif request.param == "no tar":
        path.write_bytes(b"x" * 4096)
    else:
        Submission.objects.filter(pk=broken.pk).update(artifact="")
    return broken


def test_a_match_whose_program_is_lost_is_void_and_the_worker_plays_on(four, closed, lost):
    [match] = queue(closed, four)
    others = [submission for submission in four if submission != lost]
    [next_one] = queue(closed, [*others, others[0]])
    for _ in range(ATTEMPTS + 1):
        playing.play_waiting("bulk")
    match.refresh_from_db()
    next_one.refresh_from_db()
    assert (match.state, str(match.reason)) == (State.VOID, "the built program of a bot was lost")
    assert next_one.state == State.FINISHED
    assert set(match.failed_attempts.values_list("kind", flat=True)) == {"artifact"}
    assert not PausedWorker.objects.exists()


def test_the_bot_whose_program_was_lost_is_not_blamed_for_it(four, closed, lost):
    others = [submission for submission in four if submission != lost]
    for _ in range(8):
        queue(closed, [*others, others[0]])
        [match] = queue(closed, four)
        while (claimed := leases.claim("host:core0:1")) is not None:
            playing.play(claimed)
        match.refresh_from_db()
        assert match.state == State.VOID
    void_rule.of_competition(closed, match)
    assert not Bot.objects.filter(state=BotState.STOPPED).exists()


def test_if_the_latest_programs_are_lost_the_older_ones_show_that_the_machine_works(
    four, closed, empty_cache
):
    for submission in four[1:]:
        Path(submission.artifact.path).unlink()
    queue(closed, four)
    for _ in range(ATTEMPTS):
        playing.play_waiting("bulk")
    assert Match.objects.get().state == State.VOID
    assert not PausedWorker.objects.exists()
