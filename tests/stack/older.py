"""Puts the data of 1.0 into a PostgreSQL database, as 1.0 would have written it there.

The release left a SQLite database (tests/data). The tables are made by the migrations that 1.0 had, and get
the rows.

    DATABASE_URL=... python -m tests.stack.older tests/data/1.0/site.sql
"""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.processes import ROOT

from .stack import Stack, inspected

SITE = ROOT / "tests/data/1.0/site.sql"


def load_site_of_1_0(stack: Stack) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "DATABASE_URL": f"postgres://agon@{address_of(stack, 'postgres')}/agon",
        "DATABASE_PASSWORD_FILE": str(stack.secrets / "postgres_password"),
        "REDIS_URL": f"redis://{address_of(stack, 'redis')}/0",
        "REDIS_PASSWORD_FILE": str(stack.secrets / "redis_password"),
        "SECRET_KEY_FILE": str(stack.secrets / "secret_key"),
        "DJANGO_SETTINGS_MODULE": "agon.site.settings",
        "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}",
        "AGON_VAR": str(stack.data),
    }
    command = [sys.executable, "-m", "tests.stack.older", str(SITE)]
    ran = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def address_of(stack: Stack, service: str) -> str:
    """Its address in the network of the stack, which this machine reaches."""
    return inspected(stack.container(service), "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}")


def main(dump: Path) -> None:
    import django

    django.setup()
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    source = sqlite3.connect(":memory:")
    source.executescript(dump.read_text())
    executor = MigrationExecutor(connection)
    # The latest of each application: those before them come with it.
    latest = dict(source.execute("SELECT app, name FROM django_migrations ORDER BY app, name"))
    executor.migrate(list(latest.items()))
    tables = {row[0] for row in source.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    tables -= {"sqlite_sequence", "django_migrations"}
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica; SET TIME ZONE 'UTC'")
        for table in tables:
            cursor.execute(f'TRUNCATE "{table}" CASCADE')  # migrations have filled some of them
        for table in tables:
            _copy(source, cursor, table)


def _copy(source: sqlite3.Connection, cursor: Any, table: str) -> None:
    rows = source.execute(f'SELECT * FROM "{table}"')
    columns = [column[0] for column in rows.description]
    cursor.execute(
        "SELECT column_name, data_type, pg_get_serial_sequence(table_name, column_name)"
        " FROM information_schema.columns WHERE table_name = %s",
        [table],
    )
    types = {name: (kind, sequence) for name, kind, sequence in cursor.fetchall()}
    names, marks = ", ".join(f'"{name}"' for name in columns), ", ".join(["%s"] * len(columns))
    is_bool = [types[name][0] == "boolean" for name in columns]
    for row in rows:
        values = [bool(v) if flag and v is not None else v for v, flag in zip(row, is_bool, strict=True)]
        cursor.execute(f'INSERT INTO "{table}" ({names}) OVERRIDING SYSTEM VALUE VALUES ({marks})', values)
    for name, (_kind, sequence) in types.items():
        if sequence:
            cursor.execute(
                f'SELECT setval(%s, (SELECT COALESCE(max("{name}"), 0) + 1 FROM "{table}"), false)',
                [sequence],
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
