"""The site in a folder that 1.0 has written, migrated, and a backup of it."""

import hashlib
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.databases import migrated
from tests.support.processes import ROOT

from .test_backups import agon

DATA = ROOT / "tests/data/1.0"
MEDIA = {str(path.relative_to(DATA / "media")) for path in (DATA / "media").rglob("*") if path.is_file()}


def home(var: Path) -> dict[str, str]:
    """The environment of a site in this folder, with no other settings."""
    names = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "STORAGE")
    return {"AGON_VAR": str(var), **{name: "" for name in names}}


@pytest.fixture(scope="module")
def old_site(tmp_path_factory):
    """What 1.0 has written, not yet migrated."""
    var = tmp_path_factory.mktemp("old")
    with closing(sqlite3.connect(var / "agon.sqlite3")) as database:
        database.executescript((DATA / "site.sql").read_text())
    shutil.copytree(DATA / "media", var / "media")
    return home(var)


@pytest.fixture(scope="module")
def site(old_site, tmp_path_factory, store):
    """The same, migrated."""
    var = tmp_path_factory.mktemp("site") / "var"
    shutil.copytree(old_site["AGON_VAR"], var)
    shutil.copyfile(migrated(store.parent, DATA / "site.sql"), var / "agon.sqlite3")
    return home(var)


@pytest.fixture(scope="module")
def backup(site, tmp_path_factory):
    path = tmp_path_factory.mktemp("backups") / "site.backup"
    agon(site, "backup", path, "--with-keys")
    return path


@pytest.fixture
def empty(tmp_path):
    return home(tmp_path / "restored")


def files(var: str) -> dict[str, str]:
    """The digest of each file in the storage of a site."""
    media = Path(var) / "media"
    paths = [path for path in media.rglob("*") if path.is_file()]
    return {str(path.relative_to(media)): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def rows(var: str) -> list[str]:
    """What the database holds, without sessions and what a restore changes: numbers of events go on later."""
    others = ("django_session", "events_counter")
    with closing(sqlite3.connect(Path(var) / "agon.sqlite3")) as database:
        return [line for line in database.iterdump() if not any(other in line for other in others)]
