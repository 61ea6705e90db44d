"""A worker in which no Python code runs any more ends, to be started again."""

import subprocess
import sys

import pytest

from tests.support.processes import ROOT

pytestmark = pytest.mark.slow

# No thread of Python runs while the sum of a range is computed; the sleep leaves all of them alone.
WORK = """
import sys, time
from agon.site.workers import standing_still
standing_still.STILL, standing_still.SET_AGAIN = 1.0, 0.1
standing_still.begin()
sum(range(10**14)) if sys.argv[1] == "in C" else time.sleep(2.5)
sys.exit(7)
"""


@pytest.mark.parametrize(("code", "status"), [("in C", 1), ("asleep", 7)])
def test_only_a_worker_that_runs_no_python_ends(code, status):
    ran = subprocess.run(
        [sys.executable, "-c", WORK, code],
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}", "SECRET_KEY": "of a test"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == status, ran.stderr
    assert ('File "<string>", line 6' in ran.stderr) == (code == "in C")
