"""How long a trial waits is said beforehand, within a factor of two, when a class tries programs at once."""

import time
from statistics import median

import pytest

from agon.contest.adapters import adapter_of
from agon.site.bots import artifacts
from agon.site.matches import queueing
from agon.site.matches.models import Match
from agon.site.trials import services
from agon.site.trials.models import Trial
from agon.site.trials.states import State
from agon.site.trials.tables import one
from agon.site.trials.visitors import Visitor
from agon.site.use_cases import waiting
from agon.site.workers.worker import worker as own_worker
from games.core.manifest import load
from sandbox.building.build import build
from sandbox.uploads.accept import read_upload
from tests.support.processes import Workers

from .conftest import GAMES, PROGRAM

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.minutes,
    pytest.mark.serial,
    pytest.mark.slow,
]

CLASS = 80  # people
FLOOD = 1000  # matches of the ladder
LONG = 5.0  # seconds: the estimates of shorter waits are not counted
SHARE = 0.9  # of the estimates, which are within a factor of two


@pytest.fixture
def workers(playing, house, store, tmp_path):
    source = (GAMES / "honest_rps" / "bots" / "dice.py").read_bytes()
    built = build(read_upload("dice.py", source), own_worker.sandbox(), store, adapter_of(load("honest_rps")))
    artifacts.keep(house[1], built.artifact)
    house[1].save()
    own_worker.close()
    running = Workers(tmp_path)
    yield running
    running.stop_all()


@pytest.mark.parametrize("matches", [0, FLOOD], ids=["alone", "beside-matches"])
def test_nine_of_ten_estimates_are_within_a_factor_of_two(rps, house, workers, matches):
    for _ in range(matches):
        queueing.queue(rps, Match.Kind.LADDER, Match.Queue.BULK, house)
    workers.scheduler()
    workers.worker("interactive,bulk")
    workers.worker("build,interactive")
    table, asked = one(rps, house[0]), []

    def ask(count: int) -> None:
        for _ in range(count):
            number = len(asked)
            visitor = Visitor(None, f"person {number}", f"network {number}")
            asked.append(services.start(visitor, rps, [table], "python", f"{PROGRAM}# {number}\n"))

    ask(3)  # some have tried theirs before
    deadline = time.monotonic() + 300
    while Trial.objects.exclude(state=State.FINISHED).exists():
        assert time.monotonic() < deadline, workers.said()[-3000:]
        time.sleep(0.2)
    ask(CLASS)
    told: list[tuple[int, float, float]] = []  # trial, when, and how many seconds from then
    begun: dict[int, float] = {}
    while len(begun) < len(asked):
        assert time.monotonic() < deadline, workers.said()[-3000:]
        time.sleep(0.5)
        waits = {trial.pk: trial for trial in Trial.objects.filter(state=State.QUEUED)}
        for trial in asked:
            if trial.pk not in waits:
                begun.setdefault(trial.pk, time.monotonic())
        for pk in sorted(waits)[::10]:
            place = waiting.of_trial(waits[pk])
            if place is not None and place.seconds is not None:
                told.append((pk, time.monotonic(), place.seconds))
    ratios = [seconds / (begun[pk] - when) for pk, when, seconds in told if begun[pk] - when > LONG]
    right = sum(0.5 <= ratio <= 2 for ratio in ratios) / max(1, len(ratios))
    print(f"{len(ratios)} estimates, {right:.3f} within a factor of two, median {median(ratios or [0]):.2f}")
    assert len(ratios) > 10
    assert right >= SHARE
