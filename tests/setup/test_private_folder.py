"""The folder of a site: other accounts of the machine read no password, no session and no bot in it."""

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from agon.supervisor.folder import claim, private_database


def readable_for_others(folder: Path) -> set[str]:
    """What another account could open in it: files, and folders that can be listed."""
    readable = set()
    for place, folders, files in os.walk(folder):
        if not stat.S_IMODE(os.stat(place).st_mode) & 0o055:
            folders.clear()
            continue
        readable |= {
            str(path.relative_to(folder))
            for path in (Path(place, name) for name in files)
            if stat.S_IMODE(path.stat().st_mode) & 0o044
        }
    return readable


def fill(folder: Path) -> None:
    """As a site does that has run before."""
    with sqlite3.connect(folder / "agon.sqlite3") as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE users (password)")
    database.close()
    for name in ("media/sources/ab", "cache", "broker", "artifacts/ab"):
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "file").write_text("of somebody's")
    (folder / "log").mkdir(exist_ok=True)
    (folder / "log" / "web.log").write_text("GET /")


@pytest.mark.parametrize("before", [False, True], ids=["new", "of an older version"])
def test_nothing_in_it_can_be_read_by_others(tmp_path, before):
    folder = tmp_path / "var"
    if before:
        folder.mkdir()
        fill(folder)
    os.close(claim(folder, "http://127.0.0.1:8000"))
    private_database(folder)
    if not before:
        fill(folder)
    assert readable_for_others(folder) == set()
