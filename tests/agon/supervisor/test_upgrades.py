"""Upgrades: what is pending, the copy from before; an earlier Agon leaves a later database alone."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection

from agon.cli.examples import EXAMPLES
from tests.support.databases import migrated
from tests.support.processes import ROOT, site_environment

from .kept_sites import DATA, home, old_site, rows
from .test_backups import agon, run
from .test_site import port

__all__ = ["old_site", "port"]

pytestmark = pytest.mark.slow
LATER = "The database is of Agon 9.7.0, and this is Agon 1.0.0, which does not know bots.0999_later"


@pytest.fixture
def own(old_site, tmp_path):
    """A site of 1.0 that is not yet migrated."""
    shutil.copytree(old_site["AGON_VAR"], tmp_path / "var")
    return home(tmp_path / "var")


@pytest.fixture
def upgraded(own, store):
    """The same site, migrated."""
    shutil.copyfile(migrated(store.parent, DATA / "site.sql"), Path(own["AGON_VAR"], "agon.sqlite3"))
    return own


def copies(environment):
    return sorted(Path(environment["AGON_VAR"], "before-upgrades").glob("*"))


def change(environment, *statements):
    with closing(sqlite3.connect(Path(environment["AGON_VAR"], "agon.sqlite3"))) as database, database:
        for statement in statements:
            database.execute(statement)


def make_later(environment):
    """The database of a later Agon."""
    change(
        environment,
        "INSERT INTO django_migrations (app, name, applied) VALUES ('bots', '0999_later', '2027-01-01')",
        "INSERT INTO core_release (version, since) VALUES ('9.7.0', '2027-01-01')",
    )


@pytest.mark.exhaustive
def test_an_upgrade_is_checked_done_and_undone(own, tmp_path):
    before = rows(own["AGON_VAR"])
    check, upgrade = (line.split()[1:] for line in EXAMPLES["upgrade"])
    said = agon(own, *check, code=1)
    assert "this is Agon 1.0.0; the database is of an earlier Agon\n" in said
    assert "    core.0001_versions_that_migrated\n" in said
    assert "  last backup: none was made here\n" in said
    assert "make a backup first" in said
    assert rows(own["AGON_VAR"]) == before

    agon(own, "backup", tmp_path / "b")
    assert f"last backup: {tmp_path}/b, made 2" in agon(own, *check)
    (tmp_path / "b").unlink()
    assert "is no longer there" in agon(own, *check, code=1)

    assert "the database is of Agon 1.0.0\n  as it was before: " in agon(own, *upgrade)
    told = json.loads(agon(own, *check, "--json"))
    assert (told["pending"], told["database"], told["ready"]) == ([], "1.0.0", True)
    [copy] = copies(own)
    assert copy.stat().st_mode & 0o777 == 0o600
    assert "agon-earlier-" in copy.name
    agon(own, *upgrade)  # now nothing is pending, and nothing is copied
    assert copies(own) == [copy]

    for path in Path(own["AGON_VAR"]).glob("agon.sqlite3*"):
        path.unlink()
    shutil.copy(copy, Path(own["AGON_VAR"], "agon.sqlite3"))
    assert rows(own["AGON_VAR"]) == before
    agon(own, *upgrade)
    assert len(copies(own)) == 2


@pytest.mark.exhaustive
def test_the_last_three_copies_are_kept(own):
    folder = Path(own["AGON_VAR"], "before-upgrades")
    folder.mkdir()
    for year in (2021, 2022, 2023, 2024):
        (folder / f"agon-{2030 - year}.0-{year}0101T000000Z.sqlite3").write_text("older")
    agon(own, "upgrade")
    kept = [path.name for path in copies(own)]
    assert len(kept) == 3
    assert "agon-7.0-20230101T000000Z.sqlite3" in kept
    assert "agon-8.0-20220101T000000Z.sqlite3" not in kept


@pytest.mark.exhaustive
def test_an_upgrade_that_failed_halfway_keeps_the_copy_from_before_it(own):
    """However often it is tried again: a copy of a half-changed database would be no way back."""
    change(own, "CREATE TABLE fleet_canary (id integer)")  # which a migration makes
    before = rows(own["AGON_VAR"])
    agon(own, "upgrade", code=1)
    assert rows(own["AGON_VAR"]) != before
    change(own, "DROP TABLE fleet_canary")
    said = agon(own, "upgrade")
    [copy] = copies(own)
    assert f"as it was before: {copy}\n" in said
    Path(own["AGON_VAR"], "agon.sqlite3").unlink()
    shutil.copy(copy, Path(own["AGON_VAR"], "agon.sqlite3"))
    assert rows(own["AGON_VAR"]) == before


def test_without_room_for_a_copy_nothing_is_changed(own):
    before = rows(own["AGON_VAR"])
    said = agon(own | {"AGON_FREE_MIB": str(1 << 40)}, "upgrade", code=1)
    assert "has to change the database, of which it makes a copy before" in said
    assert rows(own["AGON_VAR"]) == before
    assert copies(own) == []


def refused(environment, *command):
    """What a program says that ends by itself, with an exit code that is not 0."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "platform")])
    ran = subprocess.run(
        [sys.executable, *command],
        env=os.environ | {"PYTHONPATH": path} | environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr
    [line] = ran.stderr.splitlines()
    return line


COMMANDS = {
    "migrate": ("manage.py", "migrate"),
    "worker": ("-m", "agon.supervisor.consumer", "worker", "w", "bulk"),
    "workers": ("-m", "agon.supervisor.workers"),
    "scheduler": ("-m", "agon.supervisor.consumer", "scheduler"),
    "web": ("-m", "uvicorn", "agon.site.server:application", "--port", "0"),
}


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("-m", "agon", "serve"), id="serve"),
        *(pytest.param(command, id=name, marks=pytest.mark.exhaustive) for name, command in COMMANDS.items()),
    ],
)
def test_a_later_database_is_refused_with_both_versions_in_one_sentence(upgraded, command, port):
    make_later(upgraded)
    before = rows(upgraded["AGON_VAR"])
    assert LATER in refused(upgraded | {"AGON_SANDBOX": "bubblewrap", "PORT": str(port)}, *command)
    assert rows(upgraded["AGON_VAR"]) == before


