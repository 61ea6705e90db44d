"""AGENTS.md in the zip of a starter keeps its word: its lines, in their order, on a site."""

import io
import json
import os
import re
import subprocess
import sys
import zipfile

import httpx
import pytest

from agon.site.bots.models import Submission
from agon.site.bots.states import State
from agon.site.competitions.models import Competition
from agon.site.matches.models import Match
from agon.site.tokens.services import issue
from tests.agon.site.workers.test_workers import same_sandbox, sandbox, workers

__all__ = ["same_sandbox", "sandbox", "workers"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
IN_AN_ENVIRONMENT_OF_ITS_OWN = "pip install agon-*.whl"  # tests/setup/test_wheel.py


@pytest.mark.exhaustive
def test_the_lines_of_agents_md_run_as_one_script(live_server, settings, user, workers, tmp_path):
    settings.SITE_URL = live_server.url
    Competition.objects.create(slug="spring-cup", game="honest_rps", title="Cup")
    kits = httpx.get(f"{live_server.url}/api/v1/competitions/spring-cup/starters", timeout=60).json()
    kit = next(offered_kit["kit"] for offered_kit in kits if offered_kit["language"] == "python")
    zipfile.ZipFile(io.BytesIO(httpx.get(kit, timeout=60).content)).extractall(tmp_path / "kit")
    [folder] = (tmp_path / "kit").iterdir()
    page = (folder / "AGENTS.md").read_text()
    with (folder / "starter.py").open("a") as program:
        program.write("import sys\nprint('here I am', file=sys.stderr)\n")
    lines = re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    script = "".join(lines)
    assert script.count(IN_AN_ENVIRONMENT_OF_ITS_OWN) == 1
    script = script.replace(IN_AN_ENVIRONMENT_OF_ITS_OWN, f'agon() {{ "{sys.executable}" -m agon "$@"; }}')
    environment = {
        "AGON_SANDBOX": "bubblewrap",
        "AGON_TOKEN": issue(user, "laptop", ["read", "submit"])[1],
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
    }

    def run(commands: str) -> str:
        ran = subprocess.run(
            ["bash", "-ec", commands],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=240,
        )
        assert ran.returncode == 0, ran.stderr + workers.said()
        return ran.stdout

    workers.worker("build,interactive,bulk")
    said = run(script)
    [submission] = Submission.objects.all()  # --check enters nothing
    assert (submission.bot.name, submission.bot.owner, submission.state) == ("My bot", user, State.ACTIVE)
    made = json.loads(said[said.rindex("\n{") :])
    assert (made["bot"], made["state"]) == (submission.bot_id, "active")

    match = Match.objects.filter(kind=Match.Kind.QUALIFICATION).latest("pk")
    told = [line for line in re.findall(r"`(agon [^`]+)`", page) if "doctor" not in line]
    assert [line.split()[1] for line in told] == ["rungs", "board", "logs"]
    [agon] = re.findall(r"^agon\(\) .*\n", script, re.MULTILINE)
    _rungs, board, logs = (
        run(f"{agon}export AGON_SITE={live_server.url}\n{line}")
        for line in (
            command.replace("BOT", str(submission.bot_id)).replace("MATCH", str(match.pk)) for command in told
        )
    )
    assert "My bot" in board
    assert "here I am" in logs
