"""What the compliance suite needs to know about Honest Rock-Paper-Scissors."""

import random
import zlib
from typing import TypeAlias

from games.core.compliance.harness import Twins
from games.core.compliance.scripted import Player
from games.core.driver import Request
from games.core.game import Game, Json
from games.honest_rps.referee import BEATEN_BY

SYMMETRIC = True
Past: TypeAlias = list[list[str]]


def player(rng: random.Random) -> Player:
    """A scripted bot that claims and throws at random."""

    def answer(request: Request) -> Json:
        return rng.choice(tuple(BEATEN_BY))

    return answer


def other_world(game: Game, seat: int, rng: random.Random) -> bool:
    """Only the other side's next move is hidden, and the game does not know it either."""
    return False


def twins(seed: int) -> Twins:
    """A bot whose every move depends on all previous claims and throws."""
    theirs: Past = []
    mine: Past = []
    claims, throw = ["", ""], ""

    def speaker(request: Request) -> Json:
        nonlocal claims, throw
        word = str(request.view).split()
        if word[0] == "T":
            claims[0] = word[1]
            throw = _move(seed, theirs, mine, *claims)
            return throw
        if len(word) == 2:
            theirs.append([claims[0], word[1]])
            mine.append([claims[1], throw])
        claims[1] = _move(seed, theirs, mine, None, None)
        return claims[1]

    def function(their_past: Past, my_past: Past, their_claim: str | None, my_claim: str | None) -> str:
        return _move(seed, their_past, my_past, their_claim, my_claim)

    return {"bot": function}, speaker


def _move(*shown: object) -> str:
    return tuple(BEATEN_BY)[zlib.crc32(repr(shown).encode()) % 3]
