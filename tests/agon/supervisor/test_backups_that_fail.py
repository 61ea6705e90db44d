"""Backups and restores of a site in a folder that are cut short, and files that somebody made up."""

import hashlib
import io
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from agon.backups import container, manifest, members
from agon.backups.manifest import About
from tests.support.processes import ROOT
from tests.support.small_disk import small_disk

from .conftest import eventually
from .kept_sites import MEDIA, backup, empty, files, home, old_site, rows, site
from .test_backups import agon

__all__ = ["backup", "empty", "old_site", "site"]

pytestmark = pytest.mark.slow


@pytest.fixture
def disk(tmp_path):
    with small_disk(tmp_path / "disk", "size=200k,mode=755") as folder:
        yield folder


def test_a_full_disk_leaves_nothing_half_done(site, backup, disk):
    said = agon(site, "backup", disk / "b", code=1)
    assert f"There is too little space on the disk for {disk}/b" in said
    assert [*disk.iterdir()] == []

    said = agon(home(disk), "restore", backup, code=1)
    assert "The disk that holds" in said
    assert rows(str(disk)) == ["BEGIN TRANSACTION;", "COMMIT;"]
    assert files(str(disk)) == {}


def test_a_disk_with_room_for_a_page_is_said_to_be_full(site, backup, disk, tmp_path):
    """SQLite's journal takes it, or the lock of the folder."""
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(196 << 10))
    shutil.copytree(site["AGON_VAR"], tmp_path / "var")
    with closing(sqlite3.connect(tmp_path / "var" / "agon.sqlite3")) as database, database:
        database.execute("CREATE TABLE large AS SELECT zeroblob(?)", [8 << 20])  # more than SQLite caches
    said = agon(home(tmp_path / "var"), "backup", disk / "b", code=1)
    assert f"There is too little space on the disk for {disk}/b" in said
    assert [*disk.iterdir()] == [ballast]

    said = agon(home(disk / "var"), "restore", backup, code=1)
    assert f"agon: Nothing was restored: the disk that holds {disk}/var is full." in said


