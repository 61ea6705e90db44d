"""What is said of a program that was not built: the first error, another language, no function to call."""

from pathlib import Path

import pytest

from agon.advice.mistakes import Evidence, explain
from agon.contest.adapters import adapter_of
from agon.contest.reasons import from_sandbox
from games.core.manifest import all_games, load
from games.core.reason import Reason
from sandbox.building.build import build
from sandbox.uploads.accept import pasted
from tests.support.reasons import english, said

GAMES = Path(__file__).parents[3] / "games"
FAILED = said("The build failed; see the log")

C = """#include <stdio.h>
int main(void) {
    int ready = 1
    puts("READY");
    return 0;
}
"""


@pytest.mark.compilers
def test_the_first_error_of_a_compiler_is_named(sandbox, store):
    built = build(pasted(C, "c"), sandbox, store)
    advice = explain(Evidence.of_build("c", C, "stdio", from_sandbox(built.reason), built.log))
    assert advice.line in (3, 4)  # GCC names the end of one or the start of the other
    assert "Correct this error first" in english(advice.sentence)


@pytest.mark.parametrize(
    ("text", "chosen", "says"),
    [
        (C, "python", "Line 1 looks like C, but the chosen language is Python"),
        ("import sys\nprint(1)\n", "c", "Line 1 looks like Python, but the chosen language is C"),
        ("\npublic class Bot {}\n", "python", "Line 2 looks like Java"),
    ],
)
def test_another_language_than_the_chosen_one_is_recognized(text, chosen, says):
    advice = explain(Evidence.of_build(chosen, text, "stdio", FAILED, ""))
    assert says in english(advice.sentence)


BOTS = [
    (info.slug, bot) for info in all_games() for bot in (*info.house, *info.downloads) if bot.path.is_file()
]


@pytest.mark.parametrize(("game", "bot"), BOTS, ids=lambda value: getattr(value, "name", value))
def test_a_program_is_taken_for_none_in_another_language(game, bot):
    if not bot.path.is_file():
        pytest.skip("a folder")
    text = bot.path.read_text()
    channel = load(game).channel
    assert explain(Evidence.of_build(bot.language, text, channel, FAILED, "")) is None


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("csharp", "public class Bot {}\n"),
        ("ocaml", "let beaten = [1]\n"),
        ("rust", "let x = 5;\n"),
        ("go", "const x = 5\n"),
        ("haskell", "import Prelude\n"),
        ("lua", 'local x = require("x")\n'),
        ("typescript", "const x = require('x');\n"),
    ],
)
def test_what_several_languages_have_says_nothing(language, text):
    assert explain(Evidence.of_build(language, text, "stdio", FAILED, "")) is None


@pytest.mark.parametrize("name", ["starter.py", "starter.c", "starter.cpp", "Starter.java", "starter.js"])
def test_a_starter_under_another_language_is_recognized(name):
    path = GAMES / "samurai" / "bots" / name
    chosen = "ruby"
    advice = explain(Evidence.of_build(chosen, path.read_text(), "stdio", FAILED, ""))
    assert "but the chosen language is Ruby" in english(advice.sentence)


def test_where_no_line_is_to_blame_the_first_one_is_named():
    facts = {"path": "bot.py", "said": "expected a function bot", "name": "bot", "count": "4"}
    reason = Reason("no_function", **facts)
    advice = explain(Evidence.of_build("python", "x = 1\n", "function", reason, ""))
    assert advice.line == 1
    assert english(advice.sentence).startswith("Line 1: the game calls a function of 4 arguments, and there")


TWO = "def first(a, b, c, d):\n    return 'R'\n\n\ndef second(a, b, c, d):\n    return 'P'\n"
SPEAKS = "import sys\n\n\ndef main():\n    for line in sys.stdin:\n        print('R')\n\n\nmain()\n"


@pytest.mark.parametrize(
    ("text", "why", "says"),
    [
        ("x = 1\n", "there is none of that name", "a function of 4 arguments, and there is none. Define it"),
        (TWO, "several of other names: first, second", "cannot tell which of these: first, second. Give"),
        (SPEAKS, 'bot.toml that says run = "python3 bot.py"', 'bot.toml that says run = "python3 bot.py"'),
        ("word = input()\n", 'bot.toml that says run = "python3 bot.py"', "the game calls a function. Write"),
    ],
    ids=["none", "two", "lines in a function", "lines at the top"],
)
def test_a_file_without_the_function_to_call_gets_advice_of_its_own(sandbox, store, text, why, says):
    adapter = adapter_of(load("honest_rps"))
    result = build(pasted(text, "python"), sandbox, store, adapter)
    reason = from_sandbox(result.reason)
    assert why in english(reason)
    advice = explain(Evidence.of_build("python", text, "function", reason, result.log))
    assert says in english(advice.sentence)


def test_a_file_with_the_name_of_another_language_is_to_be_renamed():
    evidence = Evidence.of_build("java", "import sys\nprint(1)\n", "stdio", FAILED, "", pasted=False)
    said = english(explain(evidence).sentence)
    assert said.startswith("Line 1 looks like Python, but by the name of its file it is Java.")
    assert "ends with .py" in said


@pytest.mark.languages
@pytest.mark.parametrize(
    ("language", "text", "line"),
    [
        ("rust", "fn main() {\n    let x = ;\n}\n", 2),
        ("rust", 'fn main() {\n    let x = 1;\n    println!("{}", y);\n}\n', 3),
        ("go", "package main\n\nfunc main() {\n\tx := 1\n}\n", 4),
    ],
)
def test_the_first_error_of_rust_and_go_is_named(sandbox, store, language, text, line):
    result = build(pasted(text, language), sandbox, store)
    advice = explain(Evidence.of_build(language, text, "stdio", from_sandbox(result.reason), result.log))
    assert advice.line == line
    assert "Correct this error first" in english(advice.sentence)


def test_a_reason_that_no_rule_knows_gets_no_sentence():
    assert explain(Evidence.of_build("python", "print(1)\n", "stdio", said("the moon is full"), "")) is None


def test_lines_are_counted_as_an_editor_counts_them():
    text = "# a\x0cb\u2028c\r\nimport sys\r\nprint(1)\r\n"
    advice = explain(Evidence.of_build("c", text, "stdio", FAILED, ""))
    assert advice.line == 2
