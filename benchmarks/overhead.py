"""What the sandbox itself costs a match of two Python seats, in warm boxes, and what a cold box costs.

Counted is all that is done because there is a sandbox, for both seats together, in the order of the arena:

    a box taken from the pool and a session opened in it (its namespaces or uid, a work folder),
    twice; both bots started, and their first lines awaited; inputs closed; each session ended (everything
    killed, the folder wiped, the agent's report) and its box given back.

The bots say one line and read until their input ends. Not counted: the referee, questions and answers, the
record. Beside it, the same by the bare means of an organiser: Popen, a line, the end.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.bare import PYTHON
from benchmarks.house import House, house, seated
from benchmarks.measure import Line, Side, at_least, at_most, interleave, one_core

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
            cold = [opened(agon, number) for number in range(COLD)]
    costs = [1000 / rate for rate in warm]
    yield at_most("The sandbox's own cost of a match, 2 Python seats, warm boxes", 5, costs, "ms")
    yield at_least("... against starting and ending both with `python3`", None, warm, plain, "matches")
    yield at_most("A cold Python box: from nothing to ready for a session", None, cold, "ms")


def sandboxed(agon: House, matches: int) -> Side:
    def side(number: int) -> int:
        for _ in range(matches):
            with seated(agon, SEATS):
                pass
        return matches

    return side


def popen(bots: list[Path], matches: int) -> Side:
    def side(number: int) -> int:
        for _ in range(matches):
            processes = [
                subprocess.Popen([*PYTHON, str(bot)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                for bot in bots
            ]
            for process in processes:
                assert process.stdout is not None
                process.stdout.readline()
            for process in processes:
                process.communicate()
        return matches

    return side


def opened(agon: House, number: int) -> float:
    """Milliseconds to open a box for one of the bots; it is closed again, which is not counted."""
    began = time.perf_counter()
    box = agon.pool.sandbox.open(agon.players[number % SEATS].artifact, agon.pool.limits)
    took = time.perf_counter() - began
    box.close()
    return took * 1000
