"""What is computed runs beside matches whose time is measured, so it starts no threads for other cores."""

import subprocess
import sys

import pytest

COUNT_THREADS = """
import importlib, os, sys
importlib.import_module(sys.argv[1])
assert "numpy" in sys.modules
print(len(os.listdir("/proc/self/task")))
"""


@pytest.mark.parametrize(
    "module", ["agon.cli.compare", "agon.statistics.strength", "agon.statistics.ratings.fit"]
)
def test_numpy_computes_in_the_thread_that_asks(module):
    command = [sys.executable, "-c", COUNT_THREADS, module]
    assert subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout == "1\n"
