"""What the sweeper cannot do for one it does for all the others."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agon.site.bots.models import Submission
from agon.site.bots.states import State as SubmissionState
from agon.site.competitions.models import Competition
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.matches.states import State
from agon.site.tournaments import services
from agon.site.tournaments.models import Tournament
from agon.site.workers.tasks import sweep
from tests.support.factories import activate, active_bots, submit

Kind, Queue = Match.Kind, Match.Queue


@pytest.fixture
def sent(monkeypatch):
    """The queues that workers are told of."""
    told = set()
    monkeypatch.setattr("agon.site.workers.tasks.notify_now", lambda queue, waiting: told.add(queue))
    return told


@pytest.fixture
def gone(user, competition):
    """A running tournament and a ladder of a game whose folder is no longer there."""
    bots = active_bots(user, competition, ["Una", "Sue", "Tom", "Ute"])
    cup = services.create(user, competition, "Cup", "rotations", 1, 1, bots)
    services.start(cup)
    cup.matches.all().delete()
    Tournament.objects.update(scheduled=0)
    Competition.objects.filter(pk=competition.pk).update(game="gone")
    Submission.objects.filter(pk=submit(user, competition).pk).update(state=SubmissionState.BUILT)
    return cup


def test_a_competition_whose_game_is_gone_keeps_no_other_from_going_on(gone, user, coup, sent, caplog):
    rita, sue = activate(user, coup, ["Rita", "Sue"])
    cup = services.create(user, coup, "Cup", "round_robin", 1, 1, [rita.bot, sue.bot])
    services.start(cup)
    cup.matches.all().delete()
    Tournament.objects.filter(pk=cup.pk).update(scheduled=0)
    tried = submit(user, coup, "Tom", SubmissionState.BUILT)

    sweep()

    assert cup.matches.count() == 2
    assert coup.matches.filter(kind=Kind.LADDER).exists()
    tried.refresh_from_db()
    assert tried.state == SubmissionState.QUALIFYING
    assert sent == {Queue.INTERACTIVE, Queue.BULK}
    assert "there is no game" not in caplog.text  # the site said so when it was started


def test_a_match_that_cannot_be_given_back_keeps_no_other_from_being_played_again(user, coup, sent, caplog):
    """The first is a qualification of nothing."""
    rita, sue = activate(user, coup, ["Rita", "Sue"])
    queueing.queue(coup, Kind.QUALIFICATION, Queue.INTERACTIVE, [rita, sue])
    queueing.queue(coup, Kind.LADDER, Queue.INTERACTIVE, [rita, sue])
    first, second = leases.claim("w"), leases.claim("w")
    Match.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    Match.objects.filter(pk=first.pk).update(attempt=3)

    sweep()

    assert Match.objects.get(pk=second.pk).state == State.QUEUED
    assert Match.objects.get(pk=first.pk).state == State.RUNNING
    assert f"give_back failed with {first.pk}" in caplog.text
