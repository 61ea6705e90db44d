"""A site that plays is backed up, lost, and restored elsewhere: it ends as it would have ended."""

import json
import os
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from functools import partial
from urllib.parse import urlsplit

import psycopg2
import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.utils import timezone

from agon.site.archives import chain
from agon.site.bots.models import Submission
from agon.site.bots.services import receive_text
from agon.site.core.db.leases import renewing
from agon.site.matches import leases
from agon.site.matches.models import Match
from agon.site.matches.states import State
from agon.site.tournaments import services
from agon.site.use_cases import qualification
from agon.site.workers import building
from agon.site.workers.worker import worker as own_worker
from sandbox.backends import open_sandbox
from tests.agon.conftest import competition, own_files, user
from tests.support import s3
from tests.support.processes import ROOT, Workers, site_environment, until
from tests.support.sites import site_folder

__all__ = ["competition", "own_files", "user"]

pytestmark = pytest.mark.slow
# Takes a second and a half for a match of Samurai.
SLOW = """
import sys, time
print("READY", flush=True)
for line in sys.stdin:
    if line[-2:] in ("D\\n", "N\\n"):
        time.sleep(0.1)
        print(*[{lord}] * (5 if line[-2] == "D" else 2), flush=True)
"""
TELL = """
import io, json, zipfile
from agon.site.archives import services
from agon.site.archives.models import Day
from agon.site.tournaments.models import Tournament
cup = Tournament.objects.get()
archive = zipfile.ZipFile(io.BytesIO(b"".join(services.of_tournament(cup))))
manifest = json.loads(archive.read("manifest.json"))
print(json.dumps({
    "state": cup.state,
    "results": manifest["results"],
    "standings": archive.read("standings.csv").decode(),
    "chain": [[str(day), day.digest] for day in Day.objects.all()],
    "attempts": list(cup.matches.order_by("pk").values_list("attempt", flat=True)),
}))
"""
STATES = """
import json
from agon.site.matches.models import Match
print(json.dumps(list(Match.objects.order_by("pk").values_list("state", flat=True))))
"""
OVER = """
from agon.site.tournaments.models import Tournament
print(Tournament.objects.get().state)
"""


