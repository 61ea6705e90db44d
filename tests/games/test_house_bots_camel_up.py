"""House bots of Camel Up: no fault in any seat, strengths as declared; see house.py."""

from __future__ import annotations

import itertools

import pytest

from games.core.driver import Request
from games.core.manifest import HouseBot, house_bots, load
from tests.games.house import Commands, above_in_rotations, assert_ordered, built, characters, play_lines

pytestmark = pytest.mark.compilers

INFO = load("camel_up")
STARTERS = [bot for bot in house_bots(INFO) if bot.starter]


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Commands:
    return built("camel_up", tmp_path_factory.mktemp("camel_up"))


def a_line(request: Request, line: str) -> None:
    assert line.startswith("["), line


@pytest.mark.exhaustive
def test_strengths_are_as_declared_and_nobody_faults(commands: Commands) -> None:
    bots = characters(INFO)
    assert_ordered(bots, above_in_rotations("camel_up", bots, commands, a_line))


@pytest.mark.parametrize("bot", STARTERS, ids=lambda bot: bot.name)
def test_a_starter_bets_on_the_camel_ahead_if_nobody_has_and_rolls_otherwise(
    bot: HouseBot, commands: Commands
) -> None:
    roller = next(candidate for candidate in characters(INFO) if candidate.name == "Roller")
    kinds = set()
    for seat in range(4):
        seats = [bot if number == seat else roller for number in range(4)]
        frames = play_lines("camel_up", seats, commands, seat, a_line).frames
        kinds |= {frame["action"][0] for frame in frames[1:] if frame["seat"] == seat}
        for before, frame in itertools.pairwise(frames):
            if frame["seat"] == seat and frame["action"][0] == 2:
                assert frame["action"][1] == before["track"][-1][1][-1]
    assert kinds == {0, 2}
