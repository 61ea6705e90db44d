"""An empty database gets its tables at once, and they are those that the migrations make."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from urllib.parse import urlsplit

import psycopg2
import pytest
from django.core.management import call_command
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from agon import __version__
from agon.site.core import fresh_schema
from agon.site.core.models import Release
from tests.agon.supervisor.conftest import eventually
from tests.support import schemas
from tests.support.databases import migrated, migrated_on_server
from tests.support.processes import ROOT

SITE_OF_1_0 = ROOT / "tests/data/1.0/site.sql"


@pytest.fixture
def empty(tmp_path, django_db_blocker):
    """A database without tables, on the same engine as that of the tests, whose place it takes."""
    usual, name = connections["default"], f"empty_{os.getpid()}"
    database = usual.copy()
    with django_db_blocker.unblock():
        if usual.vendor == "sqlite":
            name = str(tmp_path / "empty.sqlite3")
        else:
            with usual.cursor() as cursor:
                cursor.execute(f"CREATE DATABASE {name}")
        database.settings_dict["NAME"] = name
        connections["default"] = database
        yield database
        connections["default"] = usual
        database.close()
        if usual.vendor != "sqlite":
            with usual.cursor() as cursor:
                cursor.execute(f"DROP DATABASE {name}")


def tables(database):
    return set(database.introspection.table_names())


def test_tables_on_sqlite_are_those_of_an_upgraded_site(store):
    """Where they differ, a migration has done something in the database that the models do not say."""
    fresh, upgraded = migrated(store.parent), migrated(store.parent, SITE_OF_1_0)
    assert schemas.of_sqlite(fresh) ^ schemas.of_sqlite(upgraded) == set()


@pytest.mark.parametrize("query", schemas.FIRST_ROWS)
def test_first_rows_are_those_that_an_upgraded_site_has(store, query):
    """Where they differ, a migration writes rows into an empty database without `hints={"fresh": True}`."""

    def rows(path):
        with closing(sqlite3.connect(path)) as database:
            return sorted(database.execute(query).fetchall())

    assert rows(migrated(store.parent)) == rows(migrated(store.parent, SITE_OF_1_0))


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.postgres
def test_tables_and_rows_on_postgresql_are_those_that_the_migrations_make(postgres_url, store):
    def url(name):
        return urlsplit(postgres_url)._replace(path=f"/{name}").geturl()

    def rows(name):
        with closing(psycopg2.connect(url(name))) as database, database.cursor() as cursor:
            cursor.execute("SELECT relname FROM pg_stat_user_tables WHERE schemaname = 'public'")
            counts = [f"SELECT '{table}', count(*) FROM \"{table}\"" for (table,) in cursor.fetchall()]
            result = []
            for query in [*schemas.FIRST_ROWS, *counts]:
                cursor.execute(query)
                result += cursor.fetchall()
            return set(result)

    step_by_step = f"steps_{os.getpid()}"
    with closing(psycopg2.connect(postgres_url)) as server:
        server.autocommit = True
        server.cursor().execute(f"CREATE DATABASE {step_by_step}")
        try:
            with closing(psycopg2.connect(url(step_by_step))) as database, database:
                database.cursor().execute("CREATE TABLE another ()")  # so that it is not empty
            command = [sys.executable, ROOT / "manage.py", "migrate", "--verbosity=0"]
            subprocess.run(command, env=os.environ | {"DATABASE_URL": url(step_by_step)}, check=True)
            with closing(psycopg2.connect(url(step_by_step))) as database, database:
                database.cursor().execute("DROP TABLE another")
            fresh = migrated_on_server(postgres_url, store.parent)
            assert schemas.of_postgres(url(fresh)) ^ schemas.of_postgres(url(step_by_step)) == set()
            assert rows(fresh) ^ rows(step_by_step) == set()
        finally:
            server.cursor().execute(f"DROP DATABASE {step_by_step}")


@pytest.mark.production
def test_an_interrupted_start_leaves_an_empty_database_for_the_next(empty, monkeypatch):
    def interrupted(*arguments, **options):
        assert len(tables(empty)) > 50
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(MigrationExecutor, "migrate", interrupted)
        with pytest.raises(KeyboardInterrupt):
            fresh_schema.make_tables(empty)
    assert tables(empty) == set()

    call_command("migrate", verbosity=0)
    assert len(tables(empty)) > 50
    call_command("migrate", check_unapplied=True)  # raises SystemExit if one is not applied
    assert Release.objects.get().version == __version__


def test_tables_that_another_process_has_just_made_stay(empty):
    with empty.cursor() as cursor:
        cursor.execute("CREATE TABLE another (number integer)")
    fresh_schema.make_tables(empty)
    assert tables(empty) == {"another"}


@pytest.mark.parametrize(
    ("options", "made"),
    [
        ({"plan": True}, set()),
        ({"app_label": "sessions"}, {"django_migrations", "django_session"}),
        ({"app_label": "sessions", "fake": True}, {"django_migrations"}),
    ],
    ids=["a plan", "one app", "one app that is only recorded"],
)
def test_a_part_of_the_work_is_left_to_django(empty, options, made):
    call_command("migrate", verbosity=0, **options)
    assert tables(empty) == made


@pytest.mark.production
@pytest.mark.postgres
def test_two_processes_that_migrate_at_once_do_it_one_after_the_other(postgres_url, empty):
    """The table that both want to make is held back until both wait."""
    address = urlsplit(postgres_url)._replace(path=f"/{empty.settings_dict['NAME']}").geturl()
    command = [sys.executable, ROOT / "manage.py", "migrate", "sessions", "--verbosity=0"]
    with closing(psycopg2.connect(address)) as holding:
        holding.cursor().execute("CREATE TABLE django_session ()")
        migrating = [subprocess.Popen(command, env=os.environ | {"DATABASE_URL": address}) for _ in range(2)]
        eventually(lambda: waiting(empty) == 2)
        holding.rollback()
    assert [process.wait(60) for process in migrating] == [0, 0]
    assert "django_session" in tables(empty)


def waiting(database):
    with database.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return cursor.fetchone()[0]
