"""One author floods the site: a newcomer does not wait for it, and those who do are told about how long."""

import time
from statistics import median

import pytest
from django.core.cache import cache

from agon.site.accounts.models import User
from agon.site.bots.models import Submission
from agon.site.bots.services import receive
from agon.site.bots.states import State
from agon.site.matches.models import Match
from agon.site.use_cases import waiting
from agon.site.workers.worker import worker as own_worker
from tests.support.processes import ROOT, Workers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.minutes, pytest.mark.serial]

FLOOD = 200
PROGRAM = (ROOT / "tests" / "bots" / "samurai" / "good.py").read_bytes()
AT_ONCE = 15.0  # seconds until the first match of a newcomer
LONG = 10.0  # seconds: shorter waits than that are not worth an estimate
SHARE = 0.9  # of the estimates, which are within a factor of two


@pytest.fixture
def workers(tmp_path, monkeypatch, settings, store):
    monkeypatch.setenv("AGON_SANDBOX", "bubblewrap")
    settings.AGON_ARTIFACTS = store
    own_worker.close()
    running = Workers(tmp_path)
    yield running
    running.stop_all()


def test_a_newcomer_plays_within_15_s_and_the_others_are_told_how_long_it_takes(
    user, competition, settings, workers
):
    settings.AGON_PENDING_PER_USER = settings.AGON_SUBMISSIONS_PER_HOUR = settings.AGON_BOTS_PER_USER = 1000
    flood = [
        receive(user, competition, f"flood{number}", "a.py", PROGRAM + b"# %d\n" % number)
        for number in range(FLOOD)
    ]
    workers.scheduler()
    workers.worker("interactive,bulk")
    workers.worker("build,interactive")
    told: dict[int, list[tuple[float, float]]] = {}  # when, and how many seconds from then
    begun: dict[int, float] = {}
    newcomer, uploaded, played = None, 0.0, 0.0
    deadline = time.monotonic() + 900
    while len(begun) < FLOOD and time.monotonic() < deadline:
        time.sleep(1)
        waits = set(Submission.objects.filter(state=State.RECEIVED).values_list("pk", flat=True))
        for upload in flood:
            if upload.pk not in waits:
                begun.setdefault(upload.pk, time.monotonic())
        cache.delete("build-queue")
        for submission in Submission.objects.filter(pk__in=sorted(waits)[::10]):
            place = waiting.of_submission(submission)
            if place is not None and place.seconds is not None:
                told.setdefault(submission.pk, []).append((time.monotonic(), place.seconds))
        if newcomer is None and len(begun) >= 10:
            bob = User.objects.create_user("bob")
            uploaded = time.monotonic()
            newcomer = receive(bob, competition, "bobs", "b.py", PROGRAM + b"# bob\n")
        plays = Match.objects.filter(qualifies=newcomer, started__isnull=False)
        if newcomer is not None and not played and plays.exists():
            played = time.monotonic()
    ratios = [
        seconds / (begun[pk] - when)
        for pk, estimates in told.items()
        if pk in begun
        for when, seconds in estimates
        if begun[pk] - when > LONG
    ]
    right = sum(0.5 <= ratio <= 2 for ratio in ratios) / max(1, len(ratios))
    print(
        f"newcomer {played - uploaded:.1f} s; {len(begun)} begun; {len(ratios)} estimates, "
        f"{right:.3f} within a factor of two, median {median(ratios or [0]):.2f}"
    )
    assert played, workers.said()[-3000:]
    assert played - uploaded < AT_ONCE
    assert right >= SHARE
