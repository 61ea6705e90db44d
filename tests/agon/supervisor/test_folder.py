import os

import pytest

from agon.supervisor import folder
from agon.supervisor.errors import StartupError


def test_a_folder_is_one_sites_at_a_time_and_says_where_that_one_is(tmp_path):
    lock = folder.claim(tmp_path / "var", "http://127.0.0.1:8000")
    with pytest.raises(StartupError, match=r"already running from this folder, at http://127\.0\.0\.1:8000"):
        folder.claim(tmp_path / "var", "http://127.0.0.1:8001")
    os.close(lock)
    os.close(folder.claim(tmp_path / "var", "http://127.0.0.1:8001"))


def test_no_other_account_writes_in_a_new_folder_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        os.close(folder.claim(tmp_path / "var", "http://127.0.0.1:8000"))
    finally:
        os.umask(before)
    assert (tmp_path / "var").stat().st_mode & 0o022 == 0


def test_a_folder_that_cannot_be_made_is_named_with_the_reason(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StartupError, match=r"file/var.*cannot be written"):
        folder.claim(tmp_path / "file" / "var", "http://127.0.0.1:8000")


def test_a_log_that_has_grown_too_long_starts_anew_and_its_text_is_kept_once(tmp_path):
    with open(tmp_path / "web.log", "ab", buffering=0) as writer:
        writer.write(b"old" * 1000)
        folder.keep_logs_short(tmp_path, most=2999)
        writer.write(b"new")
    assert (tmp_path / "web.log").read_bytes() == b"new"
    assert (tmp_path / "web.log.1").read_bytes() == b"old" * 1000


def test_a_log_of_ordinary_length_is_left_alone(tmp_path):
    (tmp_path / "web.log").write_text("old")
    folder.keep_logs_short(tmp_path, most=3)
    assert [path.name for path in tmp_path.iterdir()] == ["web.log"]


def test_a_log_that_was_moved_away_as_it_was_looked_at_is_no_failure(tmp_path):
    (tmp_path / "web.log").symlink_to("elsewhere")
    folder.keep_logs_short(tmp_path)
