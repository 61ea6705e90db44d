"""Matches that are shown while they are played: by this process, and by a worker that is killed."""

import signal
import threading
import time
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from agon.site.bots.models import Submission
from agon.site.bots.services import receive_text
from agon.site.matches import broadcasts, leases, queueing, records
from agon.site.matches.models import Match
from agon.site.matches.states import State
from agon.site.use_cases import qualification
from agon.site.workers import broadcasting, building, playing
from agon.site.workers.tasks import sweep
from agon.site.workers.worker import worker as own_worker
from games.core.public import public_frames
from sandbox.backends import open_sandbox
from tests.support.processes import Workers, until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production, pytest.mark.slow]

SLOW = """
import sys, time
print("READY", flush=True)
for line in sys.stdin:
    if line[-2:] in ("D\\n", "N\\n"):
        time.sleep({pause})
        print(*[{lord}] * (5 if line[-2] == "D" else 2), flush=True)
"""


@pytest.fixture(scope="module")
def sandbox():
    opened = open_sandbox("bubblewrap")
    yield opened
    opened.close()
    own_worker.close()


@pytest.fixture(autouse=True)
def same_sandbox(monkeypatch, settings, store):
    monkeypatch.setenv("AGON_SANDBOX", "bubblewrap")
    settings.AGON_ARTIFACTS = store
    cache.clear()


@pytest.fixture
def enter(user, competition, sandbox):
    """Enter four bots that take so many seconds for an answer; the ladder queues nothing."""

    def entered(pause):
        for lord, name in enumerate(["north", "east", "south", "west"]):
            receive_text(user, competition, name, SLOW.format(pause=pause, lord=lord), "python")
        competition.state = competition.State.CLOSED
        competition.save()
        while building.build_next(sandbox):
            pass
        submissions = list(Submission.objects.order_by("pk"))
        for submission in submissions:
            qualification.activate(submission)
        competition.matches.all().delete()
        return submissions

    return entered


@pytest.fixture
def four(enter):
    return enter(0.1)


def queued(competition, submissions):
    return queueing.queue(competition, Match.Kind.LADDER, Match.Queue.BULK, submissions, seed=7)


class Reader:
    """Notes, beside the match, every number of frames that is shown of it."""

    def __init__(self, match):
        self.match, self.seen = match, [0]
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._read)

    def _read(self):
        while not self._is_over.wait(0.01):
            frames = broadcasts.published(self.match).frames
            if len(frames) > self.seen[-1]:
                self.seen.append(len(frames))
                self.frames = frames

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *error):
        self._is_over.set()
        self._thread.join()


def played(competition, four):
    """A match of these bots that this process plays now; what was shown of it."""
    queued(competition, four)
    match = leases.claim(own_worker.name)
    with Reader(match) as reader:
        assert playing.play(match)
    return match, reader


def test_a_watched_match_is_shown_in_time_and_its_record_is_no_other(competition, four, monkeypatch, caplog):
    monkeypatch.setattr(broadcasting, "FIRST", 0.0)
    monkeypatch.setattr(broadcasting, "EVERY", 0.05)
    _, reader = played(competition, four)
    assert reader.seen == [0]

    monkeypatch.setattr(broadcasts, "is_watched", lambda match: True)
    watched, reader = played(competition, four)
    log = records.log(Match.objects.get(pk=watched.pk))
    assert len(reader.seen) > 3  # it grew while the match went on
    public = public_frames("samurai", log.frames)
    assert [frame for _, frame in reader.frames] == public[: len(reader.frames)]
    assert [step for step, _ in reader.frames] == list(range(-1, len(reader.frames) - 1))
    bytes_of = [bytes(match.recording.record) for match in Match.objects.order_by("pk")]
    assert bytes_of[0] == bytes_of[1]
    assert "Traceback" not in caplog.text
    deadline = time.monotonic() + 20
    while broadcasts.published(watched).frames:  # it is over: nothing of it stays behind
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_nothing_is_published_of_a_match_that_ends_within_a_second(competition, four, monkeypatch):
    """FIRST is as in a site, but as long as this match."""
    monkeypatch.setattr(broadcasting, "FIRST", 60.0)
    monkeypatch.setattr(broadcasting, "EVERY", 0.01)
    monkeypatch.setattr(broadcasts, "is_watched", lambda match: True)
    asked = []
    monkeypatch.setattr(broadcasts, "publish", lambda *args: asked.append(args))
    played(competition, four)
    assert asked == []


def test_what_is_shown_of_a_match_is_bounded(competition, four, monkeypatch):
    monkeypatch.setattr(broadcasting, "FIRST", 0.0)
    monkeypatch.setattr(broadcasting, "EVERY", 0.05)
    monkeypatch.setattr(broadcasting, "MOST_BYTES", 1000)
    monkeypatch.setattr(broadcasts, "is_watched", lambda match: True)
    _, reader = played(competition, four)
    assert 1 < reader.seen[-1] < 9


def test_a_match_whose_frames_cannot_be_shown_is_played_all_the_same(competition, four, monkeypatch, caplog):
    monkeypatch.setattr(broadcasting, "FIRST", 0.0)
    monkeypatch.setattr(broadcasting, "EVERY", 0.05)
    monkeypatch.setattr(broadcasts, "is_watched", lambda match: True)
    monkeypatch.setattr("games.samurai.public.public", lambda frame: frame["nothing"])
    match, reader = played(competition, four)
    assert reader.seen == [0]
    assert Match.objects.get(pk=match.pk).state == State.FINISHED
    assert caplog.text.count("cannot be shown while it is played") == 1


@pytest.mark.exhaustive
def test_a_worker_killed_while_its_match_is_watched_leaves_nothing_stale(competition, enter, tmp_path):
    match = queued(competition, enter(0.5))
    address, browser = f"{match.get_absolute_url()}live.json", Client()
    workers = Workers(tmp_path)
    try:
        first = workers.worker("interactive,bulk")
        until(lambda: len(browser.get(address).json().get("frames", [])) > 1, 60, workers)
        first.send_signal(signal.SIGKILL)
        first.wait()
        assert browser.get(address).json()["state"] == State.RUNNING  # nobody knows yet
        Match.objects.filter(pk=match.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
        sweep()
        assert browser.get(address).json() == {"state": State.QUEUED, "attempt": 1}

        workers.worker("interactive,bulk")
        until(lambda: browser.get(address).json().get("attempt") == 2, 60, workers)
        shown = browser.get(address).json()
        assert shown.get("frames", []) == [] or shown["from"] == 0
        until(lambda: len(browser.get(address).json().get("frames", [])) > 1, 60, workers)
        until(lambda: browser.get(address).json()["state"] == State.FINISHED, 60, workers)
    finally:
        workers.stop_all()
    assert Match.objects.get(pk=match.pk).attempt == 2
