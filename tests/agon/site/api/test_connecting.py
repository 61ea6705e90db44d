"""`agon connect` in this process, against a match that is begun again; this test is its worker."""

import os
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from agon.site.bots import at_home
from agon.site.bots.models import HomeLine
from agon.site.challenges import progress
from agon.site.challenges.models import Challenge
from agon.site.matches import home_asks, leases
from agon.site.matches.models import HomeAsk, Match
from agon.site.matches.states import AskState
from tests.agon.cli.test_home_bot import runs
from tests.support.at_home import HOME, bea, bob, rps

__all__ = ["bea", "bob", "rps"]
pytestmark = pytest.mark.django_db(transaction=True)
# Holds its first answer back until the match has been begun again.
BOT = """
import pathlib, sys, time
print("READY", flush=True)
for line in sys.stdin:
    pathlib.Path("asked").touch()
    while not pathlib.Path("go-on").exists():
        time.sleep(0.01)
    print("R", flush=True)
"""


def _until(is_so):
    deadline = time.monotonic() + 60
    while not (result := is_so()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return result


def _answer(match, step) -> bytes:
    ask = home_asks.put(match, match.seats.get(submission__bot__name="Ada").number, step, b"your move", 60.0)
    _until(lambda: HomeAsk.objects.filter(pk=ask.pk, state=AskState.ANSWERED).exists())
    return bytes(HomeAsk.objects.get(pk=ask.pk).answer)


def _work(tmp_path, heard: list[bytes]) -> None:
    try:
        match = _until(lambda: leases.claim("first", HOME))
        heard.append(_answer(match, -1))
        home_asks.put(match, match.seats.get(submission__bot__name="Ada").number, 0, b"first", 60.0)
        _until((tmp_path / "asked").exists)
        Match.objects.filter(pk=match.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
        assert leases.give_back_expired() == 1
        (tmp_path / "go-on").touch()
        again = _until(lambda: leases.claim("second", HOME))
        heard.extend([_answer(again, -1), _answer(again, 0)])
    finally:
        progress.cancel(Challenge.objects.get())
        connection.close()


def test_an_answer_to_an_attempt_that_was_begun_again_is_dropped_quietly(signed_in, rps, bea, tmp_path):
    (tmp_path / "bot.py").write_text(BOT)
    heard: list[bytes] = []
    worker = threading.Thread(target=_work, args=[tmp_path, heard])
    worker.start()
    result = signed_in(
        "connect", "--bot", "Ada", "--competition", "rps", "--against", "Bea", "--", sys.executable, "bot.py"
    )
    worker.join()

    assert heard == [b"READY", b"READY", b"R"]
    number = Match.objects.get(attempt=2).pk
    assert [line for line in result.err.splitlines() if "line" not in line] == [
        f"agon: match {number}, seat {(seat := HomeAsk.objects.first().seat) + 1}",
        f"agon: match {number}, seat {seat + 1}, begun again: attempt 2",
    ]


THINKS = """
import os, pathlib, time
pathlib.Path("pid").write_text(str(os.getpid()))
print("READY", flush=True)
while True:
    time.sleep(1)
"""


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_bot_that_thinks_and_its_challenge_end_with_the_command_that_is_ended(
    live_server, token, rps, bea, tmp_path, number, status
):
    """SIGHUP: its terminal was closed. Otherwise the matches would wait a day for the bot."""
    (tmp_path / "bot.py").write_text(THINKS)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
        "PYTHONFAULTHANDLER": "1",
    }
    words = ["connect", "--bot", "Ada", "--competition", "rps", "--against", "Bea", "--matches", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "agon", *words, "--", sys.executable, "bot.py"],
        cwd=tmp_path,
        env=environment | {"AGON_SITE": live_server.url, "AGON_TOKEN": token},
        stdout=subprocess.DEVNULL,
    )
    try:
        match = _until(lambda: leases.claim("first", HOME))
        assert _answer(match, -1) == b"READY"
        pid = int((tmp_path / "pid").read_text())

        process.send_signal(number)

        assert process.wait(60) == status
        assert not runs(pid)
        assert not at_home.is_connected(HomeLine.objects.get())
        assert Challenge.objects.get().state == "cancelled"
        assert not Match.objects.filter(state="queued").exists()
    finally:
        process.send_signal(signal.SIGABRT)  # one that did not end shows where it waits
        process.wait()