@pytest.mark.first(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_backup_that_is_stopped_leaves_nothing_half_done(site, tmp_path, number):
    """It is stopped while it waits for a file that no one writes to; SIGHUP: its terminal is closed."""
    var = tmp_path / "var"
    shutil.copytree(site["AGON_VAR"], var)
    slow = sorted(MEDIA)[0]
    (var / "media" / slow).unlink()
    os.mkfifo(var / "media" / slow)
    environment = os.environ | home(var) | {"PYTHONPATH": f"{ROOT}:{ROOT}/platform"}
    target = tmp_path / "backups"
    target.mkdir()
    command = ["env", "--default-signal=INT,HUP", sys.executable, "-m", "agon", "backup", target / "b"]
    running = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    writer = os.open(var / "media" / slow, os.O_WRONLY)  # waits until the backup reads it
    try:
        [unfinished] = target.iterdir()
        assert unfinished.name.startswith(".agon-backup-")
        running.send_signal(number)
        _, said = running.communicate(timeout=120)
    finally:
        os.close(writer)
    assert (running.returncode, "Traceback" in said) == (130, False)
    assert [*target.iterdir()] == []


def test_what_a_killed_backup_leaves_is_removed_by_the_next_and_not_what_another_one_writes(site, tmp_path):
    """The database is in it, with the data of all people."""
    var = tmp_path / "var"
    shutil.copytree(site["AGON_VAR"], var)
    slow = sorted(MEDIA)[0]
    content = (var / "media" / slow).read_bytes()
    (var / "media" / slow).unlink()
    os.mkfifo(var / "media" / slow)
    environment = os.environ | home(var) | {"PYTHONPATH": f"{ROOT}:{ROOT}/platform"}
    target = tmp_path / "backups"
    target.mkdir()
    command = [sys.executable, "-m", "agon", "backup"]
    running, other = (subprocess.Popen([*command, target / name], env=environment) for name in "bc")
    with open(var / "media" / slow, "wb") as writer:  # waits until one reads it
        eventually(lambda: len([*target.glob(".agon-backup-*/backup")]) == 2)
        running.kill()
        running.wait()
        assert len([*target.iterdir()]) == 2
        agon(site, "backup", target / "d")
        assert len([*target.iterdir()]) == 2
        writer.write(content)
    assert other.wait(120) == 0
    assert sorted(path.name for path in target.iterdir()) == ["c", "d"]


@pytest.mark.exhaustive
def test_a_file_that_is_removed_meanwhile_is_left_out_and_no_failure(site, tmp_path):
    """The backup waits for its first file, when it has the database; then the last one is removed."""
    var = tmp_path / "var"
    shutil.copytree(site["AGON_VAR"], var)
    first, *_, last = sorted(name for name in MEDIA if name.startswith("sources/"))
    for name in MEDIA - {first, last}:
        if name < first:
            (var / "media" / name).unlink()
    (var / "media" / first).unlink()
    os.mkfifo(var / "media" / first)
    environment = os.environ | home(var) | {"PYTHONPATH": f"{ROOT}:{ROOT}/platform"}
    command = [sys.executable, "-m", "agon", "backup", tmp_path / "b", "--json"]
    running = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    with open(var / "media" / first, "wb") as writer:  # waits until the backup reads it
        with closing(sqlite3.connect(var / "agon.sqlite3")) as database, database:
            database.execute("UPDATE bots_submission SET source = '' WHERE source = ?", [last])
        (var / "media" / last).unlink()
        writer.write(b"the program")
    made = json.loads(running.communicate(timeout=120)[0])
    assert (running.returncode, made["removed"], last in made["missing"]) == (0, 1, False)
    report = json.loads(agon({}, "verify-backup", tmp_path / "b", "--json"))
    assert (report["sound"], report["removed"]) == (True, 1)


@pytest.mark.exhaustive
def test_a_restore_that_is_killed_can_be_done_again(site, backup, empty):
    """It is killed when it has written some files."""
    environment = os.environ | empty | {"PYTHONPATH": f"{ROOT}:{ROOT}/platform"}
    running = subprocess.Popen(
        [sys.executable, "-c", KILLED_AT_THE_FIFTH, "restore", backup], env=environment
    )
    assert running.wait(120) == -signal.SIGKILL
    assert len(files(empty["AGON_VAR"])) == 5
    agon(empty, "restore", backup)
    assert files(empty["AGON_VAR"]) == files(site["AGON_VAR"])
    assert rows(empty["AGON_VAR"]) == rows(site["AGON_VAR"])


KILLED_AT_THE_FIFTH = """
import os, signal
from agon.site.core.storage import WholeFiles
save, saved = WholeFiles._save, []
def kill_at_the_fifth(self, name, content):
    saved.append(save(self, name, content))
    if len(saved) == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return saved[-1]
WholeFiles._save = kill_at_the_fifth
from agon.__main__ import main
main()
"""


def test_a_key_is_no_place_for_a_gigabyte(backup, empty, tmp_path):
    def large(about: About, contents):
        return about, contents | {"keys/secret_key": bytes(1 << 20)}

    said = agon(empty, "restore", forged(tmp_path / "large", backup, large), code=1)
    assert "keys/secret_key is too large for a key" in said
    assert files(empty["AGON_VAR"]) == {}


def forged(path: Path, backup: Path, change) -> Path:
    """A backup with other members, which its manifest confirms. change: gets and returns them by name."""
    with tarfile.open(backup) as tar:
        contents = {member.name: tar.extractfile(member).read() for member in tar}
    lines = contents.pop("manifest.jsonl").splitlines(keepends=True)
    about = manifest.read_about(lines[0])
    about, contents = change(about, contents)
    kept_lines = io.BytesIO()
    with open(path, "w+b") as file:
        kept = manifest.Writer(kept_lines, about)
        for name, data in contents.items():
            with container.member(file, name, False, lambda *_: None) as content:
                content.write(data)
            size = int.from_bytes(data[-4:], "little") if name.endswith(".gz") else len(data)
            kept.add(name, container.Stored(len(data), hashlib.sha256(data).hexdigest(), size))
        kept.end()
        with container.member(file, members.MANIFEST, False, lambda *_: None) as content:
            content.write(kept_lines.getvalue())
        container.finish(file)
    return path


def test_a_backup_of_a_later_agon_is_refused_with_both_versions(backup, empty, tmp_path):
    def later(about: About, contents):
        migrations = (*about.migrations, "bots.0999_something_new")
        return about._replace(agon="9.7.0", of="9.7.0", migrations=migrations), contents

    said = agon(empty, "restore", forged(tmp_path / "later", backup, later), code=1)
    versions = "The backup is of Agon 9.7.0, and this is Agon 1.0.0"
    assert f"{versions}, which does not know bots.0999_something_new" in said
    assert files(empty["AGON_VAR"]) == {}


def test_a_backup_of_another_kind_of_database_is_refused(backup, empty, tmp_path):
    def foreign(about: About, contents):
        data = contents.pop("database.sqlite3.gz")
        return about._replace(kind="postgresql"), {"database.dump": data, **contents}

    said = agon(empty, "restore", forged(tmp_path / "other", backup, foreign), code=1)
    assert "The backup is of postgresql, and this site uses sqlite" in said


@pytest.mark.exhaustive
def test_a_database_that_is_none_is_not_restored_and_nothing_of_the_rest_is(backup, empty, tmp_path):
    def broken(about: About, contents):
        data = container.zlib.compress(b"no database" * 1000, wbits=31)
        return about, contents | {"database.sqlite3.gz": data}

    said = agon(empty, "restore", forged(tmp_path / "broken", backup, broken), code=1)
    assert "Nothing was restored: The database in the backup is damaged" in said
    assert files(empty["AGON_VAR"]) == {}
    assert not Path(empty["AGON_VAR"], "archive_key").exists()
    agon(empty, "restore", backup)  # into the same folder
    assert set(files(empty["AGON_VAR"])) == MEDIA


def test_a_bomb_is_refused_before_anything_is_written(backup, empty, tmp_path):
    """Its end says that it is 4 GiB."""

    def bomb(about: About, contents):
        data = container.zlib.compress(bytes(1 << 20), wbits=31)
        return about, contents | {members.of_file("sources/bomb"): data[:-4] + b"\xff\xff\xff\xff"}

    path = forged(tmp_path / "bomb", backup, bomb)
    said = agon(empty, "restore", path, code=1)
    assert "Nothing was restored" in said or "MiB free" in said
    assert files(empty["AGON_VAR"]) == {}


def test_names_lead_nowhere(backup, empty, tmp_path):
    def traversing(about: About, contents):
        return about, contents | {"files/../../../escaped.gz": container.zlib.compress(b"x", wbits=31)}

    said = agon(empty, "restore", forged(tmp_path / "bad", backup, traversing), code=1)
    assert "no member of a backup has this name" in said
    assert [*tmp_path.rglob("escaped*")] == []
