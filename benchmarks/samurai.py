"""Measures Samurai, where four programs are asked nine times each over their pipes.

The unit is matches, because all have the same length.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import bare_samurai
from benchmarks.bare import LEAN, PYTHON, STATIC, compiled, interpreted
from benchmarks.house import House, files, house
from benchmarks.measure import Line, Side, at_least, interleave, of_matches, one_core

PYTHON_BOTS = ("greedy.py", "even.py", "starter.py", "wanderer.py", "shadow.py")
C_BOTS = ("starter.c", "keeper.c")
SEATS = 4


def lines(sandbox: str) -> Iterator[Line]:
    bots = files("samurai", *PYTHON_BOTS)
    with one_core(), house("samurai", bots, sandbox) as agon:
        others = [bare(interpreted(bots, python), 5) for python in (PYTHON, LEAN)]
        sandboxed, plain, lean = interleave([ours(agon, 5), *others], 12)
    yield at_least("Samurai, Python bots, against `python3 bot.py`", 3, sandboxed, plain, "matches")
    yield at_least("Samurai, Python bots, against `python3 -I -S`", None, sandboxed, lean, "matches")
    bots = files("samurai", *C_BOTS)
    with one_core(), tempfile.TemporaryDirectory() as folder, house("samurai", bots, sandbox) as agon:
        place = Path(folder)
        others = [bare(programs, 20) for programs in (compiled(bots, place), compiled(bots, place, STATIC))]
        sandboxed, plain, static = interleave([ours(agon, 20), *others], 12)
    yield at_least("Samurai, C bots", 0.9, sandboxed, plain, "matches")
    yield at_least("... linked statically, as the sandbox links them", None, sandboxed, static, "matches")


def seats(match: int, bots: int) -> list[int]:
    """Four consecutive bots; each match starts with the next bot."""
    return [(match + seat) % bots for seat in range(SEATS)]


def ours(agon: House, matches: int) -> Side:
    return of_matches(matches, lambda match: agon.play(seats(match, len(agon.players)), match), 1)


def bare(commands: Sequence[Sequence[str]], matches: int) -> Side:
    def play(match: int) -> None:
        bare_samurai.play([commands[bot] for bot in seats(match, len(commands))], match)

    return of_matches(matches, play, 1)
