"""A migrated SQLite database for all processes of a test run: one migrates, the others copy the result."""

import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def migrated(folder: Path) -> Path:
    """The path of a migrated database in `folder`, which is made once. Copy it; do not open it."""
    inputs = [*ROOT.glob("platform/agon/site/*/migrations/*.py"), *ROOT.glob("requirements/*.txt")]
    database = folder / f"migrated-{_digest(inputs)}.sqlite3"
    with open(folder / "migrated.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not database.exists():
            unfinished = folder / "migrating.sqlite3"
            unfinished.unlink(missing_ok=True)
            environment = os.environ | {"DATABASE_URL": f"sqlite:///{unfinished}"}
            command = [sys.executable, str(ROOT / "manage.py"), "migrate", "--verbosity=0"]
            subprocess.run(command, env=environment, check=True)
            unfinished.rename(database)
    return database


def _digest(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(bytes(file) + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]
