"""Migrates the database to older versions, for tests of migrations that convert data.

New databases are made by squashed migrations. These tests use the migrations that the squashed ones replace,
as older sites do.
"""

from django.apps.registry import Apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader


def migrate_to(*targets: tuple[str, str]) -> Apps:
    """Migrate the database to these migrations, each (app, name); returns the models of that time."""
    executor = _executor()
    executor.migrate(list(targets))
    return executor.loader.project_state(list(targets)).apps


def migrate_all() -> None:
    """Migrate the database to the newest migrations."""
    executor = _executor()
    executor.migrate(executor.loader.graph.leaf_nodes())


def _executor() -> MigrationExecutor:
    executor = MigrationExecutor(connection)
    executor.loader = _Unsquashed(connection)
    return executor


class _Unsquashed(MigrationLoader):
    """Loads all migrations except squashed ones."""

    def load_disk(self) -> None:
        super().load_disk()
        self.disk_migrations = {
            key: migration for key, migration in self.disk_migrations.items() if not migration.replaces
        }
