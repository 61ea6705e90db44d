"""A whole site dies in the middle of a match with a bot at home, and is started again."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from agon.supervisor.children import descendants
from tests.support.processes import ROOT
from tests.support.sites import serving

from .conftest import eventually
from .test_site import Served, port

__all__ = ["port"]
pytestmark = [pytest.mark.slow, pytest.mark.exhaustive]

HOUSE = ["Greedy", "Wanderer", "Even"]
# Writes each answer into a file of its process, and waits in its first process, once it has answered twice.
BOT = """
import os, sys, time
from pathlib import Path
print("READY", flush=True)
sys.stdin.readline(); sys.stdin.readline()
with open(f"answers-{os.getpid()}", "w") as answers:
    for turn in range(1, 10):
        for _ in range(9 if turn % 2 else 8):
            sys.stdin.readline()
        if turn == 3 and not Path("in-the-middle").exists():
            Path("in-the-middle").touch()
            while not Path("go-on").exists():
                time.sleep(0.05)
        answer = " ".join([str(turn % 6)] * (5 if turn % 2 else 2))
        print(answer, flush=True)
        print(answer, file=answers, flush=True)
"""
TOKEN = """
from agon.site.accounts.models import User
from agon.site.tokens.services import issue
print("token:", issue(User.objects.get(username="admin"), "laptop", ["read", "submit"])[1])
"""


@pytest.fixture
def sites(tmp_path: Path, port: int) -> Iterator[list[Served]]:
    """Those that were started; the last one may still run."""
    started = [Served(tmp_path / "var", port, serving(samurai=3))]
    yield started
    for site in started:
        site.stop(signal.SIGTERM)


def kill(site: Served) -> None:
    """All processes at once, as when the machine loses its power."""
    for pid in [site.process.pid, *descendants(site.process.pid)]:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    site.last_words()


def test_the_match_is_begun_again_and_ends_with_a_result(sites, tmp_path, port):
    sites[0].wait_until_ready()
    own = os.environ | {"AGON_VAR": str(tmp_path / "var"), "DJANGO_SETTINGS_MODULE": "agon.site.settings"}
    made = subprocess.run(
        [sys.executable, "manage.py", "shell", "-c", TOKEN], cwd=ROOT, env=own, capture_output=True, text=True
    )
    [token] = re.findall(r"token: (\S+)", made.stdout) or [made.stderr]
    home = tmp_path / "home"
    home.mkdir()
    (home / "bot.py").write_text(BOT)
    environment = os.environ | {
        "AGON_SITE": f"http://127.0.0.1:{port}",
        "AGON_TOKEN": token,
        "HOME": str(home),
    }

    def agon(*words: str) -> "subprocess.Popen[str]":
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(
            [sys.executable, "-m", "agon", *words], cwd=home, env=environment, text=True, **pipes
        )

    with sqlite3.connect(tmp_path / "var" / "agon.sqlite3") as database:
        active = "SELECT COUNT(*) FROM bots_submission WHERE state = 'active'"
        eventually(lambda: database.execute(active).fetchone() == (len(HOUSE),), 120)
    against = [word for name in HOUSE for word in ("--against", name)]
    connected = agon("connect", "bot.py", "--bot", "Ada", "--competition", "samurai", *against)
    try:
        eventually(lambda: connected.poll() is not None or (home / "in-the-middle").exists(), 120)
        assert connected.poll() is None, connected.communicate()
        kill(sites[0])
        (home / "go-on").touch()
        sites.append(Served(tmp_path / "var", port, serving(samurai=3)))
        sites[1].wait_until_ready()
        out, said = connected.communicate(timeout=300)
    finally:
        connected.kill()
        connected.communicate()
    assert (connected.returncode, "finished: " in out) == (0, True), out + said

    with closing(sqlite3.connect(tmp_path / "var" / "agon.sqlite3")) as database:
        [(match, attempt)] = database.execute(
            "SELECT id, attempt FROM matches_match WHERE attempt > 1"
        ).fetchall()
        counted = (
            "SELECT state, COUNT(*) FROM matches_homeask WHERE match_id = ? AND attempt = ? AND step >= 0"
        )
        [(state, asks)] = database.execute(f"{counted} GROUP BY state", (match, attempt)).fetchall()
    assert (state, attempt) == ("answered", 2)
    assert len(re.findall(rf"^agon: match {match}, seat", said, re.MULTILINE)) == 2
    assert "begun again: attempt 2" in said
    assert "Too late" not in said
    for words in (["download", "match", str(match), "-o", "match.zip"], ["verify", "match.zip"]):
        done = agon(*words)
        out, said = done.communicate(timeout=120)
        assert done.returncode == 0, out + said
    got = agon("download", "record", str(match), "-o", "-")
    out, said = got.communicate(timeout=120)
    record = json.loads(out)
    [seat] = [number for number, seated in enumerate(record["seats"]) if seated["name"] == "Ada"]
    said_by_bot = [path.read_text().splitlines() for path in home.glob("answers-*")]
    assert record["answers"][seat] in said_by_bot
    assert len(record["answers"][seat]) == asks
    assert record["faults"] == []
