"""Calls a competitor's function as the original controller did.

Runs beside the bot, in its sandbox: see sandbox/building/function_runner.py. The histories are kept here. The
function gets real lists, new ones for every call; if it changes the lists inside them, the next call gets the
original ones again.
"""

from __future__ import annotations

from types import FunctionType, ModuleType

TYPE_CHECKING = False  # importing typing would slow down every start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

ARGUMENTS = 4
MOST_NAMES = 3
MOVES = {"R": "R", "P": "P", "S": "S"}


def find(module: ModuleType, name: str) -> Callable[[str], str]:
    """A function that answers the referee's lines. Raises LookupError with a reason for the bot's author."""
    function = called(module, name)
    theirs, mine = Past(), Past()
    their_claim, my_claim, my_throw = "", "", ""

    def answer(line: str) -> str:
        nonlocal their_claim, my_claim, my_throw
        phase, _, news = line.partition(" ")
        if phase == "T":
            their_claim = news
            my_throw = reply = _reply_line(function(theirs.lent(), mine.lent(), their_claim, my_claim))
            return reply
        if news:
            theirs.add(their_claim, news)
            mine.add(my_claim, my_throw)
        my_claim = reply = _reply_line(function(theirs.lent(), mine.lent(), None, None))
        return reply

    return answer


class Past:
    """One side's rounds, [claimed, thrown] each, kept out of the function's reach."""

    def __init__(self) -> None:
        self._true: list[list[str]] = []
        self._lent: list[list[str]] = []

    def add(self, claimed: str, thrown: str) -> None:
        self._true.append([claimed, thrown])
        self._lent.append([claimed, thrown])

    def lent(self) -> list[list[str]]:
        """A new list for one call. Rounds are rebuilt only if changed: comparing is five times as fast."""
        if self._lent != self._true:
            self._lent = [list(pair) for pair in self._true]
        return self._lent[:]


def called(module: ModuleType, name: str) -> Callable[[Any, Any, Any, Any], Any]:
    """The function named like the file; without one, the only function of four arguments.

    Raises LookupError with a reason for the bot's author.
    """
    named = getattr(module, name, None)
    if callable(named):
        return named  # type: ignore[no-any-return]
    own = [
        value
        for value in vars(module).values()
        if isinstance(value, FunctionType)
        and value.__module__ == module.__name__
        and value.__code__.co_argcount == ARGUMENTS
    ]
    if len(own) == 1:
        return own[0]
    expected = f"expected a function {name} of four arguments, there is none of that name"
    several = [", ".join(function.__name__ for function in own[:MOST_NAMES])] if own else []
    raise LookupError(expected, name, ARGUMENTS, *several)


def _reply_line(returned: object) -> str:
    """The move as a line; anything else as a description that the referee refuses."""
    if isinstance(returned, str) and returned in MOVES:
        return MOVES[returned]
    try:
        shown = repr(returned)
    except BaseException:
        shown = f"something of type {type(returned).__name__}"
    return f"returned {shown}"
