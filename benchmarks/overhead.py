"""Measures the cost of the sandbox for a match of two Python bots in warm boxes, and the cost of a cold box.

The following is measured, for both seats together, in the same order as in the arena:

1. take two boxes from the pool and open a session in each (namespaces or a uid, a work folder);
2. start both bots, and wait for their first lines;
3. close their inputs;
4. end each session (kill everything, wipe the folder, read the agent's report), and return its box.

The bots print one line and read until their input ends. The referee, questions and answers, and the record
are not measured. For comparison, the same is done without a sandbox: Popen, a line, the end.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.bare import PYTHON
from benchmarks.house import House, house, open_sessions
from benchmarks.measure import Line, Side, at_least, at_most, interleave, of_matches, one_core

BOT = 'import sys\nprint("READY", flush=True)\nsys.stdin.read()\n'
SEATS = 2
COLD = 12


def lines(sandbox: str) -> Iterator[Line]:
    with one_core(), tempfile.TemporaryDirectory() as folder:
        bots = [Path(folder, f"bot{number}.py") for number in range(SEATS)]
        for number, bot in enumerate(bots):
            bot.write_text(f"# {number}\n{BOT}")
        with house("samurai", bots, sandbox) as agon:
            warm, plain = interleave([sandboxed(agon, 20), popen(bots, 4)], 20)
            cold = [open_box_ms(agon, number) for number in range(COLD)]
    costs = [1000 / rate for rate in warm]
    yield at_most("The sandbox's own cost of a match, 2 Python seats, warm boxes", 5, costs, "ms")
    yield at_least("... against starting and ending both with `python3`", None, warm, plain, "matches")
    yield at_most("A cold Python box: from nothing to ready for a session", None, cold, "ms")


def sandboxed(agon: House, matches: int) -> Side:
    def play(match: int) -> None:
        with open_sessions(agon, SEATS):
            pass

    return of_matches(matches, play, 1)


def popen(bots: list[Path], matches: int) -> Side:
    def play(match: int) -> None:
        processes = [
            subprocess.Popen([*PYTHON, str(bot)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            for bot in bots
        ]
        for process in processes:
            assert process.stdout is not None
            process.stdout.readline()
        for process in processes:
            process.communicate()

    return of_matches(matches, play, 1)


def open_box_ms(agon: House, number: int) -> float:
    """Milliseconds to open a box for one of the bots. Closing it again is not measured."""
    began = time.perf_counter()
    box = agon.pool.sandbox.open(agon.players[number % SEATS].artifact, agon.pool.limits)
    took = time.perf_counter() - began
    box.close()
    return took * 1000
