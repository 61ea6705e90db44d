"""Whether PostgreSQL's database has grown beyond AGON_DATABASE_MIB.

Its disk may be another container's or another machine's, and PostgreSQL reports to its clients the size of a
database, not the free space of the disk. SQLite's file is on the site's own disk, which is watched by itself.
"""

import logging
import time
from typing import NamedTuple

from django.conf import settings
from django.db import Error, connection

FRESH = 10.0  # seconds for which a process keeps the size: asking for it reads the sizes of a thousand files

log = logging.getLogger(__name__)


class Shortage(NamedTuple):
    """A database of `mib`, with `most_mib` allowed."""

    mib: int
    most_mib: int

    def __str__(self) -> str:
        return (
            f"The database has {self.mib} MiB, at most {self.most_mib} MiB are allowed (AGON_DATABASE_MIB); "
            "uploads, builds, and matches wait until there is room."
        )


class _Size(NamedTuple):
    mib: int
    at: float


_known: _Size | None = None


def shortage() -> Shortage | None:
    """None if there is room, if the database is not PostgreSQL, or if it cannot be asked at the moment."""
    mib = _mib()
    return Shortage(mib, settings.AGON_DATABASE_MIB) if mib > settings.AGON_DATABASE_MIB else None


def in_bytes() -> int:
    """The size of the database now. Raises DatabaseError."""
    query = "SELECT pg_database_size(current_database())"
    if connection.vendor == "sqlite":
        query = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
    with connection.cursor() as cursor:
        cursor.execute(query)
        return int(cursor.fetchone()[0])


def _mib() -> int:
    global _known
    if connection.vendor != "postgresql" or connection.needs_rollback:
        return 0
    if _known is None or time.monotonic() - _known.at > FRESH:
        try:
            _known = _Size(in_bytes() >> 20, time.monotonic())
        except Error:
            log.warning("the size of the database is not known", exc_info=True)
            return 0
    return _known.mib
