"""Typical first mistakes, each made by a real bot in a real box: one sentence says where, and what to do.

Every bot is a game's starter with one change.
"""

import re
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from agon.advice.mistakes import Evidence, explain
from agon.contest.adapters import adapter_of
from agon.contest.arena import Player, box_limits, play
from agon.contest.reasons import from_sandbox
from agon.site.matches import transcript
from games.core.compliance import scripted
from games.core.faults import FaultCause, FaultKind
from games.core.manifest import load
from games.core.reason import Reason
from games.core.record import SeatInfo
from sandbox.boxes.pool import Pool
from sandbox.building.build import build
from sandbox.uploads.accept import pasted
from tests.support.reasons import english, said

GAMES = Path(__file__).parents[3] / "games"
FAILED = said("The build failed; see the log")
HOURS = {"ready_ms": 700, "turn_ms": 300}  # in place of seconds: who waits or loops does so until the end


class Mistake(NamedTuple):
    """A change to a game's starter: `wrong` in place of `right`, as often as it is there.

    at: what the line that the sentence names begins with; a number: it names that step. says: words of it.
    """

    game: str
    right: str
    wrong: str
    at: str | int
    says: str


MISTAKES = {
    "a colon is missing": Mistake("samurai", "def main():", "def main()", "def main()", "colon"),
    "an indentation is off": Mistake(
        "samurai", "    turns, _daimyo", "   turns, _daimyo", "turns, _daimyo", "indentation"
    ),
    "a bracket is open": Mistake(
        "samurai", "mine = list(mine)", "mine = list(mine", "mine = list(mine", "bracket ("
    ),
    "a quote is missing": Mistake("samurai", '== "D" else 2', '== "D else 2', "chosen = choose(", "quote"),
    "tabs among spaces": Mistake(
        "samurai", "    mine = list(mine)", "\tmine = list(mine)", "mine = list(mine)", "spaces only"
    ),
    "Python 2": Mistake("samurai", "print(*chosen, flush=True)", "print chosen", "print chosen", "Python 3"),
    "another operator": Mistake("samurai", "chosen = []", "chosen := []", "chosen := []", "not Python"),
    "an answer is not flushed": Mistake(
        "samurai", "print(*chosen, flush=True)", "print(*chosen)", "print(*chosen)", "print(..., flush=True)"
    ),
    "READY is not flushed": Mistake(
        "samurai", 'print("READY", flush=True)', 'print("READY")', 'print("READY")', "print(..., flush=True)"
    ),
    "READY is missing": Mistake(
        "samurai", '    print("READY", flush=True)\n', "", '"""Samurai', 'print("READY", flush=True)'
    ),
    "another word than READY": Mistake(
        "samurai", 'print("READY"', 'print("I am here"', 'print("I am here"', "just READY"
    ),
    "READY without a newline": Mistake(
        "samurai", '"READY", flush', '"READY", end="", flush', 'print("READY", end=""', "line break"
    ),
    "reading before READY": Mistake(
        "samurai", '    print("READY"', '    input()\n    print("READY"', 'print("READY"', "first, before"
    ),
    "main is not called": Mistake("samurai", "\n\nmain()\n", "\n", "print(*chosen, flush", "main()"),
    "an answer without a newline": Mistake(
        "samurai", "print(*chosen, flush=True)", "print(*chosen, end='', flush=True)", 1, "line break"
    ),
    "a loop without an end": Mistake(
        "samurai", "    mine = list(mine)\n", "    while True:\n        mine = list(mine)\n",
        1, "loop in line 24",
    ),
    "waiting for a line too many": Mistake(
        "samurai", "        chosen = choose(", "        input()\n        chosen = choose(",
        1, "waited for input",
    ),
    "notes in the line of the answer": Mistake(
        "samurai", "print(*chosen, flush=True)", "print(*chosen, shown * 99, flush=True)",
        1, "nothing else in that line",
    ),
    "one answer, and the end": Mistake("samurai", "range(turns)", "range(1)", 2, "in a loop"),
    "a misspelled name": Mistake(
        "samurai", "chosen = choose(", "chosen = chose(", "chosen = chose(", "chose has no value"
    ),
    "a name of Python 2": Mistake(
        "samurai", "in range(turns)", "in xrange(turns)", "for _ in xrange", "In Python 3 it is called range"
    ),
    "a method of Python 2": Mistake(
        "samurai", "mine = list(mine)", "{}.has_key(1)", "{}.has_key", "has_key is Python 2"
    ),
    "an index out of range": Mistake(
        "samurai", "mine = list(mine)", "mine = mine[:3]", "lord = max(", "Check its length"
    ),
    "input in another form": Mistake(
        "samurai", "readline().split()\n        shown", 'readline().split(",")\n        shown', "_turn, time",
        "wrong format",
    ),
    "a module that is not there": Mistake(
        "samurai", "import sys", "import torch", "import torch", "no module torch"
    ),
    "a file that is not there": Mistake(
        "samurai", "def main():\n", 'def main():\n    open("weights.txt")\n', 'open("weights.txt")',
        "no file weights.txt",
    ),
    "recursion without an end": Mistake(
        "samurai", "    mine = list(mine)\n", "    return choose(strengths, shown, mine, night, picks)\n",
        "return choose(", "calls itself",
    ),
    "too much memory": Mistake(
        "samurai", "mine = list(mine)", "mine = [0] * 10**9", 1, "more memory than the game allows"
    ),
    "another game's arguments": Mistake(
        "honest_rps", "their_past, my_past, their_claim, my_claim):", "their_past, my_past):",
        "def starter(their_past", "4 arguments",
    ),
    "the wrong case": Mistake("honest_rps", 'else "R"', 'else "r"', 1, "Write 'R'"),
    "no return": Mistake("honest_rps", "return my_claim", "my_claim", 2, "return and a move"),
    "a word in place of a letter": Mistake(
        "honest_rps", 'else "R"', 'else "Rock"', 1, "expected R, P or S"
    ),
    "an empty list": Mistake(
        "honest_rps", ' if their_past else "R"', "", "return BEATEN_BY[their_past[-1][1]]",
        "Check its length",
    ),
    "input where there is none": Mistake(
        "honest_rps", "return my_claim", "return input()", "return input()", "no input to read"
    ),
    "an error while loading": Mistake(
        "honest_rps", "BEATEN_BY = {", "print(unknown)\nBEATEN_BY = {", "print(unknown)",
        "unknown has no value",
    ),
    "a move that is only printed": Mistake("coup", "file.write(choose(", "print(choose(", 1, "Append it"),
    "the history overwritten": Mistake("coup", '(path, "a"', '(path, "w"', 3, "which appends"),
    "two moves at once": Mistake("coup", "cards, moves))", "cards, moves) * 2)", 1, "exactly one"),
}  # fmt: skip

