"""Matches for tests of replays: a short one of each game, and one of random bots."""

import json
import random

from agon.contest.replay_data import ENGLISH, whole
from games.core.compliance.harness import game_under_test
from games.core.compliance.scripted import play
from games.core.manifest import load
from games.core.record import SeatInfo
from tests.support.drawing import COUP

ROUNDS = [{0: "R", 1: "P"}, {0: "R", 1: "S"}] * 250
RECORDS = {
    "coup": COUP,
    "honest_rps": ROUNDS,
    "camel_up": [{turn % 4: "[0]"} for turn in range(400)],
    "samurai": [{seat: "0" for seat in range(4)}] * 9,
    "language_survival": [{seat: "0" for seat in range(4)}] * 9,
}


def random_match(slug: str) -> str:
    """The JSON that the replay of a match of random bots is drawn from."""
    info = load(slug)
    bots = [game_under_test(info).player(random.Random(seat)) for seat in range(info.max_seats)]
    driver = play(info, bots, 38)
    names = [SeatInfo(f"bot{seat}", "0") for seat in range(driver.seats)]
    return json.dumps(whole(driver.log(names), ENGLISH))
