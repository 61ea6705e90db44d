"""Runs the command line as users do, in a process of its own, or in this process, where that is enough."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import games
from agon.__main__ import main

ROOT = Path(__file__).resolve().parents[3]
BOTS = ROOT / "tests" / "bots"


class Result(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture(scope="session")
def environment(store):
    """The environment of the command line: no Django settings, no database, the artifacts of this run."""
    inherited = {
        name: os.environ[name] for name in ("PATH", "HOME", "LANG", "DOCKER_HOST") if name in os.environ
    }
    # What holds names of bots, or what programs printed, is UTF-8 in any locale.
    unicode = [
        f"error::EncodingWarning:{module}" for module in ("agon.cli.compare_save", "sandbox.building.build")
    ]
    warnings = {
        "PYTHONWARNDEFAULTENCODING": "1",
        "PYTHONWARNINGS": ",".join(["error", "ignore::EncodingWarning", *unicode]),
    }
    return {**inherited, **warnings, "XDG_CACHE_HOME": str(store.parent)}


@pytest.fixture(scope="session")
def agon(environment):
    """agon(*arguments): runs `agon`, and fails if standard error has a traceback through our code."""

    def run(*arguments, cwd=None, timeout=600):
        command = [sys.executable, "-m", "agon", *map(str, arguments)]
        result = subprocess.run(
            command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=timeout
        )
        assert f'File "{ROOT}' not in result.stderr, result.stderr
        return Result(result.returncode, result.stdout, result.stderr)

    return run


@pytest.fixture
def with_bubblewrap(request, environment, monkeypatch):
    """Hide Docker, except from tests marked `docker`: the output is the same, and bubblewrap is faster."""
    if request.node.get_closest_marker("docker") is None:
        monkeypatch.setitem(environment, "DOCKER_HOST", "unix:///nowhere/docker.sock")


@pytest.fixture
def agon_here(environment, monkeypatch, capsys):
    """The same in this process, without the start of an interpreter: for commands that play nothing."""

    def run(*arguments, cwd=None):
        with monkeypatch.context() as patch:
            for name in os.environ.keys() - environment.keys():
                patch.delenv(name)
            for name, value in environment.items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["agon", *map(str, arguments)])
            if cwd is not None:
                patch.chdir(cwd)
            if "AGON_GAMES" in environment:
                patch.setattr(games, "__path__", [*games.__path__, environment["AGON_GAMES"]])
            capsys.readouterr()
            with pytest.raises(SystemExit) as ended:
                main()
            return Result(ended.value.code, *capsys.readouterr())

    return run
