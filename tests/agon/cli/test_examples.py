"""Every example in the help of a command that needs no site does what it says."""

import json
import shlex
import shutil
from pathlib import Path

import pytest

from agon.cli.examples import AT_HOME, GAME, OF_THE_SITE

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("with_bubblewrap")]
# Those of a site's own machine are run in tests/agon/supervisor: test_site.py, test_backups_at_home.py.
# They have tests of their own, and take as long as all others.
LONG = {"check-game", "compare", "doctor", "tournament"}  # `verify` begins with the tournament
MADE_BY = {"verify": AT_HOME["tournament"][0]}  # what other examples leave behind
EVERY = [
    pytest.param(line, marks=[pytest.mark.exhaustive] if line in lines[1:] or name in LONG else [])
    for name, lines in AT_HOME.items()
    if name not in OF_THE_SITE
    for line in lines
]


@pytest.fixture(scope="module")
def folder(agon, environment, tmp_path_factory) -> Path:
    """A folder of an author's own, with a new game and two bots for it."""
    home = tmp_path_factory.mktemp("author")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(environment, "AGON_GAMES", str(home))
        assert agon("new-game", GAME, cwd=home).code == 0
        for name in ("bot.py", "old_bot.py"):
            shutil.copy(home / GAME / "bots" / "starter.py", home / name)
        yield home


@pytest.mark.parametrize("line", EVERY)
def test_an_example_does_what_it_says(agon, folder, environment, monkeypatch, tmp_path, line):
    command = shlex.split(line)[1]
    if command == "new-game":
        monkeypatch.setitem(environment, "AGON_GAMES", str(tmp_path))
    if command in MADE_BY:
        assert agon(*shlex.split(MADE_BY[command])[1:], cwd=folder).code == 0
    ran = agon(*shlex.split(line)[1:], cwd=folder)
    for made in ("results", "tried"):
        shutil.rmtree(folder / made, ignore_errors=True)

    assert ran.code == 0, ran.err
    assert json.loads(ran.out) if "--json" in line else ran.out
