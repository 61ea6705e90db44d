"""Migrated databases for all processes of a test run: one process migrates, the others copy the result.

An empty database gets its tables at once (agon.site.core.fresh_schema), in 1 s of processor time besides the
start of the process. One of an older version takes 12, most of it in rendering the states of models.
"""

import fcntl
import hashlib
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg2

ROOT = Path(__file__).resolve().parents[2]


def migrated(folder: Path, older: Path | None = None) -> Path:
    """The path of a migrated SQLite database in `folder`, which is made once. Copy it; do not open it.

    older: a file of SQL, with what an older version has written; without it, the database is empty.
    """
    database = folder / f"migrated-{_digest(older)}.sqlite3"
    with _alone(folder):
        if not database.exists():
            unfinished = folder / "migrating.sqlite3"
            unfinished.unlink(missing_ok=True)
            if older:
                with closing(sqlite3.connect(unfinished)) as connection:
                    connection.executescript(older.read_text())
            _migrate(f"sqlite:///{unfinished}")
            unfinished.rename(database)
    return database


def migrated_on_server(url: str, folder: Path) -> str:
    """The name of a migrated database on this PostgreSQL server, which is made once. It is a template.

    folder: of the test run.
    """
    name = f"migrated_{_digest()}"
    with _alone(folder), closing(psycopg2.connect(url)) as server:
        server.autocommit = True
        cursor = server.cursor()
        cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
        if not cursor.fetchone():
            unfinished = f"un{name}"
            cursor.execute(f"DROP DATABASE IF EXISTS {unfinished}")
            cursor.execute(f"CREATE DATABASE {unfinished}")
            _migrate(urlsplit(url)._replace(path=f"/{unfinished}").geturl())
            cursor.execute(f"ALTER DATABASE {unfinished} RENAME TO {name}")
    return name


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    with open(folder / "migrated.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _migrate(url: str) -> None:
    command = [sys.executable, str(ROOT / "manage.py"), "migrate", "--verbosity=0"]
    subprocess.run(command, env=os.environ | {"DATABASE_URL": url}, check=True)


def _digest(older: Path | None = None) -> str:
    inputs = [*ROOT.glob("platform/agon/site/*/migrations/*.py"), *ROOT.glob("requirements/*.txt")]
    inputs.append(ROOT / "platform/agon/site/core/fresh_schema.py")
    digest = hashlib.sha256()
    for file in sorted([*inputs, older] if older else inputs):
        digest.update(bytes(file) + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]
