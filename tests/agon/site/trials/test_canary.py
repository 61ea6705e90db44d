"""The canary: the site tries a program by itself, notes how that ended, and disturbs nothing."""

from datetime import timedelta

import pytest
from django.test import Client

from agon.site.accounts.models import User
from agon.site.core.db.leases import now
from agon.site.events.models import Event
from agon.site.fleet.models import Canary
from agon.site.leaderboards.models import Rating
from agon.site.matches.models import Match
from agon.site.trials.models import Trial
from agon.site.use_cases import canary
from agon.site.workers import tasks, trying

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def every_five_minutes(settings):
    settings.AGON_CANARY_SECONDS = 300


@pytest.fixture
def playing(playing, house):
    """Both house bots have the program of the weakest."""
    for name in ("artifact", "artifact_digest", "artifact_bytes", "digest"):
        setattr(house[1], name, getattr(house[0], name))
    house[1].save()
    return playing


def later(seconds=301):
    Canary.objects.update(asked=now() - timedelta(seconds=seconds))


@pytest.mark.slow
def test_it_is_played_and_noted_and_leaves_nothing_behind(house, playing):
    before = (Event.objects.count(), Rating.objects.count(), Match.objects.count(), User.objects.count())
    canary.tick()
    trial = Trial.objects.get()
    assert (trial.person, trial.owner) == ("canary", None)
    canary.tick()  # while it waits
    assert Trial.objects.get() == trial
    assert canary.status().succeeded is None
    assert trying.play_next()
    trial.refresh_from_db()
    assert trial.state == "finished", (trial.state, trial.reason, trial.build_log)
    canary.tick()
    assert not Trial.objects.exists()
    status = canary.status()
    assert status.why == ""
    assert now() - status.succeeded < timedelta(minutes=5)
    assert status.seconds > 0
    assert status.age < timedelta(minutes=5)
    assert before == (
        Event.objects.count(),
        Rating.objects.count(),
        Match.objects.count(),
        User.objects.count(),
    )
    boss = Client()
    boss.force_login(User.objects.create_superuser("boss"))
    assert "with success:" in boss.get("/operate/").content.decode()

    canary.tick()  # not before its time
    assert not Trial.objects.exists()
    later()
    canary.tick()
    assert Trial.objects.count() == 1


def test_one_that_waits_is_left_waiting_and_its_age_grows(house, playing):
    canary.tick()
    Canary.objects.update(since=now() - timedelta(hours=2), asked=now() - timedelta(hours=2))
    canary.tick()
    assert Trial.objects.count() == 1
    assert canary.status().age >= timedelta(hours=2)


@pytest.mark.slow
def test_a_failure_is_told_and_the_next_success_takes_it_away(house, playing, caplog):
    canary.tick()
    Trial.objects.update(text="def bot(\n")
    assert trying.play_next()
    canary.tick()
    assert "rejected" in canary.status().why
    assert canary.status().succeeded is None
    assert "the canary failed" in caplog.text
    later()
    canary.tick()
    assert trying.play_next()
    canary.tick()
    assert canary.status().why == ""


def test_a_trial_that_vanished_is_told(house, playing):
    canary.tick()
    Trial.objects.all().delete()
    canary.tick()
    assert canary.status().why == "its trial was removed before it was over"


def test_without_anything_to_play_it_says_so_once_the_site_is_no_longer_new(db, caplog):
    canary.tick()
    assert canary.status().why == ""  # the house bots may still be built
    assert caplog.records == []
    Canary.objects.update(since=now() - timedelta(minutes=11))
    canary.tick()
    assert canary.status().why == "no open competition has a starter and a house bot that plays"


def test_it_can_be_turned_off(house, settings):
    settings.AGON_CANARY_SECONDS = 0
    tasks.sweep()
    assert not Trial.objects.exists()
    assert canary.status() is None


def test_the_sweep_sends_it_and_two_at_a_time_send_one(house, playing):
    tasks.sweep()
    assert Trial.objects.filter(person="canary").count() == 1
    row = Canary.objects.get()
    Canary.objects.update(token="", asked=now() - timedelta(hours=1))
    stale = Canary.objects.get()
    Trial.objects.all().delete()
    canary.tick()
    canary._send(stale, now())  # another sweep that read the row before
    assert Trial.objects.count() == 1
    assert row.pk == 1
