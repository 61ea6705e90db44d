"""The adapter calls a function as the original controller did, and nothing that it does gets out of hand."""

import json
import re
from pathlib import Path

import pytest

from tests.games.beside import conversation

ROUNDS = ["C", "T S", "C P", "T R", "C R", "T R"]  # of an opponent that plays SP, RR, R.

RECORDER = """
    import json, sys
    def bot(theirs, mine, their_claim, my_claim):
        print(json.dumps([theirs, mine, their_claim, my_claim]), file=sys.stderr)
        return "P" if their_claim is None else "R"
"""


@pytest.fixture
def talk(tmp_path):
    """Start a bot; `talk` is left when the test is."""
    return lambda source, file="bot.py": conversation("honest_rps", source, tmp_path, file)


def calls(words):
    return [json.loads(line) for line in words.splitlines()]


def test_the_four_arguments_are_those_of_the_rules_page_in_both_phases_of_every_round(talk):
    with talk(RECORDER) as bot:
        assert bot.ready == "READY"
        assert bot.ask(*ROUNDS) == ["P", "R"] * 3
        assert bot.end() == 0
    first = [["S", "P"]]
    second = [["S", "P"], ["R", "R"]]
    assert calls(bot.words) == [
        [[], [], None, None],
        [[], [], "S", "P"],
        [first, [["P", "R"]], None, None],
        [first, [["P", "R"]], "R", "P"],
        [second, [["P", "R"], ["P", "R"]], None, None],
        [second, [["P", "R"], ["P", "R"]], "R", "P"],
    ]


@pytest.mark.parametrize(
    "spoil",
    [
        "theirs.clear(); mine.clear()",
        "theirs[0][1] = 'X'; mine[-1][:] = []",
        "theirs.append(['R', 'R']); mine.extend(theirs)",
        "theirs[0] = mine; mine.insert(0, mine)",
        "global kept; kept = globals().get('kept', []) + theirs; kept[0][0] = 'X'",
    ],
)
def test_whatever_a_function_does_to_the_lists_the_next_call_gets_true_ones(talk, spoil):
    source = f"""
        import json, sys
        def bot(theirs, mine, their_claim, my_claim):
            print(json.dumps([theirs, mine, their_claim, my_claim]), file=sys.stderr)
            if theirs:
                {spoil}
            return "P" if their_claim is None else "R"
    """
    with talk(source) as bot:
        assert bot.ask(*ROUNDS) == ["P", "R"] * 3
        bot.end()
    assert calls(bot.words)[-1] == [[["S", "P"], ["R", "R"]], [["P", "R"], ["P", "R"]], "R", "P"]


def test_the_lists_are_lists_and_new_ones_at_every_call(talk):
    source = """
        seen = []
        def bot(theirs, mine, their_claim, my_claim):
            assert type(theirs) is type(mine) is list
            assert all(type(pair) is list and len(pair) == 2 for pair in theirs + mine)
            seen.append((theirs, len(theirs)))
            assert all(len(past) == length for past, length in seen)
            assert all(theirs is not past for past, _ in seen[:-1])
            return "R"
    """
    with talk(source) as bot:
        assert bot.ask(*ROUNDS) == ["R"] * 6


def test_globals_live_from_call_to_call(talk):
    source = """
        calls = 0
        def bot(*arguments):
            global calls
            calls += 1
            return "RPS"[calls % 3]
    """
    with talk(source) as bot:
        assert bot.ask(*ROUNDS) == ["P", "S", "R", "P", "S", "R"]


def test_a_function_is_found_by_the_name_of_its_file(talk):
    source = """
        def helper(a, b, c, d):
            return "P"
        def tit4tat(their_past, my_past, their_claim, my_claim):
            return "S"
    """
    with talk(source, "tit4tat.py") as bot:
        assert bot.ask("C", "T R") == ["S", "S"]


