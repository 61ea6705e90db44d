"""A machine that has not proven itself is given no matches, and says why; it goes on when that is mended."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots import languages
from agon.site.fleet import heartbeat
from agon.site.fleet.models import PausedWorker, Process
from agon.site.matches.models import Match
from agon.site.matches.states import State
from agon.site.web.fleet import metrics
from agon.site.workers import playing, proving
from agon.site.workers import worker as worker_module
from agon.site.workers.worker import worker
from sandbox.languages import registry

from .test_fetching import QUICK, no_pause_between_failures
from .test_workers import closed, entered, queue, same_sandbox, sandbox

__all__ = ["closed", "no_pause_between_failures", "same_sandbox", "sandbox"]
pytestmark = [pytest.mark.slow, pytest.mark.production, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def four(user, competition, sandbox):
    return entered(user, competition, ["north", "east", "south", "west"], sandbox, QUICK)


@pytest.fixture
def elsewhere(monkeypatch):
    """This process is a worker of a machine elsewhere that was just started."""
    monkeypatch.setenv(proving.ELSEWHERE, "on")
    own = proving.Proof()
    monkeypatch.setattr(worker_module, "proof", own)
    cache.delete(languages.OFFERED)
    yield own
    cache.delete(languages.OFFERED)


class Generous:
    """The sandbox of a machine whose kernel takes the limits and does not keep one of them."""

    def __init__(self, real, **unkept):
        self.real, self.unkept = real, unkept

    def __getattr__(self, name):
        return getattr(self.real, name)

    def open(self, artifact, limits):
        return self.real.open(artifact, replace(limits, **self.unkept))


def why_paused():
    [paused] = PausedWorker.objects.all()
    assert worker.name.startswith(f"{paused.worker}:")
    return str(paused.details)


def play_a_while_later():
    PausedWorker.objects.update(tried=timezone.now() - timedelta(seconds=11))
    playing.play_waiting("bulk")


def assert_it_plays(match):
    play_a_while_later()
    match.refresh_from_db()
    assert match.state == State.FINISHED
    assert not PausedWorker.objects.exists()


@pytest.mark.parametrize(
    ("limit", "unkept"),
    [
        ("memory", {"memory_mib": 1024}),
        pytest.param("processes", {"processes": 200}, marks=pytest.mark.exhaustive),
        pytest.param("files", {"work_mib": 200}, marks=pytest.mark.exhaustive),
    ],
)
def test_one_that_does_not_keep_a_limit_is_paused_until_it_does(
    four, closed, elsewhere, monkeypatch, limit, unkept
):
    [match] = queue(closed, four)
    real = worker.sandbox()
    monkeypatch.setattr(worker, "_sandbox", Generous(real, **unkept))
    playing.play_waiting("bulk")
    assert f"the limit of {limit} does not hold here: a bot got" in why_paused()
    assert list(Match.objects.values_list("state", "attempt")) == [(State.QUEUED, 0)]

    facts = {"worker": worker.name, "queues": ["bulk"]}
    heartbeat.Heartbeat("worker-0", Process.Kind.PLAYER, lambda: facts).beat()
    boss = Client()
    boss.force_login(User.objects.create_superuser("boss"))
    assert f"the limit of {limit} does not hold" in boss.get("/operate/").content.decode()
    assert b'agon_workers{state="paused"} 1.0' in metrics.text()

    monkeypatch.setattr(worker, "_sandbox", real)
    assert_it_plays(match)
    assert elsewhere.speed_ms > 0


@pytest.mark.exhaustive
def test_one_without_a_language_that_the_site_offers_is_paused(four, closed, elsewhere, monkeypatch):
    queue(closed, four)
    broken = replace(registry.get("python"), slug="python", version=("no-such-program", "--version"))
    monkeypatch.setattr(proving.registry, "get", lambda slug: broken)
    monkeypatch.setattr(
        proving.selftest, "state", lambda *_: proving.selftest.LanguageState(broken, "", False, "gone")
    )
    cache.set(languages.OFFERED, ["python"])
    playing.play_waiting("bulk")
    assert why_paused() == "Python does not work here: gone"
    monkeypatch.undo()


@pytest.mark.exhaustive
def test_one_whose_clock_jumps_is_paused_until_it_is_right_again(four, closed, monkeypatch):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no clock of its own")
    own = proving.Proof()
    monkeypatch.setattr(worker_module, "proof", own)
    queue(closed, four, 2)
    monkeypatch.setattr(playing, "SLICE", 0.0)
    playing.play_waiting("bulk")
    assert Match.objects.filter(state=State.FINISHED).count() == 1

    right = proving.wall_clock
    monkeypatch.setattr(proving, "wall_clock", lambda: right() + 3600)
    monkeypatch.setattr(own, "_clock_until", 0.0)
    playing.play_waiting("bulk")
    assert why_paused().startswith("the clock of this machine is 3600 s ahead of the database's")
    assert Match.objects.filter(state=State.FINISHED).count() == 1

    monkeypatch.setattr(proving, "wall_clock", right)
    assert_it_plays(Match.objects.get(state=State.QUEUED))
