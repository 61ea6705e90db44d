from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from django.core.management.base import no_translations
from django.core.management.commands import migrate
from django.db import DatabaseError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from agon.site.core import fresh_schema

# With any of these, Django's command does something else than to apply all migrations.
PARTLY = ("app_label", "fake", "fake_initial", "plan", "run_syncdb", "check_unapplied", "prune")
_LOCK = 0x41676F6D  # of PostgreSQL


class Command(migrate.Command):
    """Django's command, but in an empty database it makes the tables at once, and others wait for it."""

    help = "Brings the database to the state of this version. An empty one gets all tables at once."

    @no_translations
    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        if options["plan"] or options["check_unapplied"]:
            super().handle(*args, **options)
            return
        with _alone(connection):
            if not any(options[name] for name in PARTLY) and fresh_schema.is_empty(connection):
                if options["verbosity"] >= 1:
                    self.stdout.write("Making all tables of an empty database at once.")
                fresh_schema.make_tables(connection)
            super().handle(*args, **options)


@contextmanager
def _alone(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """While no other process migrates: it would fail at tables that this one makes, or the other way round.

    Several machines of a site may start at once, and an operator may upgrade while they do. With SQLite, a
    site has a lock on its folder.
    """
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
    try:
        yield
    finally:
        with suppress(DatabaseError), connection.cursor() as cursor:  # a connection that broke has lost it
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])