@pytest.mark.exhaustive
def test_it_is_not_backed_up_or_upgraded_either(upgraded, tmp_path):
    make_later(upgraded)
    for words in (["backup", tmp_path / "b"], ["upgrade"], ["upgrade", "--check"]):
        assert LATER in agon(upgraded, *words, code=1)
    assert not (tmp_path / "b").exists()


@pytest.mark.first(1)
@pytest.mark.django_db(transaction=True)
@pytest.mark.production
@pytest.mark.parametrize("name", COMMANDS)
def test_no_service_of_a_production_site_starts_on_a_later_database(name):
    environment = site_environment()
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('bots', '0999_later', now())"
            if connection.vendor == "postgresql"
            else "INSERT INTO django_migrations (app, name, applied) VALUES ('bots', '0999_later', 1)"
        )
        try:
            assert "which does not know bots.0999_later" in refused(environment, *COMMANDS[name])
        finally:
            cursor.execute("DELETE FROM django_migrations WHERE name = '0999_later'")


@pytest.mark.django_db(transaction=True)
def test_a_database_that_does_not_answer_keeps_nothing_from_starting():
    """The site says so on its pages, and workers try again."""
    nowhere = {"DATABASE_URL": "postgres://agon@127.0.0.1:1/none"}
    script = "from agon.site.core.db import schema; print(schema.why_not_to_start())"
    setting = {"DJANGO_SETTINGS_MODULE": "agon.site.settings"}
    assert run(site_environment() | nowhere | setting, "-c", script) == "None\n"
