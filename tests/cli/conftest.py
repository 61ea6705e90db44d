"""The command line as people run it: the installed `agon`, in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
BOTS = ROOT / "tests" / "bots"


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture(scope="session")
def environment(store):
    """No Django settings, no database, and the artifacts of this run."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "DOCKER_HOST") if name in os.environ}
    return {**kept, "XDG_CACHE_HOME": str(store.parent), "PYTHONWARNINGS": "error"}


@pytest.fixture(scope="session")
def agon(environment):
    """Run `agon` with these arguments; nothing may ever end in a traceback."""

    def run(*arguments, cwd=None, timeout=120):
        command = [sys.executable, "-m", "cli", *map(str, arguments)]
        done = subprocess.run(
            command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=timeout
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Ran(done.returncode, done.stdout, done.stderr)

    return run
