"""What an upgrade would do, and whether there is a way back."""

import json
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from agon import __version__
from agon.site.core.db import schema
from agon.supervisor.backing_up import LAST


class Check(NamedTuple):
    """agon: this version. database: the one that migrated the database last, "" if unknown.

    backup, made: the file of the last backup and when it was made; "" if none was made. there: whether the
    file is still there. too_new: a sentence if the database is of a later Agon.
    """

    agon: str
    database: str
    pending: list[str]
    backup: str
    made: str
    there: bool
    too_new: str | None

    @property
    def ready(self) -> bool:
        """Whether an upgrade is possible and can be undone."""
        return self.too_new is None and (not self.pending or self.there)

    @property
    def last_backup(self) -> str:
        if not self.backup:
            return "none was made here"
        return f"{self.backup}, made {self.made}{'' if self.there else ', is no longer there'}"


def check_upgrade() -> Check:
    """Look at the database and at the note of the last backup. Raises DatabaseError."""
    backup, made = _last_backup()
    there = bool(backup) and Path(backup).is_file()
    return Check(__version__, schema.release(), schema.pending(), backup, made, there, schema.why_too_new())


def _last_backup() -> tuple[str, str]:
    try:
        noted = json.loads((settings.VAR / LAST).read_text())
        return str(noted["file"]), str(noted["made"])
    except (OSError, ValueError, LookupError, TypeError):
        return "", ""
