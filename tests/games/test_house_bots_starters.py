"""Starters: one in each of eight languages for every game, all of a game move for move alike.

They are built by their language's own recipe and started as plain processes. Only a language beyond the core
family may be missing, and that not in a CI run that is to try them all. All starters of a game are shown the
same positions, those of matches between scripted players. That each gets through matches in the sandbox
without a fault is shown by tests/agon/cli/test_check_game.py.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from games.core.compliance.checks import game_under_test
from games.core.compliance.scripted import Player, play
from games.core.driver import Request
from games.core.game import Invocation, Json
from games.core.manifest import OwnBot, all_games, load, starters
from sandbox.api import CORE
from sandbox.building.recipes import recipe
from sandbox.languages import registry
from sandbox.uploads.accept import read_path
from tests.games.beside import lay_out
from tests.games.house import Command, started

pytestmark = [pytest.mark.compilers, pytest.mark.slow]

LANGUAGES = ["c", "cpp", "go", "java", "javascript", "php", "python", "ruby"]
SLUGS = [info.slug for info in all_games()]
ALWAYS = "honest_rps"  # of the other games, `make test` has the starters in C alone


def marks(slug: str, language: str) -> list[pytest.MarkDecorator]:
    if registry.get(language).family != CORE:
        return [pytest.mark.languages]
    return [] if slug == ALWAYS or language == "c" else [pytest.mark.exhaustive]


OTHERS = [
    pytest.param(slug, bot, marks=marks(slug, bot.language), id=f"{slug}-{bot.language}")
    for slug in SLUGS
    for bot in starters(load(slug))
    if bot.language != "python"
]
MATCHES = 3
CALLS = 24  # of a program that is started for each: as many as are different, up to this

View = Json | Invocation


@pytest.mark.parametrize("slug", SLUGS)
def test_a_game_has_a_starter_in_each_language_and_the_python_one_competes(slug: str) -> None:
    info = load(slug)
    assert sorted(bot.language for bot in starters(info)) == LANGUAGES
    assert [bot.language for bot in info.house if bot.starter] == ["python"]


@pytest.mark.parametrize(("slug", "bot"), OTHERS)
def test_a_starter_moves_as_the_python_one_does(slug: str, bot: OwnBot, tmp_path: Path) -> None:
    language = registry.get(bot.language)
    program = language.version[0]
    if language.family != CORE and not shutil.which(program) and os.environ.get("CI") != "true":
        pytest.skip(f"there is no {program} here")  # CI has them all, and fails instead
    answers = answers_of(slug, built(bot, tmp_path), tmp_path)
    assert answers == python_answers(slug)
    assert len({line for lines in answers for line in lines}) >= 2


def built(bot: OwnBot, folder: Path) -> Command:
    """The command that starts the bot in `folder`, where its language's recipe is followed."""
    source = read_path(bot.path)
    how = recipe(source)
    assert how.language == bot.language
    for file in source.files:
        (folder / file.path).write_bytes(file.data)
    for step in how.steps:
        subprocess.run(step, cwd=folder, check=True, capture_output=True)
    return how.command


@cache
def python_answers(slug: str) -> Sequence[Sequence[str]]:
    (bot,) = [bot for bot in starters(load(slug)) if bot.language == "python"]
    with tempfile.TemporaryDirectory() as name:
        beside = [lay_out(slug, Path(name))] if load(slug).channel == "function" else []
        return answers_of(slug, [sys.executable, "-B", *beside, str(bot.path)], Path(name))


def answers_of(slug: str, command: Command, folder: Path) -> Sequence[Sequence[str]]:
    """What a bot says to every position, a list for each of its matches."""
    if load(slug).channel == "program":
        different = {tuple(view.args[2:]): view for views in positions(slug) for view in views}
        return [answers_of_calls(command, list(different.values())[:CALLS], folder)]
    return [answers_of_a_process(command, views, folder) for views in positions(slug)]


def answers_of_a_process(command: Command, views: Sequence[View], folder: Path) -> Sequence[str]:
    lines = []
    with started(command, folder) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "READY\n"
        for view in views:
            process.stdin.write(str(view))
            process.stdin.flush()
            lines.append(process.stdout.readline())
    return lines


def answers_of_calls(command: Command, views: Sequence[Invocation], folder: Path) -> Sequence[str]:
    """The move that each call appends, and what it prints."""
    moves, history = [], folder / "history.txt"
    for view in views:
        history.write_text(view.file, newline="")
        call = [*command, str(history), *view.args]
        printed = subprocess.run(call, cwd=folder, check=True, capture_output=True, text=True).stdout
        after = history.read_bytes().decode()
        assert after.startswith(view.file)
        moves.append(after[len(view.file) :] + printed)
    return moves


@cache
def positions(slug: str) -> Sequence[Sequence[View]]:
    """What a seat is shown in matches between scripted players: one match each, the seats in turn."""
    info = load(slug)
    views: list[list[View]] = []
    for number in range(MATCHES):
        players = [
            game_under_test(info).player(random.Random(f"{number} {seat}")) for seat in range(info.max_seats)
        ]
        seat, shown = number % info.max_seats, []
        players[seat] = watched(players[seat], shown)
        play(info, players, number)
        views.append(shown)
    return views


def watched(player: Player, shown: list[View]) -> Player:
    def answer(request: Request) -> Json:
        shown.append(request.view)
        return player(request)

    return answer