DOUBTS = {
    "debug output among the answers": (
        "chosen = choose(", 'print("debug", turns, flush=True); chosen = choose(', "'debug' is not a lord"
    ),
    "a list as Python shows it": ("print(*chosen", "print(chosen", "separated by spaces"),
    "numbers from 1": ("chosen.append(lord)", "chosen.append(lord + 1)", "'6' is not a lord"),
    "one number a line": (
        "print(*chosen,", 'print(*chosen, sep="\\n",', "expected 5 numbers in one line, got 1"
    ),
    "too few numbers": ('5 if time == "D" else 2', "2", "expected 5 numbers in one line, got 2"),
}  # fmt: skip


@pytest.fixture(scope="module")
def pool(sandbox):
    opened = Pool(sandbox, box_limits(load("samurai")))
    yield opened
    opened.close()


@pytest.fixture
def tried(sandbox, store, pool):
    """(evidence, log): a Python program is built, and plays against the weakest house bot."""

    def run(game: str, text: str, limits: Mapping[str, int] = HOURS):
        info = load(game)
        limits = {name: ms for name, ms in limits.items() if getattr(info.limits, name)}
        info = replace(info, limits=replace(info.limits, **limits))
        built = build(pasted(text, "python"), sandbox, store, adapter_of(info))
        if built.artifact is None:
            return Evidence.of_build(
                "python", text, info.channel, from_sandbox(built.reason), built.log
            ), None
        weakest = build(pasted(info.house[0].path.read_text(), "python"), sandbox, store, adapter_of(info))
        players = [Player("Your program", built.artifact)]
        players += [Player("House", weakest.artifact)] * (info.min_seats - 1)
        played = play(info, players, 12345, pool, frozenset({0}))
        stderr = played.stderr[0].decode()
        return Evidence.of_match("python", text, info.channel, played.log, 0, stderr), played.log

    return run


