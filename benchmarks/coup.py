"""Measures Coup, where a program is run again for every move.

The unit is moves per second, because matches differ in length.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import bare_coup
from benchmarks.bare import LEAN, OURS, PYTHON, STATIC, compiled, interpreted
from benchmarks.house import House, files, house
from benchmarks.measure import Line, Side, at_least, interleave, of_matches, one_core

# All house bots in Python, and those in C that do not search (their thinking would be measured).
PYTHON_BOTS = (
    "miser.py",
    "starter.py",
    "dice.py",
    "bluffer.py",
    "challenger.py",
    "honest.py",
    "statistician.py",
)
C_BOTS = ("starter.c", "raider.c")


def lines(sandbox: str) -> Iterator[Line]:
    bots = files("coup", *PYTHON_BOTS)
    with one_core(), tempfile.TemporaryDirectory() as folder, house("coup", bots, sandbox) as agon:
        place = Path(folder)
        others = [bare(interpreted(bots, python), place, 1) for python in (PYTHON, LEAN, OURS)]
        sandboxed, plain, lean, own = interleave([ours(agon, 1), *others], 14)
    yield at_least("Coup, Python bots, against `python3 bot.py` a move", 8, sandboxed, plain, "moves")
    yield at_least("... against `python3 -I -S bot.py`", 3, sandboxed, lean, "moves")
    yield at_least("... against the Python that Agon runs on, with its site", None, sandboxed, own, "moves")
    bots = files("coup", *C_BOTS)
    with one_core(), tempfile.TemporaryDirectory() as folder, house("coup", bots, sandbox) as agon:
        place = Path(folder)
        others = [
            bare(programs, place, 8) for programs in (compiled(bots, place), compiled(bots, place, STATIC))
        ]
        sandboxed, plain, static = interleave([ours(agon, 8), *others], 14)
    yield at_least("Coup, C bots, against a program started a move", 0.9, sandboxed, plain, "moves")
    yield at_least("... that is linked statically, as the sandbox links it", None, sandboxed, static, "moves")


def scheduled(number: int, bots: int) -> tuple[int, int]:
    """The n-th of all ordered pairs, in an order in which every bot occurs soon."""
    pairs = sorted(
        itertools.permutations(range(bots), 2), key=lambda pair: ((pair[1] - pair[0]) % bots, pair)
    )
    return pairs[number * (bots + 1) % len(pairs)]


def ours(agon: House, matches: int) -> Side:
    def play(match: int) -> object:
        return agon.play(scheduled(match, len(agon.players)), match).summary["calls"]

    return of_matches(matches, play)


def bare(commands: Sequence[Sequence[str]], folder: Path, matches: int) -> Side:
    def play(match: int) -> int:
        chosen = [commands[bot] for bot in scheduled(match, len(commands))]
        return bare_coup.play(chosen, folder / "history.txt", match)

    return of_matches(matches, play)
