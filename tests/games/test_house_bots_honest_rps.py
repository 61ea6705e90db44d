"""House bots of Honest Rock-Paper-Scissors: no fault, and each takes more points from the one below it.

They are functions with real chance in them, called by the game's adapter, so a little luck is left: the
closest neighbors are more than four standard deviations apart in this many matches.
"""

from __future__ import annotations

import itertools

import pytest

from games.core.driver import Request
from games.core.manifest import HouseBot, house_bots, load
from tests.games.house import Commands, built, play_lines

pytestmark = pytest.mark.slow

BOTS = house_bots(load("honest_rps"))
NEIGHBORS = list(itertools.pairwise(BOTS))
MATCHES = 8


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Commands:
    return built("honest_rps", tmp_path_factory.mktemp("honest_rps"))


def a_move(request: Request, line: str) -> None:
    assert line in ("R\n", "P\n", "S\n")


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("weaker", "stronger"), NEIGHBORS, ids=[f"{high.name}-{low.name}" for low, high in NEIGHBORS]
)
def test_a_bot_takes_more_from_the_one_below_it(
    weaker: HouseBot, stronger: HouseBot, commands: Commands
) -> None:
    lead = 0
    for match in range(MATCHES):
        seats = [weaker, stronger] if match % 2 else [stronger, weaker]
        scores = play_lines("honest_rps", seats, commands, match, a_move).scores
        lead += int(scores[seats.index(stronger)]) - int(scores[seats.index(weaker)])
    assert lead > 0


def test_the_starter_is_honest_to_the_honest(commands: Commands) -> None:
    starter, stone, fibber = (
        next(bot for bot in BOTS if bot.name == name) for name in ("StarterPy", "Stone", "Fibber")
    )
    frames = play_lines("honest_rps", [starter, stone], commands, 0, a_move).frames
    acts = {(frame["claims"][0], frame["throws"][0]) for frame in frames}
    assert acts == {("R", "R"), ("P", "P")}
    frames = play_lines("honest_rps", [starter, fibber], commands, 0, a_move).frames
    beaten_by = {"R": "P", "P": "S", "S": "R"}
    assert frames[0]["throws"][0] == frames[0]["claims"][0]
    assert all(frame["throws"][0] == beaten_by[frame["claims"][1]] for frame in frames[1:])
