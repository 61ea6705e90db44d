"""What the compliance suite needs to know about Coup."""

import random

from games.core.compliance.scripted import Player
from games.core.driver import Request
from games.core.game import Game, Invocation, Json
from games.coup.moves import is_exchange
from games.coup.referee import Coup

SYMMETRIC = False  # the first to move is at an advantage


def player(rng: random.Random) -> Player:
    """A scripted bot that writes a random legal move and keeps random cards."""

    def answer(request: Request) -> Json:
        assert isinstance(request.view, Invocation)
        _, _, cards, *legal = request.view.args
        line = request.view.file.rpartition("\n")[2]
        kept = "".join(rng.sample(cards, len(cards) - 2)) if is_exchange(line) else ""
        return {"appended": rng.choice(legal), "stdout": kept}

    return answer


def other_world(game: Game, seat: int, rng: random.Random) -> bool:
    """Deal the opponent's hand again from all the cards that the seat cannot see."""
    assert isinstance(game, Coup)
    unseen = game.hands[1 - seat] + game.deck
    rng.shuffle(unseen)
    count = len(game.hands[1 - seat])
    game.hands[1 - seat], game.deck = unseen[:count], unseen[count:]
    return True
