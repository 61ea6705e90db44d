"""Measures Honest Rock-Paper-Scissors, in rounds per second: functions, asked a thousand times per match."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import bare_rps, raw_limit
from benchmarks.house import House, files, house, open_sessions
from benchmarks.kaggle import Unavailable, kaggle
from benchmarks.measure import Line, Side, at_least, interleave, of_matches, one_core, within
from games.core.manifest import load
from sandbox.boxes.channel import exchange

# Bots that read the whole history each time they are asked, to be mixed with house bots.
SCANNING = sorted(Path(__file__).with_name("scanning").glob("*.py"))


def lines(sandbox: str) -> Iterator[Line]:
    with one_core(), house("honest_rps", files("honest_rps", "stone.py"), sandbox) as agon:
        yield from trivial(agon)
    bots = [*sorted((load("honest_rps").folder / "bots").glob("*.py")), *SCANNING]
    pairs = [(first, second) for first in range(len(bots)) for second in range(len(bots))]
    random.Random(0).shuffle(pairs)
    with one_core(), house("honest_rps", bots, sandbox) as agon:
        sandboxed, plain = interleave([ours(agon, pairs, 13), bare(bots, pairs, 13)], 13)
    what = f"HRPS, {len(bots)} bots, some scanning all history, against functions called in-process"
    yield at_least(what, 0.5, sandboxed, plain, "rounds")


def trivial(agon: House) -> Iterator[Line]:
    """Stone against itself, three ways; and kaggle-environments with functions that are as simple."""
    pairs = [(0, 0)]
    with raw_limit.echo_process() as (ask, answer):
        sides = [ours(agon, pairs, 20), exchange_only(agon, 20), raw_exchange(ask, answer, 20)]
        sandboxed, alone, raw = interleave(sides, 20)
    yield within("HRPS, trivial functions, against the raw limit", 1.5, sandboxed, raw, "rounds")
    yield within("... of that the sandbox's part: no referee, no record", None, alone, raw, "rounds")
    try:
        with kaggle(4) as peer:
            sandboxed, theirs = interleave([ours(agon, pairs, 20), peer], 10)
        yield at_least("HRPS, trivial functions, against kaggle's rps", 15, sandboxed, theirs, "rounds")
    except Unavailable as error:
        yield Line(f"HRPS against kaggle's rps: not installed ({error})", "", "", ">= 15x", None, "", "")


def ours(agon: House, pairs: Sequence[tuple[int, int]], matches: int) -> Side:
    return of_matches(matches, lambda match: agon.play(pairs[match % len(pairs)], match), bare_rps.ROUNDS)


def bare(bots: Sequence[Path], pairs: Sequence[tuple[int, int]], matches: int) -> Side:
    functions = [bare_rps.load(bot) for bot in bots]

    def play(match: int) -> None:
        first, second = pairs[match % len(pairs)]
        bare_rps.play(functions[first], functions[second])

    return of_matches(matches, play, bare_rps.ROUNDS)


def exchange_only(agon: House, matches: int) -> Side:
    """Exchange the same lines with the same sandboxed bots through sandbox.boxes.channel, without referee."""

    def play(match: int) -> None:
        with open_sessions(agon, 2) as processes:
            for _ in range(raw_limit.ROUNDS):
                for line in (b"C R\n", b"T R\n"):
                    exchange({seat: (process, line, 1.0) for seat, process in enumerate(processes)})

    return of_matches(matches, play, raw_limit.ROUNDS)


def raw_exchange(ask: int, answer: int, matches: int) -> Side:
    return of_matches(matches, lambda match: raw_limit.match(ask, answer), raw_limit.ROUNDS)
