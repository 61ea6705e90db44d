from typing import Any

from django.core.management.base import no_translations
from django.core.management.commands import migrate
from django.db import connections

from agon.site.core import fresh_schema

# With any of these, Django's command does something else than to apply all migrations.
PARTLY = ("app_label", "fake", "fake_initial", "plan", "run_syncdb", "check_unapplied", "prune")


class Command(migrate.Command):
    """Django's command, but in an empty database it makes the tables at once."""

    help = "Brings the database to the state of this version. An empty one gets all tables at once."

    @no_translations
    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        if not any(options[name] for name in PARTLY) and fresh_schema.is_empty(connection):
            if options["verbosity"] >= 1:
                self.stdout.write("Making all tables of an empty database at once.")
            fresh_schema.make_tables(connection)
        super().handle(*args, **options)
