"""Sets environment variables for tests. pytest loads it before Django's settings (`-p tests.environment`).

A test run keeps its state in a folder of its own, never in the `var/` of a site that may be running. Each
worker of pytest-xdist has its own folder and its own Redis database; pytest-django gives it its own database.

All of them share AGON_TEST_STORE, an artifact store for the whole run, so that a bot is built once. Programs
that tests start (workers, the command line) use it, too.

With AGON_TEST_ONE_CORE, each worker and all of its child processes stay on one core of their own.

Bytecode is always written, even if PYTHONDONTWRITEBYTECODE is set: otherwise compiling the tests costs every
worker of pytest-xdist 4 s, and compiling the project costs every process of a site a quarter of a second.
"""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

folder = tempfile.mkdtemp(prefix="agon-tests-")
atexit.register(shutil.rmtree, folder, ignore_errors=True)
os.environ["AGON_VAR"] = folder
os.environ.setdefault("SECRET_KEY", "of tests only")
os.environ["AGON_CANARY_SECONDS"] = "0"  # else every sweep of a test might add a trial

if "AGON_TEST_STORE" not in os.environ:
    os.environ["AGON_TEST_STORE"] = str(Path(folder, "caches", "agon"))  # the layout below XDG_CACHE_HOME
store = Path(os.environ["AGON_TEST_STORE"])
store.mkdir(parents=True, exist_ok=True)
Path(folder, "artifacts").symlink_to(store)

if worker := os.environ.get("PYTEST_XDIST_WORKER"):
    number = 1 + int(worker.removeprefix("gw"))  # 0 is for a run without pytest-xdist
    if "AGON_TEST_ONE_CORE" in os.environ:
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[number % len(cores)]})
    for name in ("REDIS_URL", "AGON_TEST_REDIS_URL"):
        if name in os.environ:
            os.environ[name] = urlsplit(os.environ[name])._replace(path=f"/{number}").geturl()
