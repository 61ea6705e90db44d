"""House bots at a table: built, started as plain processes, and compared with what is declared of them.

The bots are our own, so they run here without a sandbox, under the real referees. They draw their chance from
what they see: the same seeds give the same matches, and a result here is no luck.
"""

from __future__ import annotations

import contextlib
import itertools
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from games.core.driver import Driver, Reply, Request
from games.core.manifest import GameInfo, HouseBot, house_bots, load
from tests.games.beside import lay_out
from tests.support.reasons import told

COMPILERS = {"c": ["gcc", "-std=c17"], "cpp": ["g++", "-std=c++17"]}
Command = Sequence[str]
Commands = Mapping[str, Command]
Expect = Callable[[Request, str], None]  # raises AssertionError when a line is no sound answer


def built(slug: str, folder: Path) -> Commands:
    """The command that starts each house bot of a game."""
    commands: dict[str, Command] = {}
    info = load(slug)
    beside = [str(folder / lay_out(slug, folder))] if info.channel == "function" else []
    for bot in house_bots(info):
        if bot.language == "python":
            commands[bot.name] = [sys.executable, "-B", "-E", "-s", *beside, str(bot.path)]
            continue
        compiler = COMPILERS[bot.language]
        sources = sorted(map(str, bot.path.glob("*.c"))) if bot.path.is_dir() else [str(bot.path)]
        program = folder / f"{slug}-{bot.name}"
        subprocess.run(
            [*compiler, "-O2", "-Wall", "-Wextra", "-Werror", *sources, "-o", str(program), "-lm"], check=True
        )
        commands[bot.name] = [str(program)]
    return commands


@contextlib.contextmanager
def started(command: Command, folder: Path | None = None) -> Iterator[subprocess.Popen[str]]:
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=folder) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait() == 0


def play_lines(slug: str, bots: Sequence[HouseBot], commands: Commands, seed: int, expect: Expect) -> Driver:
    """A match of a game of lines; every answer is looked at by `expect`, and none may be a fault."""
    driver = Driver(load(slug), len(bots), seed)
    with contextlib.ExitStack() as stack:
        processes = [stack.enter_context(started(commands[bot.name])) for bot in bots]
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "READY\n"
        while driver.pending:
            replies = {}
            for request in driver.pending:
                process = processes[request.seat]
                assert process.stdin is not None
                assert process.stdout is not None
                process.stdin.write(str(request.view))
                process.stdin.flush()
                line = process.stdout.readline()
                expect(request, line)
                replies[request.seat] = Reply(line.rstrip("\n"))
            driver.answer(replies)
    assert told(driver.faults) == []
    return driver


def above_in_rotations(
    slug: str, bots: Sequence[HouseBot], commands: Commands, expect: Expect
) -> Counter[tuple[str, str]]:
    """Every four of the bots, once in each rotation: how often the one was ranked above the other."""
    above: Counter[tuple[str, str]] = Counter()
    for number, four in enumerate(itertools.combinations(bots, 4)):
        for turned in range(4):
            seats = four[turned:] + four[:turned]
            ranks = play_lines(slug, seats, commands, 4 * number + turned, expect).ranks
            for (bot, rank), (opponent, other_rank) in itertools.permutations(
                zip(seats, ranks, strict=True), 2
            ):
                above[bot.name, opponent.name] += rank < other_rank
    return above


def characters(info: GameInfo) -> list[HouseBot]:
    """The house bots without the starters, weakest first."""
    return [bot for bot in house_bots(info) if not bot.starter]


def steps(bots: Sequence[HouseBot]) -> Iterator[tuple[HouseBot, HouseBot]]:
    """Weaker and stronger bots that are declared so far apart that few matches tell. For neighbors it takes
    hundreds: benchmarks/house_bots.py plays them."""
    for weaker, stronger in itertools.combinations(bots, 2):
        if weaker.strength + 3 <= stronger.strength:
            yield weaker, stronger


def assert_ordered(bots: Sequence[HouseBot], above: Mapping[tuple[str, str], int]) -> None:
    for weaker, stronger in steps(bots):
        won, lost = above[stronger.name, weaker.name], above[weaker.name, stronger.name]
        assert won > lost, f"{stronger.name} beat {weaker.name} {won} times, and lost {lost} times"
