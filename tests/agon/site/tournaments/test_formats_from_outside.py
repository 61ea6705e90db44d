"""A new format or points rule is one file: one from outside is played on the site and by `agon`."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agon.contest import formats
from agon.contest.archive import verify
from agon.site.archives import services as archives
from agon.site.competitions.models import Competition
from agon.site.matches import leases
from agon.site.tournaments import scheduling, services
from agon.site.tournaments.standings import current_standings
from agon.site.tournaments.states import State
from tests.support.factories import active_bots, duel

ROOT = Path(__file__).resolve().parents[4]
OUTSIDE = ROOT / "tests" / "support" / "formats_from_outside"
NAMES = ["a", "b", "c", "d"]


@pytest.fixture
def king_of_the_hill(monkeypatch):
    monkeypatch.setattr(formats, "__path__", [*formats.__path__, str(OUTSIDE)])
    format = importlib.import_module("agon.contest.formats.king_of_the_hill").FORMAT
    monkeypatch.setitem(formats.FORMATS, format.name, format)
    return format


def test_a_format_from_outside_is_played_and_shown_on_the_site(client, user, tmp_path, king_of_the_hill):
    rps = Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")
    bots = active_bots(user, rps, NAMES)
    cup = services.create(user, rps, "Hill", king_of_the_hill.name, 1, 1, bots)
    services.start(cup)
    while cup.state == State.RUNNING:
        while (match := leases.claim("w")) is not None:
            leases.finish(match, duel(match, ["d", "a", "b", "c"]))
        scheduling.tick()
        cup.refresh_from_db()

    assert cup.matches.count() == 3
    assert {row.bot: row.rank for row in current_standings(cup)}["d"] == 1
    page = client.get(cup.get_absolute_url()).content.decode()
    for words in ("King of the hill", "Who is on the hill at the end decides.", "The hill of 4"):
        assert words in page
    with (tmp_path / "cup.zip").open("wb") as file:
        archives.write_tournament(file, cup)
    assert verify.verify(tmp_path / "cup.zip").differences == ()


def agon(*arguments: object) -> str:
    environment = os.environ | {"AGON_FORMATS": str(OUTSIDE)}
    command = [sys.executable, "-m", "agon", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_format_from_outside_is_played_and_verified_on_the_command_line(tmp_path):
    bots = ("Stone", "Dice", "Sage")
    chosen = ("--format", "king_of_the_hill", "--seed", 1, "--save", tmp_path / "saved")
    told = agon("tournament", "honest_rps", *bots, *chosen)
    assert all(bot in told for bot in bots)
    agon("verify", tmp_path / "saved")


def test_a_points_rule_from_outside_is_found():
    code = "from agon.contest.points import POINTS; print(POINTS['double_win'].title)"
    environment = os.environ | {"AGON_FORMATS": str(OUTSIDE), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "2 points for a first place\n"
