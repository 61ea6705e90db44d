"""Makes the tables of an empty database at once, as all migrations together would leave them.

Theory of operation.

- Django makes the models of each state between two migrations, which is nearly all of the work of migrating
  an empty database. Here only the models of the last state are made.
- They are not the models of the apps: a key's type, for example, may be another one.
- All of it is one transaction: a process that is killed leaves an empty database.
- Rows that a migration writes into an empty database are written here, too, if it says so: its `RunPython`
  has `hints={"fresh": True}` and works with the models of the last state.
- A migration whose SQL does something that the models do not say has no place here. A test compares the
  tables and rows with those that the migrations make.
"""

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations import RunPython
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model


def is_empty(connection: BaseDatabaseWrapper) -> bool:
    """Whether the database has no tables."""
    return not connection.introspection.table_names()


def make_tables(connection: BaseDatabaseWrapper) -> None:
    """Make all tables and record all migrations as applied, unless another process has just made tables."""
    executor = MigrationExecutor(connection)
    latest = executor.loader.graph.leaf_nodes()
    plan = executor.migration_plan(latest)
    last = executor.loader.project_state().apps
    models: list[type[Model]] = [MigrationRecorder.Migration, *last.get_models()]
    with connection.schema_editor() as editor:
        if not is_empty(connection):
            return
        for model in models:
            if model._meta.can_migrate(connection):
                editor.create_model(model)
        for migration, _ in plan:
            for operation in migration.operations:
                if isinstance(operation, RunPython) and "fresh" in operation.hints:
                    operation.code(last, editor)
        executor.migrate(latest, plan, fake=True)
