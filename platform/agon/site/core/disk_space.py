"""Whether the disks that a site writes to have space left, and the message if not.

Below AGON_FREE_MIB nothing big is written: uploads are refused, builds and matches wait. The rest is for the
database, logs, and sessions. The disk is checked each time, so work resumes without a restart. The disk of
PostgreSQL cannot be seen from here: agon/site/core/db/database_size.py.
"""

import errno
import os
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from agon.site.core.db import database_size

FEWEST_FILES = 1000  # free inodes
FULL = {errno.ENOSPC, errno.EDQUOT}
FULL_WORDS = ("database or disk is full", "No space left on device")  # of SQLite; of PostgreSQL and others
# SQLite reports these for a full disk and for other errors.
UNSURE_WORDS = ("disk I/O error", "unable to open database file")


class Shortage(NamedTuple):
    """Too little space in the file system of `folder`."""

    folder: Path
    free_mib: int
    least_mib: int

    def __str__(self) -> str:
        return (
            f"The disk that holds {self.folder} is nearly full: {self.free_mib} MiB are free, at least "
            f"{self.least_mib} MiB are needed (AGON_FREE_MIB); uploads, builds, and matches wait until "
            "there is space."
        )


def shortage() -> Shortage | database_size.Shortage | None:
    """The first disk that is nearly full, or else the database if it is too large; None if there is room."""
    return disk_shortage() or database_size.shortage()


def disk_shortage() -> Shortage | None:
    """The first disk that is nearly full, or None. Needs no database."""
    folders = dict.fromkeys((settings.VAR, settings.AGON_ARTIFACTS, settings.MEDIA_ROOT))
    return next((shortage for folder in folders if (shortage := _shortage(Path(folder)))), None)


def is_full(error: BaseException | None) -> bool:
    """Whether `error`, or an error that caused it, means that a disk is full."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in FULL:
            return True
        if any(words in str(error) for words in FULL_WORDS):
            return True
        if any(words in str(error) for words in UNSURE_WORDS):
            shortage = disk_shortage()
            return shortage is not None and shortage.free_mib == 0
        error = error.__cause__ or error.__context__
    return False


def _shortage(folder: Path) -> Shortage | None:
    while not folder.exists():
        folder = folder.parent
    disk = os.statvfs(folder)
    free = disk.f_bavail * disk.f_frsize >> 20
    no_files = disk.f_files > 0 and disk.f_favail < FEWEST_FILES
    if free >= settings.AGON_FREE_MIB and not no_files:
        return None
    return Shortage(folder, free, settings.AGON_FREE_MIB)
