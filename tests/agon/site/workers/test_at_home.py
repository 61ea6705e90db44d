"""A bot at home against bots in boxes: a real worker, the API, the command line, and a line that is lost."""

import os
import signal
import subprocess
import sys
import time
from urllib.parse import urlsplit

import pytest
from django.test import Client

from agon.site.bots import services as bots
from agon.site.challenges import services as challenges
from agon.site.matches.models import HomeAsk
from agon.site.tokens.services import issue
from tests.agon.site.workers.test_fetching import QUICK
from tests.agon.site.workers.test_workers import entered, same_sandbox, sandbox, workers
from tests.support.cutting import Cutting
from tests.support.playing import GOOD

__all__ = ["same_sandbox", "sandbox", "workers"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.production,
    pytest.mark.slow,
    pytest.mark.exhaustive,  # each lost answer costs half a second; test_connect.py runs what is usual
]
LOST = 20
KILLS = (5, 12)  # after so many lost answers the program is killed, too


def test_a_bot_whose_line_is_lost_twenty_times_answers_each_ask_once_and_its_matches_verify(
    live_server, user, competition, sandbox, workers, tmp_path
):
    """Its answers depend on how many asks it has heard, also when it is killed and told the match anew."""
    three = entered(user, competition, ["north", "east", "south"], sandbox, QUICK)
    homer = bots.enter_at_home(user, competition, "Homer")
    (tmp_path / "bot.py").write_text(GOOD)
    token = issue(user, "laptop", ["read", "submit"])[1]
    made = challenges.start(user, homer, [each.bot for each in three], 4)
    workers.worker("home")

    def program(url: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "agon", "connect", "bot.py", "--bot", "Homer", "--competition", "samurai"],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "AGON_SITE": url, "AGON_TOKEN": token},
        )

    def is_over() -> bool:
        return not made.matches.filter(state__in=["queued", "running"]).exists()

    port = urlsplit(live_server.url).port
    with Cutting(port, lambda number: number > 6 and number % 3 == 0 and cutting.lost < LOST) as cutting:
        running, kills = program(cutting.url), list(KILLS)
        try:
            deadline = time.monotonic() + 240
            while not is_over():
                assert time.monotonic() < deadline, workers.said()
                if kills and cutting.lost >= kills[0]:
                    kills.pop(0)
                    running.kill()
                    running.wait()
                    running = program(cutting.url)
                time.sleep(0.1)
        finally:
            running.send_signal(signal.SIGINT)
            running.wait(60)
    assert (cutting.lost, kills) == (LOST, [])

    matches = list(made.matches.order_by("index"))
    assert [match.state for match in matches] == ["finished"] * 4
    assert {match.attempt for match in matches} == {1}
    for match in matches:
        seat = match.seats.get(submission__bot=homer)
        assert not seat.faults.exists()
        asks = list(HomeAsk.objects.filter(match=match).order_by("step"))
        assert [ask.state for ask in asks] == ["answered"] * len(asks)
        record = Client().get(f"/api/v1/matches/{match.pk}/record").json()
        said = [bytes(ask.answer).decode() for ask in asks]
        assert said == ["READY", *record["answers"][seat.number]]
        expected = [" ".join([str(turn % 6)] * (5 if turn % 2 else 2)) for turn in range(1, 10)]
        assert said[1:] == expected
        assert record["seats"][seat.number]["submission"] == ""
        file = tmp_path / f"{match.pk}.zip"
        for command in (["download", "match", str(match.pk), "-o", file], ["verify", file]):
            done = subprocess.run(
                [sys.executable, "-m", "agon", *map(str, command)],
                cwd=tmp_path,
                env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "AGON_SITE": live_server.url},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
