"""Hostile functions: bots that turn on the adapter which calls them, in whose process they run.

That process is not trusted: it must know nothing but what its seat may know, and whatever is done to it must
come out as that seat's own lines. Each plays a match in a real sandbox against honest bots, and writes FOUND
to its standard error if it got at something. The record must be one that the rules give again without bots,
the honest bots must have been heard as they spoke, and no fault may be anybody's but the attacker's.
"""

import re

import pytest

from agon.contest.adapters import adapter_of
from agon.contest.arena import Player, play
from games.core.manifest import load
from sandbox.api import Limits
from sandbox.boxes.pool import Pool
from sandbox.building.build import build
from sandbox.uploads.accept import pasted
from tests.hostile.attack_counts import FIGURES
from tests.hostile.targets import HERE
from tests.support.replays import differences_when_replayed

pytestmark = pytest.mark.slow

HONEST = {
    "honest_rps": "def honest(their_past, my_past, their_claim, my_claim):\n    return 'P'\n",
    "camel_up": """
from playerinterface import PlayerInterface

class Honest(PlayerInterface):
    def move(player, gamestate):
        mine = gamestate.player_game_bets[player]
        return [4, 2] if not mine else [0]
""",
}


@pytest.fixture(scope="module")
def pool(sandbox):
    """The honest bots stay in their warm boxes from match to match."""
    pool = Pool(sandbox, Limits(), most=4)
    yield pool
    pool.close()


@pytest.mark.first(6)
@pytest.mark.parametrize("path", sorted((HERE / "functions").glob("*.py")), ids=lambda path: path.stem)
def test_a_hostile_function_gets_nowhere(sandbox, pool, store, path):
    text = path.read_text()
    words = re.search(r"In (\w+). Expect: ([\w, ]+)", text)
    assert words, f"{path} does not say where it plays and what it expects"
    info = load(words[1])
    sources = [("attack.py", text)] + [("honest.py", HONEST[info.slug])] * (info.min_seats - 1)
    players = []
    for name, source in sources:
        built = build(pasted(source, "python", name), sandbox, store, adapter_of(info))
        assert built.artifact is not None, built.log
        players.append(Player(name, built.artifact))
    played = play(info, players, 1, pool)
    FIGURES.tried += 1
    kinds = {fault.kind for fault in played.log.faults if fault.seat == 0} or {"held"}
    if b"FOUND" in played.stderr[0] or not kinds <= set(words[2].split(", ")):
        FIGURES.escaped.append(path.stem)
    assert b"FOUND" not in played.stderr[0], played.stderr[0][-500:]
    assert kinds <= set(words[2].split(", ")), played.log.faults
    assert all(fault.seat == 0 for fault in played.log.faults)
    assert differences_when_replayed(played.log) == []
