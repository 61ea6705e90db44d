"""What was built for one command is not built for the next."""

import os
import pwd
import shutil
from pathlib import Path
from unittest.mock import Mock

import pytest

from agon.cli.building import artifact_store

from .conftest import BOTS


@pytest.fixture
def cache(environment, monkeypatch, tmp_path) -> Path:
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    monkeypatch.setitem(environment, "XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "agon"


@pytest.mark.compilers
def test_a_bot_is_built_once_for_any_number_of_commands(agon, cache, tmp_path):
    bot = shutil.copy(BOTS / "samurai" / "good.c", tmp_path / "mine.c")
    play = ("play", "samurai", "--sandbox", "bubblewrap", bot, *["StarterPy"] * 3)
    assert agon(*play).code == 0

    # Every build begins in the folder tmp/: with a file in its place each would fail.
    (cache / "tmp").rmdir()
    (cache / "tmp").write_text("")
    assert agon(*play).code == 0
    assert agon(*play, "--matches", "2").code == 0

    bot.write_text(bot.read_text() + "/* changed */\n")
    assert agon(*play).code != 0


def test_without_a_home_folder_it_is_built_in_a_temporary_one(monkeypatch):
    """The account is a number without a name, as in some containers."""
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    monkeypatch.setattr(pwd, "getpwuid", Mock(side_effect=KeyError))
    with artifact_store() as store:
        assert store.is_dir()
    assert not store.exists()
