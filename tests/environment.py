"""Loaded by pytest before anything reads Django's settings (`-p tests.environment`).

A test run keeps its state in a folder of its own, never in the `var/` of a site that may be running. Each
worker of pytest-xdist has its own folder and its own Redis database; pytest-django gives it its own database.

All of them share AGON_TEST_STORE, a store of artifacts that holds as long as the run: a bot is built once.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

folder = tempfile.mkdtemp(prefix="agon-tests-")
atexit.register(shutil.rmtree, folder, ignore_errors=True)
os.environ["AGON_VAR"] = folder
os.environ.setdefault("SECRET_KEY", "of tests only")

if "AGON_TEST_STORE" not in os.environ:
    store = Path(folder, "store")
    store.mkdir()
    store.parent.chmod(0o711)  # bots have other uids than the tests
    os.environ["AGON_TEST_STORE"] = str(store)

if worker := os.environ.get("PYTEST_XDIST_WORKER"):
    number = 1 + int(worker.removeprefix("gw"))  # 0 is for runs without workers
    for name in ("REDIS_URL", "AGON_TEST_REDIS_URL"):
        if name in os.environ:
            os.environ[name] = urlsplit(os.environ[name])._replace(path=f"/{number}").geturl()
