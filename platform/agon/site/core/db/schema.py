"""Whether the database and this Agon fit each other: which migrations are applied, and which are known here.

A database that a later version has migrated cannot be used by an earlier one, which would fail at random. So
no migration is renamed or removed once it was released. The known ones are read off the names of their files:
importing them all would cost each process of a site a third of a second.
"""

import logging
import warnings
from collections.abc import Collection
from functools import cache
from importlib import import_module
from pathlib import Path

from django.apps import AppConfig
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, OperationalError, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from agon import __version__

APPLIED = "django_migrations"
_RELEASES = "core_release"

log = logging.getLogger(__name__)


@cache
def known() -> frozenset[str]:
    """Every migration that this Agon has, as `app.name`."""
    result: set[str] = set()
    for app in map(AppConfig.create, settings.INSTALLED_APPS):
        folders = [Path(folder, "migrations") for folder in import_module(app.name).__path__]
        files = [file for folder in folders for file in folder.glob("[!_]*.py")]
        result |= {f"{app.label}.{file.stem}" for file in files}
    return frozenset(result)


def applied(database: BaseDatabaseWrapper | None = None) -> set[str]:
    """Every migration that was applied to the database, as `app.name`. Raises DatabaseError.

    database: a connection to it; None for that of this thread.
    """
    database = database or connections[DEFAULT_DB_ALIAS]
    if APPLIED not in database.introspection.table_names():
        return set()
    with database.cursor() as cursor:
        cursor.execute(f"SELECT app, name FROM {APPLIED}")
        return {f"{app}.{name}" for app, name in cursor.fetchall()}


def pending(database: BaseDatabaseWrapper | None = None) -> list[str]:
    """The migrations that are not yet applied; database: as of `applied`. Raises DatabaseError."""
    return sorted(known() - applied(database))


def release() -> str:
    """The version of Agon that migrated the database last; "" if unknown. Raises DatabaseError."""
    if _RELEASES not in connection.introspection.table_names():
        return ""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT version FROM {_RELEASES} ORDER BY id DESC LIMIT 1")
        row = cursor.fetchone()
    return "" if row is None else str(row[0])


def why_too_new() -> str | None:
    """A sentence if a later version of Agon has migrated the database; else None. Raises DatabaseError."""
    return too_new(applied(), release(), "The database")


def too_new(migrations: Collection[str], by: str, what: str) -> str | None:
    """A sentence if `what` has migrations that this Agon does not know; else None.

    by: the version that has applied them, "" if unknown.
    """
    unknown = sorted({*migrations} - known())
    if not unknown:
        return None
    more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
    return (
        f"{what} is of {f'Agon {by}' if by else 'a later Agon'}, and this is Agon {__version__}, which does"
        f" not know {unknown[0]}{more}: use the later version, or restore a backup from before."
    )


def why_of_no_use() -> str | None:
    """A sentence if the database has not exactly the tables of this Agon; else None. Raises DatabaseError."""
    if not applied():
        if settings.EMBEDDED:
            return f"There is no site in {settings.VAR}: AGON_VAR names the folder of one."
        return "There is no site in this database: it has no tables of Agon."
    if (why := why_too_new()) or not pending():
        return why
    by = release()
    return (
        f"The database is of {f'Agon {by}' if by else 'an earlier Agon'}, and this is Agon {__version__},"
        " which has to change it first: start the site, or run `agon upgrade`."
    )


def why_not_to_start() -> str | None:
    """The same for a process that starts and needs no database yet: one that does not answer is no reason."""
    try:
        with warnings.catch_warnings():
            # Django warns of queries before it is set up, as not every process does; ours need no models.
            warnings.filterwarnings("ignore", "Accessing the database during app initialization")
            return why_too_new()
    except OperationalError as error:
        log.warning("the database does not answer: %s", error)
        return None
    finally:
        connection.close()
