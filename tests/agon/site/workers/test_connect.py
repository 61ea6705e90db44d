"""docs/guides/connect.md keeps its word: its commands, in their order, on a site with a real worker."""

import os
import re
import shlex
import signal
import subprocess
import sys

import pytest

from agon.site.bots.models import Bot
from agon.site.challenges.models import Challenge
from agon.site.competitions.models import Competition
from agon.site.matches.models import Match
from agon.site.tokens.services import issue
from tests.agon.site.workers.test_fetching import QUICK
from tests.agon.site.workers.test_workers import entered, same_sandbox, sandbox, workers
from tests.support.playing import GOOD
from tests.support.processes import ROOT

__all__ = ["same_sandbox", "sandbox", "workers"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
PAGE = (ROOT / "docs/guides/connect.md").read_text()
LINES = [line for block in re.findall(r"```bash\n(.*?)```", PAGE, re.S) for line in block.splitlines()]


@pytest.mark.exhaustive
def test_the_commands_of_the_page_do_what_it_says(live_server, user, competition, sandbox, workers, tmp_path):
    entered(user, competition, ["Alice", "Bob", "Cid"], sandbox, QUICK)
    Bot.objects.update(house=True)
    Competition.objects.update(slug="spring-cup")
    token = issue(user, "laptop", ["read", "submit"])[1]
    (tmp_path / "bot.py").write_text(GOOD)
    workers.worker("home")
    home = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"}

    def agon(line: str) -> subprocess.Popen[str]:
        words = shlex.split(line.replace("https://agon.example", live_server.url))[1:]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        command = [sys.executable, "-m", "agon", *words]
        return subprocess.Popen(command, cwd=tmp_path, env=home, text=True, **pipes)

    login, connects, against, no_clock, download, verify = LINES
    signed_in = agon(f"{login} --token")
    signed_in.communicate(f"{token}\n", timeout=300)
    assert signed_in.returncode == 0

    former = agon(connects)
    assert "Ada plays at home" in former.stderr.readline()
    newer = agon(connects)
    assert "Ada plays at home" in newer.stderr.readline()
    _out, said = former.communicate(timeout=300)
    assert (former.returncode, "took over" in said) == (4, True), said
    newer.send_signal(signal.SIGINT)
    newer.communicate(timeout=60)
    assert newer.returncode == 130
    assert Bot.objects.get(name="Ada").home

    for line in (against, no_clock):
        played = agon(line)
        out, said = played.communicate(timeout=300)
        assert played.returncode == 0, said + workers.said()
        assert "finished: " in out
    assert list(Challenge.objects.values_list("state", flat=True)) == ["finished"] * 2
    matches = Match.objects.exclude(challenge=None)
    assert matches.filter(state="finished").count() == 8
    assert not matches.filter(seats__submission__bot__name="Ada", seats__faults__isnull=False).exists()

    for line in (download, verify):
        done = agon(line.replace("1234", str(matches.latest("pk").pk)))
        _out, said = done.communicate(timeout=300)
        assert done.returncode == 0, said
