"""The quick tests pass with each Python that the package may be installed with, where the machine has it."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from .test_stages import make_test
from .test_wheel import ROOT, python_of

pytestmark = [pytest.mark.slow, pytest.mark.minutes]


@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_the_quick_tests_pass_with_the_locked_packages(version: str, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    subprocess.run([python_of(version), "-m", "venv", "--without-pip", environment], check=True)
    python = environment / "bin" / "python"
    pip = next((ROOT / "vendor").glob("pip-*.whl")) / "pip"
    locks = [f"--requirement={ROOT}/requirements/{name}.txt" for name in ("runtime", "test")]
    install = ["install", "-qq", "--disable-pip-version-check", "--require-hashes", "--only-binary=:all:"]
    subprocess.run([python, pip, *install, *locks], check=True)

    tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", make_test.NO_SERVICE, *make_test.QUICK]
    own = {name: value for name, value in os.environ.items() if not re.match("PYTEST|COV|AGON_", name)}
    ran = subprocess.run(
        [python, *tests], cwd=ROOT, env=own | {"TMPDIR": str(tmp_path)}, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-1000:]
    assert re.search(r"^\d{4} passed", ran.stdout, re.M)
