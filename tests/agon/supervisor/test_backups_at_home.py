"""Backups of a site in a folder: what is in them, what is refused."""

import io
import json
import shlex
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from agon.backups import members
from agon.backups.checking import check
from agon.cli.examples import EXAMPLES
from tests.support.processes import ROOT

from .kept_sites import MEDIA, backup, empty, files, home, old_site, rows, site
from .test_backups import agon, run, told

__all__ = ["backup", "empty", "old_site", "site"]

pytestmark = pytest.mark.slow


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


def test_no_event_after_a_restore_has_the_number_of_one_that_is_lost(site, backup, empty):
    """Readers of feeds and receivers of webhooks would take it for one that they have."""
    given = int(told(site, "from agon.site.events import feed; print(feed.last_number())"))
    agon(empty, "restore", backup)
    happen = "from agon.site.events import feed; feed.add('leaderboard.changed'); print(feed.last_number())"
    assert int(told(empty, happen)) > given + 1_000_000  # as many may have followed the backup


@pytest.mark.exhaustive
def test_a_refused_attempt_makes_no_key_that_stays(site, backup, empty):
    stray = Path(empty["AGON_VAR"], "media", "other")
    stray.parent.mkdir(parents=True)
    stray.write_text("x")
    agon(empty, "restore", backup, code=1)
    stray.unlink()
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
        begins = [(member.offset, member.name) for member in tar]
    places = [len(data) * number // 30 for number in range(30)]
    for place in places:
        flipped = bytearray(data)
        flipped[place] ^= 0x10
        findings = check(io.BytesIO(flipped)).findings
        name = [name for at, name in begins if at <= place][-1]
        assert any(name in words for words in findings), (place, name, findings)
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
    stray = Path(empty["AGON_VAR"], "media", "sources", "other")
    stray.parent.mkdir(parents=True)
    stray.write_text("x")
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
