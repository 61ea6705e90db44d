"""`make` sets Agon up with each Python that it supports, where the machine has it; the quick tests pass."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from .test_wheel import ROOT, python_of

pytestmark = [pytest.mark.slow, pytest.mark.minutes]


@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_the_quick_tests_pass_in_a_copy_that_make_sets_up(version: str, tmp_path: Path) -> None:
    python = python_of(version)
    copy = tmp_path / "copy"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.split("\0")[:-1]:
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    subprocess.run(["git", "init", "-q", copy], check=True)  # tests ask it which files there are
    own = {name: value for name, value in os.environ.items() if not re.match("PYTEST|COV|AGON_", name)}
    ran = subprocess.run(
        ["make", f"PYTHON={python}", "test-quick"],
        cwd=copy,
        env=own | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-1000:]
    assert re.search(r"^\d{4} passed", ran.stdout, re.M)
    in_use = subprocess.run([copy / ".venv/bin/python", "--version"], capture_output=True, text=True)
    assert in_use.stdout.startswith(f"Python {version}.")
