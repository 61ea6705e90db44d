"""House bots of Honest Rock-Paper-Scissors: no fault in any seat, strengths as declared; see house.py.

They are functions with real chance in them, called by the game's adapter. What is declared is far enough
apart for that: three steps are a tenth of a point a round and more, many sigmas even in this few matches.
"""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from games.core.driver import Request
from games.core.manifest import HouseBot, house_bots, load
from tests.games.house import Commands, assert_ordered, built, characters, play_lines

pytestmark = pytest.mark.compilers

BOTS = house_bots(load("honest_rps"))


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Commands:
    return built("honest_rps", tmp_path_factory.mktemp("honest_rps"))


def a_move(request: Request, line: str) -> None:
    assert line in ("R\n", "P\n", "S\n")


def test_strengths_are_as_declared_and_nobody_faults(commands: Commands) -> None:
    bots = characters(load("honest_rps"))
    points: Counter[str] = Counter()
    for pair in itertools.combinations_with_replacement(bots, 2):
        driver = play_lines("honest_rps", pair, commands, 0, a_move)
        for bot, score in zip(pair, driver.scores, strict=True):
            points[bot.name] += int(score)
    assert_ordered(bots, points)


@pytest.mark.parametrize("bot", [bot for bot in BOTS if bot.starter], ids=lambda bot: bot.name)
def test_a_starter_keeps_its_word_unless_that_would_lose(bot: HouseBot, commands: Commands) -> None:
    stone = next(other for other in BOTS if other.name == "Stone")
    for seats in ([bot, stone], [stone, bot]):
        driver = play_lines("honest_rps", seats, commands, 0, a_move)
        seat = seats.index(bot)
        acts = {(frame["claims"][seat], frame["throws"][seat]) for frame in driver.frames}
        assert acts == {("R", "R"), ("P", "P"), ("S", "P")}
