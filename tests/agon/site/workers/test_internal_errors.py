"""An unforeseen error is in the worker's log with all details, and on no page that others may read."""

import pytest
from django.db import OperationalError

from agon.site.bots.services import receive
from agon.site.bots.states import State
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.workers import building, playing
from tests.support.factories import activate

SECRET = 'connection to server at "db" (10.0.0.7) failed: FATAL: no password for user "agon"'
SAID = "internal error (OperationalError); see the worker log"


@pytest.fixture
def broken():
    def call(*args, **kwargs):
        raise OperationalError(SECRET)

    return call


def test_a_match_says_only_what_kind_of_failure_it_was(user, coup, broken, monkeypatch, caplog):
    queueing.queue(coup, Match.Kind.LADDER, Match.Queue.BULK, activate(user, coup, ["Rita", "Sue"]))
    monkeypatch.setattr(playing.worker, "pool", broken)
    monkeypatch.setattr("agon.site.bots.artifacts.fetch", lambda submission: None)
    assert not playing.play(leases.claim("w"))
    match = Match.objects.get()
    assert (match.state, str(match.reason)) == ("queued", "the platform failed")
    assert str(match.failed_attempts.get().details) == SAID
    assert SECRET in caplog.text


def test_and_so_does_a_build(user, competition, broken, monkeypatch, caplog):
    submission = receive(user, competition, "Rita", "rita.py", b"print('READY')\n")
    monkeypatch.setattr("sandbox.building.build.build", broken)
    assert building.build_next(None)
    submission.refresh_from_db()
    assert (submission.state, SAID in str(submission.reason)) == (State.RECEIVED, True)
    assert SECRET not in str(submission.reason)
    assert SECRET in caplog.text
