"""What the compliance suite needs to know about Language Survival."""

import random

from games.core.compliance.scripted import Player
from games.core.driver import Request
from games.core.game import Game, Json
from games.language_survival.referee import LANGUAGES, LanguageSurvival

SYMMETRIC = True


def player(rng: random.Random) -> Player:
    """A scripted bot that picks languages at random."""

    def answer(request: Request) -> Json:
        is_weekday = request.step % 2 == 0
        return " ".join(str(rng.randrange(LANGUAGES)) for _ in range(5 if is_weekday else 2))

    return answer


def other_world(game: Game, seat: int, rng: random.Random) -> bool:
    """Draw the others' secret holidays again; False if no holiday is secret."""
    assert isinstance(game, LanguageSurvival)
    if game.turn in (1, 2, 6):
        return False
    for shown, real in zip(game.believers.shown, game.believers.real, strict=True):
        for other in range(game.seats):
            if other != seat:
                real[other] = shown[other] + 2 * rng.randrange(3)
    return True
