"""A site that everything happens to loses nothing and does nothing twice."""

import os
import subprocess
import sys

import pytest

from tests.support.processes import ROOT

pytestmark = [
    pytest.mark.minutes,
    pytest.mark.serial,
    pytest.mark.slow,
    pytest.mark.docker,
    pytest.mark.postgres,
    pytest.mark.redis,
]
MINUTES = "1.5"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount the file systems that are filled")
def test_nothing_is_lost_and_nothing_done_twice_in_a_minute_of_everything() -> None:
    command = [sys.executable, "-m", "tests.chaos", "--seed", "35", "--minutes", MINUTES]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1200)
    assert ran.returncode == 0, ran.stdout + ran.stderr
