"""The file in which `agon login` keeps tokens: changed by several commands, linked to, in odd places."""

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from agon.cli import sites

pytestmark = pytest.mark.django_db(transaction=True)
SIGN_IN = 3
KEEP = """
from agon.cli import sites

sites.change(lambda kept: kept.update(tokens=kept.get("tokens", {}) | {"https://b.example": "agon_x"}))
"""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Where tokens are kept."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "agon").mkdir()
    return tmp_path / "agon"


def test_a_command_that_signs_in_waits_for_another_one(folder):
    """The other one begins while the first has read the file and not yet written it."""
    running = []

    def keep(kept):
        running.append(subprocess.Popen([sys.executable, "-c", KEEP]))
        with suppress(subprocess.TimeoutExpired):
            running[0].wait(timeout=2)
        kept.update(site="https://a.example", tokens={"https://a.example": "agon_x"})

    sites.change(keep)
    assert running[0].wait(timeout=60) == 0
    kept = json.loads((folder / "sites.json").read_text())
    assert sorted(kept["tokens"]) == ["https://a.example", "https://b.example"]


def test_a_link_to_a_file_elsewhere_stays(folder, tmp_path):
    kept = tmp_path / "dotfiles.json"
    (folder / "sites.json").symlink_to(kept)
    for name in ("https://a.example", "https://b.example"):
        sites.change(lambda file, name=name: file.update(site=name, tokens={name: "agon_x"}))
    assert (folder / "sites.json").is_symlink()
    assert json.loads(kept.read_text())["site"] == "https://b.example"
    assert kept.stat().st_mode & 0o077 == 0


def test_a_token_is_asked_for_where_standard_input_is_closed(agon, live_server):
    result = agon("login", "--token", live_server.url, stdin=None)
    assert (result.code, "standard input is closed" in result.err) == (SIGN_IN, True), result
