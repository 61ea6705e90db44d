"""Brings the database to the state of this Agon. An SQLite database is copied before, for the way back.

A database that a later Agon has migrated is refused: this one would fail at random.

An upgrade that was stopped or failed halfway is continued by the next start. The copy is then the one that
was made when it began: one of a half-changed database would be no way back. The file UNFINISHED names it
until the upgrade has ended.
"""

import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection

from agon.site.core.db import database_size, schema
from agon.site.core.db.snapshots import SQLITE, SnapshotError, copy_sqlite
from agon.supervisor.errors import StartupError

COPIES = "before-upgrades"  # folder of AGON_VAR
KEPT = 3
UNFINISHED = "unfinished"
PARTIAL = ".partial"


def migrate() -> Path | None:
    """Apply the migrations that are pending; returns the copy of the database from before, if one was made.

    Raises StartupError.
    """
    if why := schema.why_too_new():
        raise StartupError(why)
    copy, folder = None, settings.VAR / COPIES
    if settings.EMBEDDED and connection.vendor == SQLITE and schema.applied() and schema.pending():
        copy = _from_before(folder) or _keep_copy(folder)
    call_command("migrate", verbosity=0, interactive=False)
    connection.close()  # so all of it is in the database's own file
    (folder / UNFINISHED).unlink(missing_ok=True)
    return copy


def _from_before(folder: Path) -> Path | None:
    """The copy from before an upgrade that has not ended, if that has changed the database since."""
    try:
        copy = folder / (folder / UNFINISHED).read_text()
        with closing(sqlite3.connect(f"{copy.as_uri()}?mode=ro", uri=True)) as database:
            rows = database.execute(f"SELECT app, name FROM {schema.APPLIED}").fetchall()
    except (OSError, sqlite3.Error):  # there is no such upgrade, or the copy was removed
        return None
    before = {f"{app}.{name}" for app, name in rows}
    return copy if before < schema.applied() else None


def _keep_copy(folder: Path) -> Path:
    folder.mkdir(mode=0o700, exist_ok=True)
    for left in folder.glob(f"*{PARTIAL}*"):  # by a process that was killed
        left.unlink()
    needed = database_size.in_bytes() + (settings.AGON_FREE_MIB << 20)
    disk = os.statvfs(folder)
    free = disk.f_bavail * disk.f_frsize
    if needed > free:
        raise StartupError(
            "This Agon has to change the database, of which it makes a copy before. The disk that holds"
            f" {folder} has {free >> 20} MiB free, and {-(-needed >> 20)} MiB are needed: free some"
            " space there."
        )
    name = f"agon-{schema.release() or 'earlier'}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.sqlite3"
    partial = folder / f"{name}{PARTIAL}"
    try:
        partial.touch(mode=0o600)
        copy_sqlite(partial)
        os.replace(partial, folder / name)
    except (OSError, SnapshotError) as error:
        raise StartupError(f"The database could not be copied before it is changed: {error}") from error
    finally:
        partial.unlink(missing_ok=True)
    for older in sorted(folder.glob("agon-*.sqlite3"), key=_when)[:-KEPT]:
        older.unlink()
    (folder / UNFINISHED).write_text(name)
    return folder / name


def _when(copy: Path) -> str:
    return copy.stem.rpartition("-")[2]
