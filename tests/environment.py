"""Loaded by pytest before anything reads Django's settings (`-p tests.environment`).

A test run keeps its state in a folder of its own, never in the `var/` of a site that may be running. With
pytest-xdist every worker is such a run: with a folder and a Redis database of its own. pytest-django names its
database after the worker.
"""

import atexit
import os
import shutil
import tempfile
from urllib.parse import urlsplit

folder = tempfile.mkdtemp(prefix="agon-tests-")
atexit.register(shutil.rmtree, folder, ignore_errors=True)
os.environ["AGON_VAR"] = folder
os.environ.setdefault("SECRET_KEY", "of tests only")

if worker := os.environ.get("PYTEST_XDIST_WORKER"):
    number = 1 + int(worker.removeprefix("gw"))  # 0 is for runs without workers
    for name in ("REDIS_URL", "AGON_TEST_REDIS_URL"):
        if name in os.environ:
            os.environ[name] = urlsplit(os.environ[name])._replace(path=f"/{number}").geturl()
