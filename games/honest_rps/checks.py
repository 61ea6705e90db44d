"""What the compliance suite must know of Honest Rock-Paper-Scissors."""

from __future__ import annotations

import random

from games.core.driver import Request
from games.core.game import Game, Json
from games.core.scripted import Player
from games.honest_rps.referee import BEATEN_BY

SYMMETRIC = True


def player(rng: random.Random) -> Player:
    """A scripted bot that says and throws whatever comes up."""

    def answer(request: Request) -> Json:
        return rng.choice(tuple(BEATEN_BY))

    return answer


def other_world(game: Game, seat: int, rng: random.Random) -> bool:
    """Nothing is hidden but what the other side is about to say, which the game does not know either."""
    return False
