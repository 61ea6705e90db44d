"""What the compliance suite needs to know about Camel Up."""

import hashlib
import json
import random
import zlib
from typing import Any

from games.camel_up.bets import LOSER, ROUND, WINNER
from games.camel_up.board import CAMELS
from games.camel_up.referee import ROLL, TRAP, CamelUp
from games.core.compliance.harness import Twins
from games.core.compliance.scripted import Player
from games.core.driver import Request
from games.core.game import Game, Json

SYMMETRIC = False  # seat 0 begins, and the dice are drawn in the order of turns


def player(rng: random.Random) -> Player:
    """A scripted bot that rolls about half the time, and otherwise takes any other legal action."""

    def answer(request: Request) -> Json:
        state = json.loads(str(request.view))
        kinds = [ROLL] * 4 + [ROUND, ROUND, *([TRAP] if free_squares(state) else [])]
        left = [camel for camel in range(CAMELS) if camel not in state["player_game_bets"][request.seat]]
        kind = rng.choice(kinds + ([WINNER, LOSER] if left else []))
        if kind == TRAP:
            return json.dumps([kind, rng.choice((1, -1)), rng.choice(free_squares(state))])
        if kind == ROLL:
            return "[0]"
        return json.dumps([kind, rng.choice(left) if kind in (WINNER, LOSER) else rng.randrange(CAMELS)])

    return answer


def free_squares(state: dict[str, Any]) -> list[int]:
    """The squares on which a player may lay its trap, by the state that it is shown."""
    taken = {
        near
        for square, trap in enumerate(state["trap_track"])
        if trap and trap[1] != state["player"]
        for near in (square - 1, square, square + 1)
    }
    return [square for square in range(1, 28) if square not in taken]


def other_world(game: Game, seat: int, rng: random.Random) -> bool:
    """Change the camels of the others' game bets; each player's bets stay on different camels."""
    assert isinstance(game, CamelUp)
    others = {player: rng.sample(range(CAMELS), CAMELS) for player in range(game.seats) if player != seat}
    game.game_bets = [
        bet._replace(camel=others[bet.seat].pop()) if bet.seat in others else bet for bet in game.game_bets
    ]
    return any(bet.seat != seat for bet in game.game_bets)


def twins(seed: int) -> Twins:
    """A bot whose every action depends on all that it is shown. `move` decodes its own game bets."""

    def speaker(request: Request) -> Json:
        state = json.loads(str(request.view))
        return json.dumps(_action(seed, state.pop("player"), state))

    def move(player: int, gamestate: Any) -> list[int]:
        state = {name: getattr(gamestate, name) for name in _PUBLIC}
        for bets in ("game_winner_bets", "game_loser_bets"):
            state[bets] = [[_camel_of(token), seat] for token, seat in getattr(gamestate, bets)]
        state["player_game_bets"] = [[*map(_camel_of, tokens)] for tokens in gamestate.player_game_bets]
        return _action(seed, player, state)

    return {"move": move}, speaker


_PUBLIC = (
    "camel_track",
    "trap_track",
    "player_has_placed_trap",
    "round_bets",
    "player_money_values",
    "camel_yet_to_move",
)


def _camel_of(token: str | None) -> int | None:
    """The camel of a bot's own game bet, found as all bots do: by hashing each camel with the salt."""
    if token is None:
        return None
    hashed, salt = token.split(":")
    return next(
        camel for camel in range(CAMELS) if hashlib.sha256(f"{salt}{camel}".encode()).hexdigest() == hashed
    )


def _action(seed: int, player: int, state: dict[str, Any]) -> list[int]:
    """A pseudorandom action, which may be illegal."""
    state.pop("turn", None)  # functions do not get it
    draw = random.Random(zlib.crc32(json.dumps([seed, player, state], sort_keys=True).encode()))
    actions = [
        [ROLL],
        [TRAP, draw.choice((1, -1)), draw.randrange(28)],
        [draw.choice((ROUND, WINNER, LOSER)), draw.randrange(CAMELS)],
    ]
    return draw.choice(actions)
