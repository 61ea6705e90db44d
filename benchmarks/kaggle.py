"""A public peer to compare with: the rps game of kaggle-environments, with trivial functions.

kaggle-environments is not a dependency of the project. It is installed, from a lock file with hashes, into a
virtual environment below var/ when this figure is first measured. Its rounds are simpler than ours: one
throw, no claims.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.measure import Side

ROOT = Path(__file__).parent.parent
PEER = Path(__file__).with_name("peer")
VENV = ROOT / "var" / "bench" / "kaggle"


class Unavailable(Exception):
    """kaggle-environments could not be installed or has ended; str(e) says why."""


@contextmanager
def kaggle(matches: int) -> Iterator[Side]:
    """Run a process that plays this number of matches per slice. Raises Unavailable."""
    python = install()
    command = [str(python), str(PEER / "rounds.py")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        requests, answers = process.stdin, process.stdout

        def side(number: int) -> int:
            print(matches, file=requests, flush=True)
            answer = answers.readline()
            if not answer:
                raise Unavailable(f"it ended with status {process.wait()}")
            return int(answer)

        yield side


def install() -> Path:
    """Make the virtual environment, unless there is one for this lock file; returns its interpreter."""
    requirements = PEER / "requirements.txt"
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()
    stamp, python = VENV / digest, VENV / "bin" / "python"
    if stamp.exists():
        return python
    print("installing kaggle-environments below var/ ...", file=sys.stderr, flush=True)
    run(sys.executable, "-m", "venv", "--clear", "--without-pip", str(VENV))
    pip = next((ROOT / "vendor").glob("pip-*.whl"))
    options = ("--quiet", "--no-input", "--disable-pip-version-check", "--no-deps", "--require-hashes")
    wheels = "--only-binary=:all:"
    run(str(python), f"{pip}/pip", "install", *options, wheels, f"--requirement={requirements}")
    stamp.touch()
    return python


def run(*command: str) -> None:
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode != 0:
        lines = result.stderr.strip().splitlines() or [f"{command[0]} ended with status {result.returncode}"]
        raise Unavailable(lines[-1])
