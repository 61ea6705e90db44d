"""What `agon check-game` needs to know of a library's game; see games/core/compliance/checks.py."""

import random

from games.core.compliance.scripted import Player
from games.core.driver import Request
from games.core.game import Game
from games.core.library.referee import LibraryGame

# Who moves first may matter, so exchanged bots need not get exchanged scores.
SYMMETRIC = False

__all__ = ["SYMMETRIC", "other_world", "player"]


def player(rng: random.Random) -> Player:
    """A scripted bot that names one of the moves that it was sent."""

    def answer(request: Request) -> str:
        head, *lines = str(request.view).splitlines()
        _, seen, moves = map(int, head.split())
        return rng.choice(lines[seen : seen + moves])

    return answer


def other_world(game: Game, seat: int, rng: random.Random) -> bool:
    """Change what this seat must not know; False if nothing is hidden."""
    assert isinstance(game, LibraryGame)
    return game.redeal(seat, rng)
