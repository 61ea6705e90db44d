"""Compares the speed of two checkouts of the project, which take turns on the same processor.

    python benchmarks/compare.py OLD NEW [FIGURE...]     FIGURE: of FIGURES below; all if none is named

OLD and NEW are folders, for instance two git worktrees; this interpreter runs both. Each plays in its own
process, from warm boxes to the compressed record, and the two take turns, slice by slice (A B B A ...). The
report has the medians of the ratios of adjacent slices (new to old) for wall time, the processor time of the
worker, and that of worker and boxes together. On a busy machine, rely on the processor time.

The processor time of boxes is that of the descendants of the worker, so it is complete with bubblewrap only.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, NamedTuple, TypeVar

from agon.contest import arena
from benchmarks.house import house
from games.core.manifest import load

SLICES = 12
_TICKS = os.sysconf("SC_CLK_TCK")
_S = TypeVar("_S")
_T = TypeVar("_T")
_PLAYER = "--play"  # the argument that makes this process one side


class Figure(NamedTuple):
    """What a slice plays.

    bots: file patterns. matches: per slice. seats(n): the numbers of the bots in match n.
    """

    game: str
    bots: tuple[str, ...]
    unit: str
    units: int  # per match
    matches: int
    seats: Callable[[int], list[int]]


def _rotating_seats(seats: int, bots: int) -> Callable[[int], list[int]]:
    return lambda match: [(match + seat) % bots for seat in range(seats)]


def _varying_pairs(bots: int) -> Callable[[int], list[int]]:
    return lambda match: [match % bots, (match * 7 + match // bots) % bots]


_SAMURAI = ("greedy.py", "even.py", "starter.py", "wanderer.py", "shadow.py")
_COUP = ("miser.py", "starter.py", "dice.py", "bluffer.py", "challenger.py", "honest.py")
FIGURES = {
    "hrps": Figure("honest_rps", ("stone.py",), "rounds", 250, 12, lambda match: [0, 0]),
    "hrps-mix": Figure("honest_rps", ("*.py", "scanning"), "rounds", 250, 13, _varying_pairs(13)),
    "samurai-c": Figure("samurai", ("starter.c", "keeper.c"), "matches", 1, 40, _rotating_seats(4, 2)),
    "samurai-python": Figure("samurai", _SAMURAI, "matches", 1, 20, _rotating_seats(4, 5)),
    "coup": Figure("coup", _COUP, "matches", 1, 12, _rotating_seats(2, 6)),
}


class Slice(NamedTuple):
    """Seconds of a slice: wall time; processor time of the worker; that of worker and boxes together."""

    wall: float
    worker: float
    all: float


class Player:
    """One side: a process that plays a slice for each line on its standard input."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.pid = process.pid
        self._requests: IO[str] = process.stdin
        self._answers: IO[str] = process.stdout

    def ask(self, question: object) -> str:
        print(question, file=self._requests, flush=True)
        return self._answers.readline()

    def slice(self, number: int) -> Slice:
        return Slice(*json.loads(self.ask(number)))


def main(old: str, new: str, *names: str) -> None:
    for name in names or FIGURES:
        figure = FIGURES[name]
        with ExitStack() as stack:
            players = [stack.enter_context(player_process(checkout, name)) for checkout in (old, new)]
            for player in players:
                player.slice(0)
            numbers = range(1, SLICES + 1)
            pairs = [in_turn(players, number, Player.slice) for number in numbers]
            olds, news = zip(*pairs, strict=True)
        print(_report_line(name, figure, olds, news), flush=True)


@contextmanager
def player_process(checkout: str, name: str) -> Iterator[Player]:
    root = Path(checkout).resolve()
    overrides = {"PYTHONPATH": f"{root}:{root / 'platform'}", "PYTHONHASHSEED": "0"}
    command = [sys.executable, str(Path(__file__).resolve()), _PLAYER, name]
    with subprocess.Popen(
        command,
        cwd=root,
        env=os.environ | overrides,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Player(process)


def in_turn(sides: Sequence[_S], number: int, act: Callable[[_S, int], _T]) -> tuple[_T, _T]:
    """What both sides do; every other time, the second one goes first."""
    first = act(sides[number % 2], number)
    second = act(sides[1 - number % 2], number)
    return (second, first) if number % 2 else (first, second)


def _report_line(name: str, figure: Figure, olds: Sequence[Slice], news: Sequence[Slice]) -> str:
    units = figure.matches * figure.units
    ratios = [
        statistics.median(new[part] / old[part] for old, new in zip(olds, news, strict=True))
        for part in range(3)
    ]
    figures = [
        statistics.median(measured[part] for measured in side) for part in range(3) for side in (olds, news)
    ]
    details = ", ".join(
        f"{kind} {1e6 * old / units:,.0f} -> {1e6 * new / units:,.0f} us (x{ratio:.2f})"
        for kind, old, new, ratio in zip(
            ("wall", "worker", "all"), figures[::2], figures[1::2], ratios, strict=True
        )
    )
    return f"{name}: {1 / ratios[2]:.2f} times the {figure.unit} for the processor time; {details}"


def play(name: str) -> None:
    """The main function of one side: play the slices whose numbers are read from standard input."""
    figure = FIGURES[name]
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    folder = load(figure.game).folder / "bots"
    bots: list[Path] = []
    for pattern in figure.bots:
        scanning = Path(__file__).with_name(pattern)
        bots += sorted(scanning.glob("*.py")) if scanning.is_dir() else sorted(folder.glob(pattern))
    with house(figure.game, bots, "bubblewrap") as agon:
        for line in sys.stdin:
            first = int(line) * figure.matches
            began = _clocks()
            for match in range(first, first + figure.matches):
                players = [agon.players[seat % len(bots)] for seat in figure.seats(match)]
                played = vars(arena.play(agon.info, players, match, agon.pool))
                agon.write(played.get("log") or played["record"])  # `record` in older checkouts
            print(
                json.dumps([after - before for before, after in zip(began, _clocks(), strict=True)]),
                flush=True,
            )


def _clocks() -> Slice:
    return Slice(
        time.perf_counter(), time.process_time(), time.process_time() + descendants_cpu_seconds(os.getpid())
    )


def descendants_cpu_seconds(pid: int) -> float:
    """Processor time of all descendants of a process, in seconds, including that of their ended children."""
    by_parent: dict[int, list[tuple[int, float]]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text()
        except OSError:  # the process has ended
            continue
        fields = words.rpartition(")")[2].split()
        by_parent.setdefault(int(fields[1]), []).append(
            (int(words.split()[0]), sum(map(int, fields[11:15])) / _TICKS)
        )
    used, pending = 0.0, [pid]
    while pending:
        for child, seconds in by_parent.get(pending.pop(), []):
            used += seconds
            pending.append(child)
    return used


if __name__ == "__main__":
    if sys.argv[1] == _PLAYER:
        play(sys.argv[2])
    else:
        main(*sys.argv[1:])
