"""A small game of programs, whose referee a test may change."""

import itertools

import pytest

import games
from games.core.manifest import read

NUMBERS = itertools.count()
TALLY = """
slug = "counting"
title = "Counting"
version = "1"
summary = "Append a line."
channel = "program"
referee = "Counting"
seats = { min = 2, max = 2 }

[limits]
turn_ms = 2000
match_s = 60

[faults]
start = "retire"
timeout = "default"
crash = "default"
illegal = "default"
flood = "default"
memory = "default"

[tournament]
format = "round_robin"
rounds = 1
points = "score"
"""
REFEREE = """
from games.core.game import Ask, Game, Illegal, Invocation

class Counting(Game):
    slug, version = "counting", "1"
    def play(self):
        for _ in range(3):
            yield Ask("count", default="")
        return [0, 0]
    def view(self, seat):
        return Invocation((), "")
    def move(self, seat, raw):
        if raw.get("appended") != "one":
            raise Illegal("expected one")
        return "one"
"""


@pytest.fixture
def counting(tmp_path, monkeypatch):
    """counting(more): the game; more: lines at the end of its referee.

    Each call gives it a new name, because a referee is imported once. The default moves are played for a bot
    that makes a fault.
    """
    monkeypatch.setattr(games, "__path__", [*games.__path__, str(tmp_path)])

    def make(more=""):
        slug = f"counting{next(NUMBERS)}"
        folder = tmp_path / slug
        folder.mkdir()
        (folder / "game.toml").write_text(TALLY.replace("counting", slug))
        (folder / "referee.py").write_text(REFEREE.replace("counting", slug) + more)
        return read(folder)

    return make
