"""Coup's house bots play without a fault in every seat, and the declared strengths are true; see house.py."""

from __future__ import annotations

import contextlib
import io
import itertools
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from games.core.driver import Driver, Reply
from games.core.game import Invocation
from games.core.manifest import GameInfo, HouseBot, all_games, house_bots, load
from tests.games.house import Command, Commands, built, characters, steps
from tests.support.reasons import told

pytestmark = [pytest.mark.compilers, pytest.mark.slow]

Call = Callable[[HouseBot, Command, Sequence[str]], str]


@pytest.fixture(scope="module")
def coup(tmp_path_factory: pytest.TempPathFactory) -> Commands:
    return built("coup", tmp_path_factory.mktemp("coup"))


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


@pytest.mark.parametrize("info", all_games(), ids=lambda info: info.slug)
def test_house_bots_are_declared_weakest_first(info: GameInfo) -> None:
    strengths = [bot.strength for bot in house_bots(info)]
    assert strengths == sorted(strengths)


@pytest.mark.first(3)
@pytest.mark.parametrize("bot", house_bots(load("coup")), ids=lambda bot: bot.name)
def test_a_coup_house_bot_never_faults(bot: HouseBot, coup: Commands, tmp_path: Path) -> None:
    others = house_bots(load("coup"))
    for seed, opponent in enumerate(others[::3]):
        for seats in ([bot, opponent], [opponent, bot]):
            driver = play_coup(seats, coup, seed, tmp_path / "history", in_this_process)
            assert told(driver.faults) == []


@pytest.mark.first(2)
@pytest.mark.parametrize(
    "bot", [bot for bot in house_bots(load("coup")) if bot.language == "python"], ids=lambda bot: bot.name
)
def test_a_coup_house_bot_plays_the_same_as_a_process_of_its_own(
    bot: HouseBot, coup: Commands, tmp_path: Path
) -> None:
    file = tmp_path / "history"
    (raider,) = [candidate for candidate in house_bots(load("coup")) if candidate.name == "Raider"]
    warm, cold = (
        play_coup([bot, raider], coup, 7, file, call).files["history.txt"]
        for call in (in_this_process, by_process)
    )
    assert warm == cold


@pytest.mark.exhaustive
def test_coup_strengths_are_as_declared(coup: Commands, tmp_path: Path) -> None:
    bots = characters(load("coup"))
    won: Counter[str] = Counter()
    for seed in range(3):
        for pair in itertools.permutations(bots, 2):
            driver = play_coup(pair, coup, seed, tmp_path / "history", in_this_process)
            assert told(driver.faults) == []
            for bot, score in zip(pair, driver.scores, strict=True):
                won[bot.name] += int(score)
    for weaker, stronger in steps(bots):
        assert won[weaker.name] < won[stronger.name], dict(won)
