"""A zoo of broken games: `agon check-game` names each planted fault with the right sentence."""

import shutil

import pytest

import games
from agon.cli.game_checks import FAILED, OK, static_checks
from games.core.manifest import GAMES
from tests.support.games import forget_games

from .test_check_game import author, found, new_game
from .zoo import STATIC
from .zoo_of_bots import ALONE, TOGETHER

__all__ = ["author", "new_game"]


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """The game that all others are made of, named like them."""
    folder = shutil.copytree(GAMES / "core" / "skeleton", tmp_path_factory.mktemp("sound") / "mine")
    for name in ("game.toml", "referee.py"):
        path = folder / name
        path.write_text(path.read_text().replace('"skeleton"', '"mine"'))
    return folder


@pytest.fixture
def animal(sound, monkeypatch, tmp_path):
    """A copy of the game in which a fault can be planted, the only game there is."""
    monkeypatch.setattr(games, "__path__", [str(tmp_path)])
    forget_games("mine")
    yield shutil.copytree(sound, tmp_path / "mine")
    forget_games("mine")


def test_the_zoo_has_more_than_thirty_animals():
    names = [broken.name for broken in (*STATIC, *TOGETHER, *ALONE)]
    assert len(names) == len(set(names)) > 30


def test_without_a_fault_nothing_is_named(animal):
    assert {verdict.state for verdict in static_checks("mine")} == {OK}


@pytest.mark.parametrize("broken", STATIC, ids=lambda broken: broken.name)
def test_a_fault_in_the_game_is_named(animal, broken):
    broken.plant(animal)
    failed = {
        verdict.check: "\n".join(verdict.words)
        for verdict in static_checks("mine")
        if verdict.state == FAILED
    }
    assert broken.words in failed.get(broken.check, ""), failed


@pytest.mark.slow
def test_faults_that_real_bots_show_are_named(author, agon):
    for broken in TOGETHER:
        broken.plant(author)
    named = found(agon("check-game", "mine", "--json"))
    for broken in TOGETHER:
        assert broken.words in named[broken.check]


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("broken", [*TOGETHER, *ALONE], ids=lambda broken: broken.name)
def test_each_fault_that_real_bots_show_is_named_alone(author, agon, broken):
    broken.plant(author)
    named = found(agon("check-game", "mine", "--json"))
    assert next(iter(named)) == broken.check  # a referee that breaks down also changes fates
    assert broken.words in named[broken.check]
