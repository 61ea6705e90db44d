"""A public peer: kaggle-environments' own rps, with trivial functions.

It is not a dependency of the project: it is installed, from a lock with hashes, into a virtual environment
below var/ when this figure is first measured. Its rounds are simpler than ours (one throw, no claims).
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
    """It could not be installed; str(e) is the last line of pip's output."""


@contextmanager
def kaggle(matches: int) -> Iterator[Side]:
    """A process that plays so many matches per slice. Raises Unavailable."""
    python = installed()
    command = [str(python), str(PEER / "rounds.py")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        ask, answers = process.stdin, process.stdout

        def side(number: int) -> int:
            print(matches, file=ask, flush=True)
            answer = answers.readline()
            if not answer:
                raise Unavailable(f"it ended with status {process.wait()}")
            return int(answer)

        yield side


def installed() -> Path:
    """The interpreter of its environment, which is made if there is none for this lock."""
    requirements = PEER / "requirements.txt"
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()
    stamp, python = VENV / digest, VENV / "bin" / "python"
    if stamp.exists():
        return python
    print("installing kaggle-environments below var/ ...", file=sys.stderr, flush=True)
    run(sys.executable, "-m", "venv", "--clear", "--without-pip", str(VENV))
    pip = next((ROOT / "vendor").glob("pip-*.whl"))
    how = ("--quiet", "--no-input", "--disable-pip-version-check", "--no-deps", "--require-hashes")
    wheels = "--only-binary=:all:"
    run(str(python), f"{pip}/pip", "install", *how, wheels, f"--requirement={requirements}")
    stamp.touch()
    return python


def run(*command: str) -> None:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        words = done.stderr.strip().splitlines() or [f"{command[0]} ended with status {done.returncode}"]
        raise Unavailable(words[-1])
