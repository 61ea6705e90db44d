"""What the compliance suite needs to know about Samurai."""

import random

from games.core.compliance.scripted import Player
from games.core.driver import Request
from games.core.game import Game, Json
from games.samurai.referee import LORDS, Samurai

SYMMETRIC = True


def player(rng: random.Random) -> Player:
    """A scripted bot that picks lords at random."""

    def answer(request: Request) -> Json:
        is_day = request.step % 2 == 0
        return " ".join(str(rng.randrange(LORDS)) for _ in range(5 if is_day else 2))

    return answer


def other_world(game: Game, seat: int, rng: random.Random) -> bool:
    """Draw the others' secret nights again; False if no night is secret.

    The totals stay: they follow from the favor that turn 5 reveals to all.
    """
    assert isinstance(game, Samurai)
    intimacy = game.intimacy
    changed = False
    for shown, real in zip(intimacy.shown, intimacy.real, strict=True):
        for other in range(game.seats):
            if other != seat and game.turn not in (1, 2, 6):
                real[other] = shown[other] + 2 * rng.randrange(3)
                changed = True
    return changed
