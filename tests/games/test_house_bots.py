"""Every house bot plays without a fault in every seat, and the declared strengths are true.

The bots are our own, so they run here as plain processes, without a sandbox, under the real referees. They
draw their chance from what they see: the same seeds give the same matches, and a result here is no luck.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from games.core.driver import Driver, Reply
from games.core.game import Invocation
from games.core.manifest import GameInfo, HouseBot, house_bots, load

COMPILERS = {"c": ["gcc", "-std=c17"], "cpp": ["g++", "-std=c++17"]}
Command = Sequence[str]
Commands = Mapping[str, Command]
Call = Callable[[HouseBot, Command, Sequence[str]], str]


def built(slug: str, folder: Path) -> Commands:
    """The command that starts each house bot of a game."""
    commands: dict[str, Command] = {}
    for bot in house_bots(load(slug)):
        if bot.language == "python":
            commands[bot.name] = [sys.executable, "-I", str(bot.path)]
            continue
        compiler = COMPILERS[bot.language]
        if shutil.which(compiler[0]) is None:
            pytest.skip(f"{compiler[0]} is not installed")
        sources = sorted(map(str, bot.path.glob("*.c"))) if bot.path.is_dir() else [str(bot.path)]
        program = folder / f"{slug}-{bot.name}"
        subprocess.run(
            [*compiler, "-O2", "-Wall", "-Wextra", "-Werror", *sources, "-o", str(program), "-lm"], check=True
        )
        commands[bot.name] = [str(program)]
    return commands


@pytest.fixture(scope="module")
def coup(tmp_path_factory: pytest.TempPathFactory) -> Commands:
    return built("coup", tmp_path_factory.mktemp("coup"))


@pytest.fixture(scope="module")
def samurai(tmp_path_factory: pytest.TempPathFactory) -> Commands:
    return built("samurai", tmp_path_factory.mktemp("samurai"))


def by_process(bot: HouseBot, command: Command, args: Sequence[str]) -> str:
    """One call of a Coup bot, as a process; what it printed."""
    return subprocess.run([*command, *args], check=True, capture_output=True, text=True).stdout


def in_this_process(bot: HouseBot, command: Command, args: Sequence[str]) -> str:
    """The same for a Python bot as a warm interpreter does it: the script is run, nothing is started."""
    if bot.language != "python":
        return by_process(bot, command, args)
    before, sys.argv = sys.argv, [str(bot.path), *args]
    try:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(bot.path.read_text(), bot.path, "exec"), {"__name__": "__main__"})  # noqa: S102
    finally:
        sys.argv = before
    return printed.getvalue()


def play_coup(bots: Sequence[HouseBot], commands: Commands, seed: int, file: Path, call: Call) -> Driver:
    driver = Driver(load("coup"), 2, seed)
    while driver.pending:
        (request,) = driver.pending
        assert isinstance(request.view, Invocation)
        file.write_text(request.view.file, newline="")
        bot = bots[request.seat]
        printed = call(bot, commands[bot.name], [str(file), *request.view.args])
        with open(file, newline="") as history:
            after = history.read()
        assert after.startswith(request.view.file), f"{bot.name} changed the history"
        appended = after[len(request.view.file) :]
        driver.answer({request.seat: Reply({"appended": appended, "stdout": printed})})
    return driver


@contextlib.contextmanager
def started(command: Command) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait() == 0


def play_samurai(bots: Sequence[HouseBot], commands: Commands, seed: int) -> Driver:
    driver = Driver(load("samurai"), 4, seed)
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
                wanted = 5 if request.turn % 2 == 0 else 2  # the first ask is turn 1, a day
                assert len(line.split()) == wanted, f"{bots[request.seat].name} answered {line!r}"
                assert set(line.split()) <= set("012345"), f"{bots[request.seat].name} answered {line!r}"
                replies[request.seat] = Reply(line.rstrip("\n"))
            driver.answer(replies)
    return driver


def characters(info: GameInfo) -> list[HouseBot]:
    """The house bots without the starters, weakest first."""
    return [bot for bot in house_bots(info) if not bot.starter]


def assert_ordered(bots: Sequence[HouseBot], won: Mapping[str, float]) -> None:
    """Whoever is declared three steps stronger has won more; less is too close for so few matches to tell."""
    for weaker, stronger in itertools.combinations(bots, 2):
        if weaker.strength + 3 <= stronger.strength:
            assert won[weaker.name] < won[stronger.name], dict(won)


@pytest.mark.parametrize("slug", ["coup", "samurai"])
def test_house_bots_are_declared_weakest_first_with_a_starter_a_language(slug: str) -> None:
    bots = house_bots(load(slug))
    assert [bot.strength for bot in bots] == sorted(bot.strength for bot in bots)
    starters = [bot.language for bot in bots if bot.starter]
    assert sorted(starters) == sorted({bot.language for bot in bots})


@pytest.mark.parametrize("bot", house_bots(load("coup")), ids=lambda bot: bot.name)
def test_a_coup_house_bot_never_faults(bot: HouseBot, coup: Commands, tmp_path: Path) -> None:
    others = house_bots(load("coup"))
    for seed, other in enumerate(others[::3]):
        for seats in ([bot, other], [other, bot]):
            driver = play_coup(seats, coup, seed, tmp_path / "history", in_this_process)
            assert driver.faults == []


@pytest.mark.parametrize(
    "bot", [bot for bot in house_bots(load("coup")) if bot.language == "python"], ids=lambda bot: bot.name
)
def test_a_coup_house_bot_plays_the_same_as_a_process_of_its_own(
    bot: HouseBot, coup: Commands, tmp_path: Path
) -> None:
    file = tmp_path / "history"
    (raider,) = [other for other in house_bots(load("coup")) if other.name == "Raider"]
    warm, cold = (
        play_coup([bot, raider], coup, 7, file, call).files["history.txt"]
        for call in (in_this_process, by_process)
    )
    assert warm == cold


def test_coup_strengths_are_as_declared(coup: Commands, tmp_path: Path) -> None:
    bots = characters(load("coup"))
    won: Counter[str] = Counter()
    for seed in range(3):
        for pair in itertools.permutations(bots, 2):
            driver = play_coup(pair, coup, seed, tmp_path / "history", in_this_process)
            assert driver.faults == []
            for bot, score in zip(pair, driver.scores, strict=True):
                won[bot.name] += int(score)
    assert_ordered(bots, won)


def test_samurai_strengths_are_as_declared_and_nobody_faults(samurai: Commands) -> None:
    bots = characters(load("samurai"))
    won: Counter[str] = Counter()
    for seed, four in enumerate(itertools.combinations(bots, 4)):
        for turned in range(4):
            seats = four[turned:] + four[:turned]
            driver = play_samurai(seats, samurai, seed)
            assert driver.faults == []
            if driver.ranks.count(1) == 1:
                won[seats[driver.ranks.index(1)].name] += 1
    assert_ordered(bots, won)


@pytest.mark.parametrize(
    "bot", [bot for bot in house_bots(load("samurai")) if bot.starter], ids=lambda bot: bot.name
)
def test_a_samurai_starter_never_faults_in_any_seat(bot: HouseBot, samurai: Commands) -> None:
    others = characters(load("samurai"))[:3]
    for seat in range(4):
        driver = play_samurai([*others[:seat], bot, *others[seat:]], samurai, seat)
        assert driver.faults == []
