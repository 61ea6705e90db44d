"""Loaded by pytest before anything reads Django's settings (`-p tests.environment`).

A test run keeps its state in a folder of its own, never in the `var/` of a site that may be running.
"""

import atexit
import os
import shutil
import tempfile

folder = tempfile.mkdtemp(prefix="agon-tests-")
atexit.register(shutil.rmtree, folder, ignore_errors=True)
os.environ["AGON_VAR"] = folder
os.environ.setdefault("SECRET_KEY", "of tests only")
