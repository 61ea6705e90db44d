"""A worker whose loop reads from no connection to the broker any more ends, to be started again."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.support.databases import migrated
from tests.support.processes import ROOT

pytestmark = [pytest.mark.redis, pytest.mark.slow]

# What kombu leaves after it has lost a connection while a task was acknowledged: nothing is registered, and
# nothing registers anything. The test waits less than operators do.
WORK = """
import sys
from celery.signals import worker_ready
from agon.site.workers import listening
listening.DEAF = 2.0
@worker_ready.connect
def go_deaf(sender, **_):
    if sys.argv[1] == "deaf":
        sender.hub.on_tick.clear()
        for connection in list(sender.hub.readers):
            sender.hub.remove(connection)
    else:
        sender.hub.call_later(4, lambda: sys.exit(7))
from agon.supervisor.consumer import work
sys.exit(work("test-listening", "bulk"))
"""


@pytest.mark.first(1)
@pytest.mark.parametrize(("state", "status"), [("deaf", 0), ("well", 7)])
def test_only_a_worker_that_hears_nothing_more_ends(state, status, store, tmp_path, redis_url):
    shutil.copyfile(migrated(store.parent), tmp_path / "agon.sqlite3")
    own = {
        "AGON_VAR": str(tmp_path),
        "DATABASE_URL": f"sqlite:///{tmp_path}/agon.sqlite3",
        "REDIS_URL": redis_url,
        "SECRET_KEY": "of a test",
        "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}",
    }
    ran = subprocess.run(
        [sys.executable, "-c", WORK, state], env=os.environ | own, capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == status, ran.stderr
    assert ("heard nothing from the broker" in ran.stderr) == (state == "deaf")
