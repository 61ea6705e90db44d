"""A bare controller of Honest Rock-Paper-Scissors: the original contest's loop over imported functions.

It is a separate implementation of the rules of games/honest_rps. The functions get the live lists of the
history, as in the original, and their answers are not checked.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

Function = Callable[[Any, Any, str | None, str | None], str]
ROUNDS = 250
BEATS = {"R": "S", "P": "R", "S": "P"}


def load(bot: Path) -> Function:
    """Import the function that has the name of its file."""
    spec = importlib.util.spec_from_file_location(bot.stem, bot)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function: Function = getattr(module, bot.stem)
    return function


def play(first: Function, second: Function) -> tuple[int, int]:
    """Play one match; returns both scores."""
    past1: list[list[str]] = []
    past2: list[list[str]] = []
    score1 = score2 = 0
    for _ in range(ROUNDS):
        claim1 = first(past2, past1, None, None)
        claim2 = second(past1, past2, None, None)
        throw1 = first(past2, past1, claim2, claim1)
        throw2 = second(past1, past2, claim1, claim2)
        score1 += claim1 == throw1
        score2 += claim2 == throw2
        if throw1 == throw2:
            score1 += 1
            score2 += 1
        elif BEATS[throw1] == throw2:
            score1 += 2
        else:
            score2 += 2
        past1.append([claim1, throw1])
        past2.append([claim2, throw2])
    return score1, score2
