"""A bot at home against bots in boxes: a real worker, the API, the command line, and what breaks between."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.utils import timezone

from agon.site.bots import services as bots
from agon.site.challenges import services as challenges
from agon.site.matches import leases
from agon.site.matches.models import HomeAsk, Match
from agon.site.tokens.services import issue
from tests.agon.site.workers.test_fetching import QUICK
from tests.agon.site.workers.test_workers import entered, same_sandbox, sandbox, workers
from tests.support.cutting import Cutting
from tests.support.playing import GOOD
from tests.support.processes import until

__all__ = ["same_sandbox", "sandbox", "workers"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.production,
    pytest.mark.slow,
    pytest.mark.exhaustive,  # each lost answer costs half a second; test_connect.py runs what is usual
]
LOST = 20
KILLS = (5, 12)  # after so many lost answers the program is killed, too
# What GOOD answers, turn by turn, as often as it is begun.
EXPECTED = [" ".join([str(turn % 6)] * (5 if turn % 2 else 2)) for turn in range(1, 10)]

Run = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def three(user, competition, sandbox):
    return entered(user, competition, ["north", "east", "south"], sandbox, QUICK)


@pytest.fixture
def homer(user, competition, three):
    return bots.enter_at_home(user, competition, "Homer")


@pytest.fixture
def made(user, three, homer):
    """A challenge of the bot at home against three real ones."""
    return challenges.start(user, homer, [submission.bot for submission in three], 4)


@pytest.fixture
def agon(live_server, user, tmp_path) -> Run:
    """agon(*words, url): starts it as ada, in a process of its own."""
    token = issue(user, "laptop", ["read", "submit"])[1]
    home = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "AGON_TOKEN": token}

    def run(*words: str, url: str = live_server.url) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "agon", *words]
        return subprocess.Popen(command, cwd=tmp_path, env=home | {"AGON_SITE": url}, text=True)

    return run


@pytest.fixture
def connect(agon, tmp_path) -> Run:
    def run(program: str, **more: str) -> subprocess.Popen[str]:
        (tmp_path / "bot.py").write_text(program)
        return agon("connect", "bot.py", "--bot", "Homer", "--competition", "samurai", **more)

    return run


def end(running: "subprocess.Popen[str]") -> None:
    running.send_signal(signal.SIGINT)
    running.wait(60)


def check(match: Match, homer, agon: Run) -> None:
    """No fault, each ask was answered once, the record has those answers, and `agon verify` is content."""
    seat = match.seats.get(submission__bot=homer)
    assert not seat.faults.exists()
    asks = list(HomeAsk.objects.filter(match=match, attempt=match.attempt).order_by("step"))
    assert [ask.state for ask in asks] == ["answered"] * len(asks)
    record = Client().get(f"/api/v1/matches/{match.pk}/record").json()
    said = [bytes(ask.answer).decode() for ask in asks]
    assert said == ["READY", *record["answers"][seat.number]] == ["READY", *EXPECTED]
    assert record["seats"][seat.number]["submission"] == ""
    file = f"{match.pk}.zip"
    assert agon("download", "match", str(match.pk), "-o", file).wait(60) == 0
    assert agon("verify", file).wait(60) == 0


def test_a_bot_whose_line_is_lost_twenty_times_answers_each_ask_once_and_its_matches_verify(
    live_server, homer, made, agon, connect, workers
):
    """Its answers depend on how many asks it has heard, also when it is killed and told the match anew."""
    workers.worker("home")
    port = urlsplit(live_server.url).port
    with Cutting(port, lambda number: number > 6 and number % 3 == 0 and cutting.lost < LOST) as cutting:
        running, kills = connect(GOOD, url=cutting.url), list(KILLS)
        try:
            deadline = time.monotonic() + 240
            while made.matches.filter(state__in=["queued", "running"]).exists():
                assert time.monotonic() < deadline, workers.said()
                if kills and cutting.lost >= kills[0]:
                    kills.pop(0)
                    running.kill()
                    running.wait()
                    running = connect(GOOD, url=cutting.url)
                time.sleep(0.1)
        finally:
            end(running)
    assert (cutting.lost, kills) == (LOST, [])
    matches = list(made.matches.order_by("index"))
    assert [(match.state, match.attempt) for match in matches] == [("finished", 1)] * 4
    for match in matches:
        check(match, homer, agon)


def test_a_match_whose_worker_dies_is_begun_again_and_nothing_of_before_counts(
    homer, made, agon, connect, workers
):
    slow = GOOD.replace("    print(*", "    __import__('time').sleep(0.3)\n    print(*")
    first = workers.worker("home")
    running = connect(slow)
    try:
        until(lambda: HomeAsk.objects.filter(step=2).exists(), 120, workers)
        first.kill()
        first.wait()
        Match.objects.filter(state="running").update(lease_until=timezone.now() - timedelta(seconds=1))
        assert leases.give_back_expired() == 1
        second = workers.worker("home")
        until(lambda: made.matches.filter(state="finished").exists(), 120, workers)
        second.kill()  # else it waits for the next match of a bot that is gone
    finally:
        end(running)
    match = made.matches.filter(state="finished").order_by("index")[0]
    assert match.attempt == 2
    check(match, homer, agon)
