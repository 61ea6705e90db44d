"""The tables of an older version of the site, for tests of migrations that convert what is in them.

A new database is made by squashed migrations. From one state to another these tests go by the migrations that
those replace, which exist for older sites.
"""

from django.apps.registry import Apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader


def migrate_to(*targets: tuple[str, str]) -> Apps:
    """Bring the tables to those migrations, each (app, name); the models as they were then."""
    executor = _executor()
    executor.migrate(list(targets))
    return executor.loader.project_state(list(targets)).apps


def migrate_all() -> None:
    """Bring all tables to what they are now."""
    executor = _executor()
    executor.migrate(executor.loader.graph.leaf_nodes())


def _executor() -> MigrationExecutor:
    executor = MigrationExecutor(connection)
    executor.loader = _Unsquashed(connection)
    return executor


class _Unsquashed(MigrationLoader):
    """Every migration but those that replace others."""

    def load_disk(self) -> None:
        super().load_disk()
        self.disk_migrations = {
            key: migration for key, migration in self.disk_migrations.items() if not migration.replaces
        }
