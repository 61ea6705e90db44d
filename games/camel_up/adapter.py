"""Calls a competitor's move(player, gamestate) as the original runner did, with the original's game state.

Runs beside the bot, in its sandbox: see sandbox/building/function_runner.py. Every call gets a state of its
own, so changing it has no effect. `from playerinterface import PlayerInterface` works without a file of that
name.
"""

from __future__ import annotations

import hashlib
import json
import sys
from types import ModuleType

TYPE_CHECKING = False  # importing typing would slow down every start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Move = Callable[[int, "GameState"], Any]


ARGUMENTS = 2
HUGE = 10**1000  # larger numbers are described, not written out


class PlayerInterface:
    """The base of a competitor's class. It has no `move`: a class without its own is refused."""


sys.modules["playerinterface"] = ModuleType("playerinterface")
sys.modules["playerinterface"].PlayerInterface = PlayerInterface  # type: ignore[attr-defined]


class GameState:
    """The original's fields in the original's shapes; the rules page lists them."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__ = fields


def find(module: ModuleType, name: str) -> Callable[[str], str]:
    """A function that answers the referee's lines. Raises LookupError with a reason for the bot's author."""
    move, token = called(module, name), Tokens()

    def answer(line: str) -> str:
        state = json.loads(line)
        player, _ = state.pop("player"), state.pop("turn")
        for bets in ("game_winner_bets", "game_loser_bets"):
            state[bets] = [[token(bets, n, camel), seat] for n, (camel, seat) in enumerate(state[bets])]
        state["player_game_bets"] = [
            [token(f"player {seat}", n, camel) for n, camel in enumerate(camels)]
            for seat, camels in enumerate(state["player_game_bets"])
        ]
        return _reply_line(
            move(player, GameState(camels=[*range(5)], active_game=True, game_winner=[], **state))
        )

    return answer


class Tokens:
    """Own game bets as the original showed them: SHA-256 of salt and camel, then the bet's salt."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, int], str] = {}

    def __call__(self, where: str, number: int, camel: int | None) -> str | None:
        if camel is None:
            return None
        if (where, number) not in self._made:
            salt = hashlib.sha256(f"{where} {number}".encode()).hexdigest()[:32]
            self._made[where, number] = f"{hashlib.sha256(f'{salt}{camel}'.encode()).hexdigest()}:{salt}"
        return self._made[where, number]


def called(module: ModuleType, name: str) -> Move:
    """`move` of the player's class, or of the file itself. Raises LookupError with a reason."""
    classes = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__ and hasattr(value, "move")
    ]
    players = [
        class_ for class_ in classes if issubclass(class_, PlayerInterface) and not class_.__subclasses__()
    ]
    at_top = [module] if callable(getattr(module, "move", None)) else []
    for candidates in (players, at_top, classes):
        named = [candidate for candidate in candidates if candidate.__name__ == name]
        if len(candidates) == 1 or named:
            return (named or candidates)[0].move  # type: ignore[no-any-return]
    problem = _several(players or classes) if classes else "there is neither"
    raise LookupError(f"expected one class with move(player, gamestate), or a function move; {problem}")


def _several(classes: list[type]) -> str:
    names = [class_.__name__ for class_ in classes]
    shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    advice = f"copy the file under the name of the one that plays, such as {names[0]}.py"
    return f"there are {len(names)} such classes ({shown}): {advice}"


def _reply_line(returned: object) -> str:
    """The action as a line of JSON; anything else as a description that the referee refuses."""
    if isinstance(returned, list | tuple):
        return json.dumps([_entry(value) for value in returned[:3]])
    return f"returned {_shown(returned)}"


def _entry(value: object) -> object:
    """An entry for the referee to judge: numbers as they are, other values described."""
    if isinstance(value, bool | float):
        return value
    if not isinstance(value, int):
        return _shown(value)[:100]
    number = int(value)
    return number if abs(number) < HUGE else f"a number of {number.bit_length()} bits"


def _shown(value: object) -> str:
    try:
        return repr(value)
    except BaseException:
        return f"something of type {type(value).__name__}"
