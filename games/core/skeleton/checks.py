"""What `agon check-game` needs to know about this game; see games/core/compliance/checks.py."""

from __future__ import annotations

import random

from games.core.compliance.scripted import Player
from games.core.game import Game

from .referee import HIGHEST, Referee

# The seats are alike: exchanged bots get exchanged scores.
SYMMETRIC = True


def player(rng: random.Random) -> Player:
    """A scripted bot that answers anything legal."""
    return lambda request: str(rng.randint(1, HIGHEST))


def other_world(game: Game, seat: int, rng: random.Random) -> bool:
    """Change all that this seat must not know, here the lucky number and the scores that would betray it."""
    assert isinstance(game, Referee)
    game.lucky = game.lucky % HIGHEST + 1
    game.scores = [rng.randrange(100) for _ in game.scores]
    return True