def run(environment, *command, code=0):
    """What a program of the project prints that ends with this code; if it fails, with its errors."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "platform")])
    ran = subprocess.run(
        [sys.executable, *map(str, command)],
        env=os.environ | {"PYTHONPATH": path} | environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ran.returncode == code, ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr
    return ran.stdout if code == 0 else ran.stdout + ran.stderr


def agon(environment, *words, code=0):
    return run(environment, "-m", "agon", *words, code=code)


def told(environment, script):
    return run(environment, ROOT / "manage.py", "shell", "-v0", "-c", script)


@pytest.fixture
def cup(user, competition, settings, store, monkeypatch):
    """A running tournament of twelve matches, a match that was played, and a day of the chain."""
    monkeypatch.setenv("AGON_SANDBOX", "bubblewrap")
    settings.AGON_ARTIFACTS = store
    own_worker.close()
    sandbox = open_sandbox("bubblewrap")
    try:
        for lord, name in enumerate(["north", "east", "south", "west"]):
            receive_text(user, competition, name, SLOW.format(lord=lord), "python")
        while building.build_next(sandbox):
            pass
    finally:
        sandbox.close()
    submissions = list(Submission.objects.order_by("pk"))
    for submission in submissions:
        assert submission.state == "qualifying", submission.build_log
        qualification.activate(submission)
    competition.state = competition.State.CLOSED
    competition.save()
    competition.matches.all().delete()
    cup = services.create(
        user, competition, "Cup", "rotations", 3, 11, [submission.bot for submission in submissions]
    )
    services.start(cup)
    return cup


@pytest.fixture
def bucket():
    with s3.bucket() as bucket_url:
        yield bucket_url


@pytest.fixture
def elsewhere(tmp_path, bucket):
    """The environment of another site, which is empty; with PostgreSQL, its files are in a bucket."""
    var = site_folder(tmp_path / "elsewhere")
    environment = {
        "AGON_VAR": str(var),
        "STORAGE": f"agon.site.core.storage.WholeFiles?location={var}/media",
        "AGON_SANDBOX": "bubblewrap",
    }
    if redis := os.environ.get("REDIS_URL"):
        number = int(urlsplit(redis).path.strip("/") or 0) + 8
        environment["REDIS_URL"] = urlsplit(redis)._replace(path=f"/{number}").geturl()
    if connection.vendor == "sqlite":
        yield environment | {"DATABASE_URL": f"sqlite:///{var}/agon.sqlite3"}
        return
    name = f"elsewhere_{os.getpid()}"
    with closing(psycopg2.connect(os.environ["DATABASE_URL"])) as server:
        server.autocommit = True
        server.cursor().execute(f"CREATE DATABASE {name}")
        url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()
        yield environment | {"DATABASE_URL": url, "STORAGE": bucket.setting}
        server.cursor().execute(f"DROP DATABASE {name} WITH (FORCE)")


def finished() -> int:
    return Match.objects.filter(state=State.FINISHED).count()


@pytest.mark.exhaustive
@pytest.mark.django_db(transaction=True)
@pytest.mark.production
def test_a_site_in_the_middle_of_matches_is_restored_elsewhere_and_ends_as_it_would_have(
    cup, elsewhere, tmp_path
):
    here = site_environment() | {"AGON_VAR": str(django_settings.VAR)}
    workers = Workers(tmp_path)
    try:
        workers.worker("interactive,bulk")
        workers.scheduler()
        until(lambda: finished() >= 2, 120, workers)
        Match.objects.filter(pk=Match.objects.filter(state=State.FINISHED).earliest("pk").pk).update(
            finished_at=timezone.now() - timedelta(days=2)
        )
        assert chain.close_next() is not None
        held = leases.claim(
            "another:core0:1"
        )  # running for as long as the backup is made, whatever the worker does
        assert held is not None
        backup = tmp_path / "cup.backup"
        with renewing(partial(leases.renew, held)):
            made = json.loads(agon(here, "backup", backup, "--json"))
        leases.hand_back([held])
        until(lambda: told(here, OVER) == "finished\n", 240, workers)
    finally:
        workers.stop_all()
    assert (made["kind"], made["missing"], made["keys"]) == (connection.vendor, [], [])
    assert made["files"] >= 9  # four programs, what was built of them, a day of the chain
    assert backup.stat().st_mode & 0o777 == 0o600
    as_it_ended = json.loads(told(here, TELL))

    restored = json.loads(agon(elsewhere, "restore", backup, "--json"))
    assert restored["files"] == made["files"]
    assert restored["again"] >= 1
    states = json.loads(told(elsewhere, STATES))
    assert len(states) == 12
    assert states.count("finished") >= 2
    assert states.count("queued") >= restored["again"]
    assert "running" not in states

    others = Workers(site_folder(tmp_path / "logs"), elsewhere)
    try:
        others.worker("interactive,bulk")
        others.scheduler()
        until(lambda: told(elsewhere, OVER) == "finished\n", 240, others)
    finally:
        others.stop_all()
    assert json.loads(told(elsewhere, TELL)) == as_it_ended
    assert as_it_ended["attempts"] == [1] * 12
    assert len(as_it_ended["chain"]) == 1
    assert "days checked: 1" in run(elsewhere, ROOT / "manage.py", "check_chain")
    assert " 0 differences" in run(elsewhere, ROOT / "manage.py", "recompute_ratings", "--check")

    again = json.loads(agon(elsewhere, "backup", tmp_path / "again.backup", "--json"))
    assert (again["files"], again["missing"]) == (made["files"], [])
    assert "This site is not empty: its database has" in agon(elsewhere, "restore", backup, code=1)
    assert json.loads(told(elsewhere, TELL)) == as_it_ended
