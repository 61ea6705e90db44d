"""Without Redis people still sign up, sign in, submit and run tournaments; the sweeper finds the work."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.databases import migrated

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[4]
# Everything through the site's own pages, in a process whose Redis is the one of the environment.
VISIT = """
import time
import django
from django.conf import settings
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
django.setup()
from django.test import Client
from agon.site.accounts.models import User
from agon.site.bots.models import Submission
from agon.site.competitions.models import Competition
from tests.support.factories import activate
from agon.site.tournaments.models import Tournament

Competition.objects.create(slug="coup", game="coup", title="Coup")
words = "correct horse battery"
browser = Client()
slowest = 0

def visit(address, form, expected):
    global slowest
    began = time.monotonic()
    page = browser.post(address, form)
    slowest = max(slowest, time.monotonic() - began)
    assert page.status_code == expected, (address, page.status_code, page.content.decode()[-2000:])
    return page

visit("/accounts/signup/", {"username": "ada", "password1": words, "password2": words}, 302)
visit("/accounts/logout/", {}, 302)
visit("/accounts/login/", {"login": "ada", "password": words}, 302)
program = {"name": "Rita", "way": "text", "text": "print(1)", "language": "python"}
visit("/c/coup/submit/", program, 302)
assert Submission.objects.count() == 1
User.objects.update(is_superuser=True, is_staff=True)
ada = User.objects.get()
bots = [each.bot for each in activate(ada, Competition.objects.get(), ["a", "b"])]
from agon.site.tournaments import services
tournament = services.create(ada, Competition.objects.get(), "Cup", "round_robin", 1, 7, bots)
began = time.monotonic()
services.start(tournament)
slowest = max(slowest, time.monotonic() - began)
for address in ("/", "/c/coup/", tournament.get_absolute_url(), "/c/coup/submit/"):
    page = browser.get(address)
    assert page.status_code == 200, (address, page.status_code)
browser.post("/accounts/logout/")
for n in range(5):  # limits hold from memory
    visit("/accounts/login/", {"login": "bob", "password": "wrong"}, 200)
assert "Too many" in browser.post("/accounts/login/", {"login": "bob", "password": "wrong"}).content.decode()
print("slowest", slowest)
"""


@pytest.fixture
def dead_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=200) as listening:
        yield int(listening.getsockname()[1])


def visit(tmp_path: Path, store: Path, port: int) -> subprocess.CompletedProcess[str]:
    shutil.copyfile(migrated(store.parent), tmp_path / "site.sqlite3")
    return subprocess.run(
        [sys.executable, "-c", VISIT],
        cwd=ROOT,
        env=os.environ
        | {
            "DJANGO_SETTINGS_MODULE": "agon.site.settings",
            "DATABASE_URL": f"sqlite:///{tmp_path}/site.sqlite3",
            "REDIS_URL": f"redis://127.0.0.1:{port}/0",
            "AGON_VAR": str(tmp_path / "var"),
            "ALLOWED_HOSTS": "testserver",
            "PYTHONPATH": f"{ROOT}:{ROOT}/platform",
        },
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_a_redis_that_is_gone_breaks_no_page(tmp_path: Path, store: Path, dead_port: int) -> None:
    result = visit(tmp_path, store, dead_port)
    assert result.returncode == 0, result.stderr
    assert "the cache failed; this process uses its own memory" in result.stderr
    assert "the workers of queue build could not be notified" in result.stderr
    assert float(result.stdout.split()[-1]) < 20  # not a time-out for each thing that Redis is asked


@pytest.mark.exhaustive
def test_nor_does_one_that_takes_connections_and_never_answers(
    tmp_path: Path, store: Path, silent_port: int
) -> None:
    result = visit(tmp_path, store, silent_port)
    assert result.returncode == 0, result.stderr
    assert "the cache failed; this process uses its own memory" in result.stderr
    assert "could not be notified" in result.stderr
    assert float(result.stdout.split()[-1]) < 15
