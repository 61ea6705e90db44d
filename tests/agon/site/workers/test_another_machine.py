"""A machine elsewhere plays over TLS with a role of its own; its cable is pulled in mid-match."""

import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.utils import timezone

from agon.site.core.storage import storage_setting
from agon.site.fleet import worker_role
from agon.site.fleet.models import Process
from agon.site.leaderboards.models import Rating
from agon.site.matches import leases
from agon.site.matches.models import FailedAttempt, Match, Recording
from agon.site.matches.states import State
from agon.site.workers import playing
from tests.support import networks, s3
from tests.support.processes import ROOT, Workers, until

from .test_workers import SLOW, entered, queue, same_sandbox, sandbox

__all__ = ["same_sandbox", "sandbox"]
pytestmark = [pytest.mark.slow, pytest.mark.production, pytest.mark.django_db(transaction=True)]
MACHINE = "far-away"


@pytest.fixture
def far():
    if os.geteuid() != 0:
        pytest.skip("only root makes network namespaces")
    if connection.vendor != "postgresql" or "REDIS_URL" not in os.environ:
        pytest.skip("a machine elsewhere needs PostgreSQL and Redis")
    with networks.elsewhere() as network:
        yield network


@pytest.fixture
def environment(far, tmp_path, settings):
    """All that the machine elsewhere knows."""
    pair = networks.certificate(tmp_path, far.here)
    redis, database = urlsplit(os.environ["REDIS_URL"]), connection.settings_dict
    role = worker_role.allow(MACHINE, "of-a-test")
    with (
        s3.bucket(far.here, pair) as bucket,
        networks.tls_door(far.here, int(database["PORT"]), pair, postgres=True) as postgres_port,
        networks.tls_door(far.here, redis.port, pair) as redis_port,
    ):
        settings.STORAGES = settings.STORAGES | {"default": storage_setting(bucket.setting, Path("unused"))}
        yield {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "platform")]),
            "AGON_MACHINE": MACHINE,
            "AGON_VAR": str(tmp_path / "far"),
            "AGON_SANDBOX": "bubblewrap",
            "AGON_CA": pair[0],
            "DATABASE_URL": f"postgres://{role}:of-a-test@{far.here}:{postgres_port}/{database['NAME']}",
            "REDIS_URL": f"rediss://{far.here}:{redis_port}{redis.path}",
            "STORAGE": bucket.setting.partition("?")[0],
        }
    worker_role.shut_out(MACHINE)
    worker_role.suspend()


@pytest.fixture
def machine(far, environment, tmp_path):
    """The workers of that machine, by the documented command."""
    (tmp_path / "far").mkdir()
    said = Workers(tmp_path)
    with open(tmp_path / "worker-far.log", "wb") as log:
        started = subprocess.Popen(
            far.command(sys.executable, "-m", "agon.supervisor.workers", "players"),
            env=environment,
            cwd=tmp_path,
            stdout=log,
            stderr=log,
        )
    yield said
    started.terminate()
    started.wait(60)


CLAIM_AND_HANG = """
import time, django
django.setup()
from django.db import transaction
from agon.site.matches.models import Match
with transaction.atomic():
    print(Match.objects.select_for_update().get().pk, flush=True)
    time.sleep(600)
"""


@pytest.mark.exhaustive
def test_a_machine_that_is_cut_off_in_the_middle_of_a_claim_keeps_its_match_for_a_minute(
    environment, user, competition, sandbox, far
):
    [match] = queue(competition, entered(user, competition, ["north", "east", "south", "west"], sandbox))
    competition.state = competition.State.CLOSED
    competition.save()
    command = far.command(sys.executable, "-c", CLAIM_AND_HANG)
    settings = {"DJANGO_SETTINGS_MODULE": "agon.site.settings", "SECRET_KEY": "of this program alone"}
    with subprocess.Popen(command, env=environment | settings, stdout=subprocess.PIPE) as claiming:
        assert claiming.stdout is not None
        assert int(claiming.stdout.readline()) == match.pk
        far.pull()
        pulled = time.monotonic()
        assert leases.claim("here:core0:1") is None, "it is locked, and nothing waits for the lock"

        until(lambda: leases.claim("here:core0:1"), 150, Workers(Path("unused")))

        assert time.monotonic() - pulled < 90
        claiming.kill()


def play_here() -> bool:
    """Play what can be claimed; True if all matches are over."""
    while waiting := leases.claim("here:core0:1"):
        assert playing.play(waiting)
    return not Match.objects.exclude(state=State.FINISHED).exists()


@pytest.mark.exhaustive
def test_a_match_whose_machine_is_cut_off_is_played_once_and_counts_once(
    environment, user, competition, sandbox, far, machine
):
    four = entered(user, competition, ["north", "east", "south", "west"], sandbox, SLOW)
    competition.state = competition.State.CLOSED
    competition.save()
    until(lambda: Process.objects.filter(machine=MACHINE, kind="player").exists(), 120, machine)
    queue(competition, four, 2)
    until(
        lambda: Match.objects.filter(worker__startswith=f"{MACHINE}:", state=State.RUNNING).exists(),
        120,
        machine,
    )

    far.pull()
    cut = Match.objects.get(state=State.RUNNING)
    Match.objects.filter(pk=cut.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert leases.give_back_expired() == 1
    until(play_here, 240, machine)  # a claim that was cut off keeps its match locked for a minute
    assert set(Match.objects.values_list("state", "worker")) == {(State.FINISHED, "here:core0:1")}
    results = list(Recording.objects.order_by("pk").values_list("pk", "record"))
    ratings = list(Rating.objects.order_by("pk").values_list("pk", "played", "rating"))

    far.plug_in()
    [third] = queue(competition, four)
    until(lambda: Match.objects.filter(pk=third.pk, state=State.FINISHED).exists(), 240, machine)

    third.refresh_from_db()
    assert third.worker.startswith(f"{MACHINE}:"), "the machine goes on by itself"
    assert list(Recording.objects.exclude(pk=third.pk).order_by("pk").values_list("pk", "record")) == results
    assert [(pk, played) for pk, played, _ in ratings] == [
        (pk, played - 1) for pk, played in Rating.objects.order_by("pk").values_list("pk", "played")
    ]
    assert FailedAttempt.objects.get().worker.startswith(f"{MACHINE}:")
    assert Match.objects.get(pk=cut.pk).attempt == 2
    assert "permission denied" not in machine.said()