def test_pasted_under_another_name_the_only_function_of_four_arguments_is_meant(talk):
    source = """
        from functools import partial
        from heapq import merge
        def beaten_by(move):
            return {"R": "P"}[move]
        def tit4tat(their_past, my_past, their_claim, my_claim):
            return beaten_by("R")
    """
    with talk(source) as bot:
        assert bot.ask("C") == ["P"]


def test_a_file_is_loaded_like_an_imported_module_with_its_helpers_beside_it(talk, tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "helper.py").write_text("MOVE = 'S'")
    source = """
        from __future__ import annotations
        import dataclasses, os, sys
        from helper import MOVE
        @dataclasses.dataclass  # looks its module up
        class Plan:
            move: str = MOVE
        def bot(*arguments):
            assert os.path.basename(__file__) == "bot.py"
            assert sys.modules["bot"].Plan is Plan
            return Plan().move
    """
    with talk(source, "src/bot.py") as bot:
        assert bot.ready == "READY"
        assert bot.ask("C") == ["S"]


@pytest.mark.parametrize(
    "defined",
    [
        "bot()",
        "bot(a, b)",
        "bot(a, b, c=0)",
        "bot(a, b, c, d, e)",
        "bot(a, b, c, d, e, *rest)",
        "bot(a, b, c, d, *, deep)",
    ],
)
def test_a_function_of_another_number_of_arguments_is_refused(talk, defined):
    with talk(f"def {defined}: pass") as bot:
        assert bot.ready == "bot.py\tcalled\tbot\t4\t" + defined.replace("=0", "")
        assert bot.end() == 1


@pytest.mark.parametrize(
    "source",
    [
        "def bot(*arguments): return 'R'",
        "def bot(a, b, c=1, d=2): return 'R'",
        "def bot(a, b, c, d, e=1, *, f=2): return 'R'",
        "def bot(a, *rest): return 'R'",
        "import functools\ndef real(e, a, b, c, d): return 'R'\nbot = functools.partial(real, 0)",
    ],
)
def test_a_function_that_can_be_called_with_four_arguments_plays(talk, source):
    with talk(source) as bot:
        assert bot.ready == "READY"
        assert bot.ask("C") == ["R"]


def test_a_file_of_several_functions_is_refused_with_their_names(talk):
    with talk("def f(a,b,c,d): pass\ndef g(a,b,c,d): pass") as bot:
        words = "expected a function bot of four arguments, there is none of that name"
        assert bot.ready == f"bot.py\tmissing\t{words}\tbot\t4\tf, g"
        assert bot.end() == 1


@pytest.mark.parametrize("source", ["", "def two(a, b): pass"])
def test_a_file_without_the_function_is_refused_in_words(talk, source):
    with talk(source) as bot:
        words = "expected a function bot of four arguments, there is none of that name"
        assert bot.ready == f"bot.py\tmissing\t{words}\tbot\t4"
        assert bot.end() == 1


def test_a_file_that_raises_is_refused_in_words_with_the_traceback_on_stderr(talk):
    with talk("raise ValueError('not\\ntoday')") as bot:
        assert bot.ready == "bot.py\traised\tValueError: not today\tbot.py\t1"
        assert bot.end() == 1
    assert files_of_traceback(bot.words) == ["bot.py"]


def test_printing_and_reading_do_not_come_between_the_lines(talk):
    source = """
        import os, sys
        print("loading")
        def bot(*arguments):
            print("R")
            sys.__stdout__.write("nonsense\\n"); sys.__stdout__.flush()
            os.write(1, b"S\\n")
            os.system("echo from a child")
            assert sys.stdin.read() == ""
            return "P"
    """
    with talk(source) as bot:
        assert bot.ready == "READY"
        assert bot.ask(*ROUNDS) == ["P"] * 6
        bot.end()
    assert bot.words.startswith("loading\nR\nnonsense\nS\nfrom a child\n")


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("None", "returned None"),
        ("'X'", "returned 'X'"),
        ("'r'", "returned 'r'"),
        ("'R\\n'", "returned 'R\\\\n'"),
        ("b'R'", "returned b'R'"),
        ("['R']", "returned ['R']"),
        ("0", "returned 0"),
        ("float('nan')", "returned nan"),
        ("10 ** 3000", f"returned 1{'0' * 40}... (2960 more characters)"),
        ("'x' * 1000", f"returned '{'x' * 40}... (961 more characters)"),
        ("Odd()", "returned something of type Odd"),
        ("'\\ud800'", "returned '\\\\ud800'"),
    ],
)
def test_any_value_but_the_three_strings_becomes_words_that_are_no_move(talk, returned, said):
    source = f"""
        class Odd:
            def __repr__(self):
                raise RuntimeError("not even a name")
        def bot(*arguments):
            return {returned}
    """
    with talk(source) as bot:
        assert bot.ask("C") == [said.replace("\\\\", "\\")]