def starter(game: str) -> str:
    return (GAMES / game / "bots" / "starter.py").read_text()


def changed(game: str, right: str, wrong: str) -> str:
    text = starter(game)
    assert right in text
    return text.replace(right, wrong)


def line_of(text: str, start: str) -> int:
    [number] = [n for n, line in enumerate(text.splitlines(), 1) if line.strip().startswith(start)]
    return number


@pytest.mark.first(16)
@pytest.mark.slow
@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_gets_a_sentence_that_says_where_and_what_to_do(tried, name):
    mistake = MISTAKES[name]
    text = changed(mistake.game, mistake.right, mistake.wrong)
    # Memory takes a while to fill, which on a busy host can be longer than HOURS.
    limits = {} if name == "too much memory" else HOURS
    evidence, _ = tried(mistake.game, text, limits)
    advice = explain(evidence)
    where = f"Step {mistake.at}" if isinstance(mistake.at, int) else f"Line {line_of(text, mistake.at)}"
    sentence = english(advice.sentence)
    assert sentence.startswith((f"{where}:", f"{where} is ")), sentence
    assert mistake.says in sentence
    assert sentence.endswith((".", ")"))
    if isinstance(mistake.at, str):
        assert advice.line == line_of(text, mistake.at)


@pytest.mark.slow
@pytest.mark.parametrize("name", DOUBTS)
def test_an_answer_that_was_hardly_meant_like_that_is_pointed_out_where_it_is_no_fault(tried, name):
    right, wrong, says = DOUBTS[name]
    evidence, log = tried("samurai", changed("samurai", right, wrong))
    assert evidence is None
    first = transcript.doubts(log, 0)[0]
    assert re.match(r"Step \d: ", first)
    assert says in first


@pytest.mark.first(1)
@pytest.mark.slow
@pytest.mark.parametrize("game", ["samurai", "language_survival"])
def test_the_starters_of_games_without_illegal_answers_give_no_doubts(tried, game):
    evidence, log = tried(game, starter(game))
    assert evidence is None
    assert transcript.doubts(log, 0) == []


@pytest.fixture
def of_fault():
    """The evidence of a fault at the first question of Samurai."""

    def make(kind: FaultKind, reason: Reason, text: str, stderr: str = "") -> Evidence:
        players = [lambda request: "0 0 0 0 0"] * 4
        driver = scripted.play(load("samurai"), players, 1, faults={(0, 0): FaultCause(kind, reason)})
        log = driver.log([SeatInfo(name, "") for name in "abcd"])
        evidence = Evidence.of_match("python", text, "stdio", log, 0, stderr)
        assert evidence
        return evidence

    return make


@pytest.mark.parametrize("number", ["9" * 5000, "0", "7", "12345678"])
def test_a_line_that_a_program_made_up_is_no_line_to_go_to(of_fault, number):
    """Python reads no number of more than 4300 digits."""
    forged = f'  File "bot.py", line {number}\nValueError: no\n'
    explained = explain(of_fault(FaultKind.CRASH, Reason("exited", status=1), "print(1)\n", forged))
    assert explained is None or explained.line == 0
    log = f"bot.c:{number}:1: error: no\n"
    explained = explain(Evidence.of_build("c", "int main;\n", "stdio", FAILED, log))
    assert explained is None or explained.line == 0


@pytest.mark.parametrize(
    "text", ["while" + " " * 60_000, "open(" * 13_000, "print(" * 10_000, "def bot(" * 8_000, "#" * 60_000]
)
def test_a_program_of_one_long_line_is_looked_through_in_no_time(of_fault, text):
    evidence = of_fault(FaultKind.TIMEOUT, Reason("answer_too_slow", seconds=0.5), text, text)
    began = time.process_time()
    explain(evidence)
    explain(replace(evidence, cpu_share=1.0))
    explain(replace(evidence, kind="illegal", reason=Reason("file_held_is_gone", count=1), channel="program"))
    explain(replace(evidence, kind="crash", reason=Reason("exited", status=1), language="c"))
    explain(Evidence.of_build("python", text, "stdio", FAILED, text))
    explain(Evidence.of_build("c", text, "stdio", FAILED, text))
    assert time.process_time() - began < 1.0
