"""Backups of a site in a folder: what is in them, what is refused, what is left behind."""

import hashlib
import io
import json
import os
import shlex
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
from agon.backups.checking import check
from agon.backups.manifest import About
from agon.cli.examples import EXAMPLES
from tests.support.databases import migrated
from tests.support.processes import ROOT

from .test_backups import agon, run

pytestmark = pytest.mark.slow

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
    found = [path for path in media.rglob("*") if path.is_file()]
    return {str(path.relative_to(media)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def rows(var: str) -> list[str]:
    with closing(sqlite3.connect(Path(var) / "agon.sqlite3")) as database:
        return [line for line in database.iterdump() if "django_session" not in line]


def test_everything_is_there_again_with_its_keys(site, backup, empty):
    said = agon(empty, "restore", backup)
    assert "is restored: the database" in said
    assert files(empty["AGON_VAR"]) == files(site["AGON_VAR"])
    assert set(files(empty["AGON_VAR"])) == MEDIA
    assert rows(empty["AGON_VAR"]) == rows(site["AGON_VAR"])
    for key in ("secret_key", "archive_key"):
        path = Path(empty["AGON_VAR"], key)
        assert path.read_text() == Path(site["AGON_VAR"], key).read_text().strip()
        assert path.stat().st_mode & 0o777 == 0o600
    assert Path(empty["AGON_VAR"], "agon.sqlite3").stat().st_mode & 0o777 == 0o600
    assert "days checked: " in run(empty, ROOT / "manage.py", "check_chain")
    assert " 0 differences" in run(empty, ROOT / "manage.py", "recompute_ratings", "--check")


@pytest.mark.exhaustive
def test_a_refused_attempt_makes_no_key_that_stays(site, backup, empty):
    other = Path(empty["AGON_VAR"], "media", "other")
    other.parent.mkdir(parents=True)
    other.write_text("x")
    agon(empty, "restore", backup, code=1)
    other.unlink()
    agon(empty, "restore", backup)
    assert (
        Path(empty["AGON_VAR"], "secret_key").read_text() == Path(site["AGON_VAR"], "secret_key").read_text()
    )


def test_a_key_for_archives_that_was_there_before_is_kept(backup, empty):
    Path(empty["AGON_VAR"]).mkdir()
    Path(empty["AGON_VAR"], "archive_key").write_text("another")
    assert "archive_key was there before, and is kept" in agon(empty, "restore", backup)
    assert Path(empty["AGON_VAR"], "archive_key").read_text() == "another"


def test_without_being_asked_for_no_key_is_in_a_backup(site, tmp_path):
    said = agon(site, "backup", tmp_path / "b")
    assert "left out: artifacts, cache and broker, which are made again; the keys (--with-keys)" in said
    with tarfile.open(tmp_path / "b") as tar:
        assert [name for name in tar.getnames() if "key" in name] == []
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o600
    secret = Path(site["AGON_VAR"], "secret_key").read_bytes()
    assert secret not in (tmp_path / "b").read_bytes()


def test_it_is_the_database_first_and_verify_needs_no_site(site, backup, tmp_path):
    with tarfile.open(backup) as tar:
        names = tar.getnames()
    assert names[0] == "database.sqlite3.gz"
    assert {members.file_of(name) for name in names} - {None} == MEDIA
    nowhere = {"AGON_VAR": str(tmp_path / "none"), "DJANGO_SETTINGS_MODULE": "none"}
    told = json.loads(agon(nowhere, "verify-backup", backup, "--json"))
    assert (told["sound"], told["findings"], told["members"]) == (True, [], len(names) - 1)
    assert not (tmp_path / "none").exists()


def test_thirty_flipped_bytes_are_each_named_and_none_is_restored(backup, empty, tmp_path):
    data = backup.read_bytes()
    with tarfile.open(backup) as tar:
        begins = [(each.offset, each.name) for each in tar]
    places = [len(data) * number // 30 for number in range(30)]
    for place in places:
        flipped = bytearray(data)
        flipped[place] ^= 0x10
        found = check(io.BytesIO(flipped)).findings
        name = [name for at, name in begins if at <= place][-1]
        assert any(name in words for words in found), (place, name, found)
    (tmp_path / "flipped").write_bytes(flipped)
    assert f"  {name}: damaged" in agon({}, "verify-backup", tmp_path / "flipped", code=1)
    said = agon(empty, "restore", tmp_path / "flipped", code=1)
    assert " is not sound: " in said
    assert not Path(empty["AGON_VAR"]).exists()


def test_a_site_that_is_not_empty_is_left_alone(site, backup):
    before = rows(site["AGON_VAR"]), files(site["AGON_VAR"])
    said = agon(site, "restore", backup, code=1)
    assert "This site is not empty: its database has" in said
    assert said.count("\n") == 1
    assert (rows(site["AGON_VAR"]), files(site["AGON_VAR"])) == before


@pytest.mark.exhaustive
def test_files_of_another_site_are_in_the_way(backup, empty):
    other = Path(empty["AGON_VAR"], "media", "sources", "other")
    other.parent.mkdir(parents=True)
    other.write_text("x")
    said = agon(empty, "restore", backup, code=1)
    assert "its storage has files that are not in the backup, as sources/other" in said
    assert set(files(empty["AGON_VAR"])) == {"sources/other"}


@pytest.mark.exhaustive
def test_what_a_killed_restore_left_behind_is_no_obstacle(site, backup, empty):
    some = sorted(MEDIA)[0]
    path = Path(empty["AGON_VAR"], "media", some)
    path.parent.mkdir(parents=True)
    shutil.copy(Path(site["AGON_VAR"], "media", some), path)
    agon(empty, "restore", backup)
    assert files(empty["AGON_VAR"]) == files(site["AGON_VAR"])


@pytest.mark.exhaustive
def test_a_cache_that_may_hold_a_former_site_has_to_be_emptied_first(backup, empty):
    broken = empty | {"REDIS_URL": "redis://127.0.0.1:1/0", "SECRET_KEY": "any"}
    Path(empty["AGON_VAR"]).mkdir()
    said = agon(broken, "restore", backup, code=1)
    assert "Nothing was restored: the cache (REDIS_URL) does not answer: " in said
    assert files(empty["AGON_VAR"]) == {}
    assert rows(empty["AGON_VAR"]) == ["BEGIN TRANSACTION;", "COMMIT;"]


def test_a_running_site_is_not_restored_into(backup, empty):
    var = Path(empty["AGON_VAR"])
    var.mkdir()
    holding = subprocess.Popen(["flock", var / "lock", "sh", "-c", "echo; read x"], stdin=-1, stdout=-1)
    try:
        holding.stdout.readline()
        assert "Agon is already running from this folder" in agon(empty, "restore", backup, code=1)
    finally:
        holding.communicate(b"\n")


@pytest.mark.exhaustive
def test_an_earlier_version_s_site_is_backed_up_and_migrated_after_its_restore(old_site, empty, tmp_path):
    agon(old_site, "backup", tmp_path / "old.backup")
    said = agon(empty, "restore", tmp_path / "old.backup")
    assert "The backup is of an earlier Agon: the start of the site applies" in said
    assert set(files(empty["AGON_VAR"])) == MEDIA
    run(empty, ROOT / "manage.py", "migrate", "-v0")
    assert "days checked: " in run(empty, ROOT / "manage.py", "check_chain")
    assert " 0 differences" in run(empty, ROOT / "manage.py", "recompute_ratings", "--check")


@pytest.mark.exhaustive
def test_a_file_that_is_lost_is_reported_and_the_rest_is_backed_up(site, tmp_path):
    var = tmp_path / "var"
    shutil.copytree(site["AGON_VAR"], var)
    lost = sorted(MEDIA)[0]
    (var / "media" / lost).unlink()
    made = json.loads(agon(home(var), "backup", tmp_path / "b", "--json"))
    assert lost in made["missing"]
    assert made["files"] == len(MEDIA) - 1
    assert "sound" in agon({}, "verify-backup", tmp_path / "b")
    assert "they were lost before" in agon(home(tmp_path / "again"), "restore", tmp_path / "b")


@pytest.mark.first(1)
@pytest.mark.parametrize("name", ["there", "folder"])
def test_nothing_is_replaced(site, tmp_path, name):
    (tmp_path / "there").write_text("mine")
    (tmp_path / "folder").mkdir()
    assert "is there already" in agon(site, "backup", tmp_path / name, code=1)
    assert (tmp_path / "there").read_text() == "mine"


def test_there_is_no_backup_of_no_site(empty, tmp_path):
    assert "there is no site in " in agon(empty, "backup", tmp_path / "b", code=2)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.exhaustive
def test_a_folder_that_is_not_there_is_named(site, tmp_path):
    said = agon(site, "backup", tmp_path / "none" / "b", code=1)
    assert f"There is no backup {tmp_path}/none/b: No such file or directory" in said


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=200k,mode=755", "agon-test", folder]
    mounted = subprocess.run(command, capture_output=True, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"a disk cannot be mounted here: {mounted.stderr}")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


def test_a_full_disk_leaves_nothing_half_done(site, backup, small_disk):
    said = agon(site, "backup", small_disk / "b", code=1)
    assert f"There is too little space on the disk for {small_disk}/b" in said
    assert [*small_disk.iterdir()] == []

    said = agon(home(small_disk), "restore", backup, code=1)
    assert "The disk that holds" in said
    assert rows(str(small_disk)) == ["BEGIN TRANSACTION;", "COMMIT;"]
    assert files(str(small_disk)) == {}


@pytest.mark.first(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_backup_that_is_stopped_leaves_nothing_half_done(site, tmp_path, number):
    """It is stopped while it waits for a file that no one writes to."""
    var = tmp_path / "var"
    shutil.copytree(site["AGON_VAR"], var)
    slow = sorted(MEDIA)[0]
    (var / "media" / slow).unlink()
    os.mkfifo(var / "media" / slow)
    environment = os.environ | home(var) | {"PYTHONPATH": f"{ROOT}:{ROOT}/platform"}
    target = tmp_path / "backups"
    target.mkdir()
    command = ["env", "--default-signal=INT", sys.executable, "-m", "agon", "backup", target / "b"]
    running = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    writer = os.open(var / "media" / slow, os.O_WRONLY)  # waits until the backup reads it
    try:
        assert [path.suffix for path in target.iterdir()] == [".partial"]
        running.send_signal(number)
        _, said = running.communicate(timeout=120)
    finally:
        os.close(writer)
    assert (running.returncode, "Traceback" in said) == (130, False)
    assert [*target.iterdir()] == []


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
        contents = {each.name: tar.extractfile(each).read() for each in tar}
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
    def other(about: About, contents):
        data = contents.pop("database.sqlite3.gz")
        return about._replace(kind="postgresql"), {"database.dump": data, **contents}

    said = agon(empty, "restore", forged(tmp_path / "other", backup, other), code=1)
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


@pytest.mark.exhaustive
def test_every_example_in_the_help_of_the_commands_does_what_it_says(site, empty, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for command, environments in {
        "backup": [site, site],
        "verify-backup": [{}, {}],
        "restore": [empty, home(tmp_path / "other")],
    }.items():
        for line, environment in zip(EXAMPLES[command], environments, strict=True):
            said = agon(environment, *shlex.split(line)[1:])
            assert json.loads(said) if "--json" in line else said