def test_a_text_equal_to_a_move_is_that_move(talk):
    source = """
        import enum
        class Move(str, enum.Enum):
            ROCK = "R"
        def bot(*arguments):
            return Move.ROCK
    """
    with talk(source) as bot:
        assert bot.ask("C") == ["R"]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("raise ValueError('no')", "raised\tValueError: no\tbot.py\t7"),
        ("raise KeyError", "raised\tKeyError\tbot.py\t7"),
        ("sys.exit(3)", "raised\tSystemExit: 3\tbot.py\t7"),
        ("raise KeyboardInterrupt", "raised\tKeyboardInterrupt\tbot.py\t7"),
        (
            "bot(*arguments)",
            "raised\tRecursionError: maximum recursion depth exceeded\tbot.py\t7",
        ),
        (
            "raise ValueError('x' * 9999)",
            f"raised\tValueError: ... {'x' * 43}\tbot.py\t7",
        ),
        (
            "raise ValueError('many words ' * 20)",
            f"raised\tValueError: {'many words ' * 2}many ... {'words many ' * 3}words \tbot.py\t7",
        ),
        (
            "raise TypeError('the first of all the arguments of this function has to be a real number, and it"
            " is of the type NoneType')",
            "raised\tTypeError: the first of all the arguments ... number, and it is of the type NoneType"
            "\tbot.py\t7",
        ),
        ("raise Odd", "raised\tOdd\tbot.py\t7"),
        ("import json; json.loads('{')", "raised\tJSONDecodeError: Expecting property name"),
    ],
)
def test_an_exception_becomes_words_that_are_no_move(talk, statement, said):
    source = f"""
        import sys
        class Odd(Exception):
            def __str__(self):
                raise RuntimeError
        def bot(*arguments):
            {statement}
    """
    with talk(source) as bot:
        [answer] = bot.ask("C")
        assert answer.startswith(said)
        assert answer.endswith("\tbot.py\t7")
        bot.end()
    assert files_of_traceback(bot.words)[0] == "bot.py"


def files_of_traceback(words):
    """The names of the files that a traceback goes through, the outermost first."""
    assert words.startswith("Traceback (most recent call last):\n")
    return [Path(path).name for path in re.findall(r'^  File "(.*?)", line \d+', words, re.MULTILINE)]


def test_an_exception_in_a_helper_is_told_with_the_place_in_the_helper(talk, tmp_path):
    (tmp_path / "helper.py").write_text("def best():\n    return {}['R']\n")
    with talk("import helper\ndef bot(*arguments):\n    return helper.best()\n") as bot:
        assert bot.ask("C") == ["raised\tKeyError: 'R'\thelper.py\t2"]
        bot.end()
    assert files_of_traceback(bot.words) == ["bot.py", "helper.py"]


def test_a_bot_without_standard_error_is_answered_for_all_the_same(talk):
    source = """
        import sys
        def bot(*arguments):
            sys.stderr = None
            return 1 / 0
    """
    with talk(source) as bot:
        assert bot.ask("C") == ["raised\tZeroDivisionError: division by zero\tbot.py\t5"]


def test_a_bot_that_ends_its_process_is_gone(talk):
    with talk("import os\ndef bot(*arguments):\n    os._exit(7)") as bot:
        assert bot.ask("C") == [""]
        assert bot.end() == 7
