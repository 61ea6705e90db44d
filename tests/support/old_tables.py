"""The tables of an older version of the site, for tests of migrations that convert what is in them."""

from django.apps.registry import Apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor


def migrate_back(*targets: tuple[str, str]) -> Apps:
    """Bring the tables to those migrations, each (app, name); the models as they were then.

    A new database is made by the squashed migrations. The way back leads over those that they replace.
    """
    executor = MigrationExecutor(connection)
    executor.loader.replace_migrations = False
    executor.loader.build_graph()
    executor.migrate(list(targets))
    return executor.loader.project_state(list(targets)).apps
