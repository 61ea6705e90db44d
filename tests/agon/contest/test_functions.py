"""Matches of games whose bots are Python functions, in real sandboxes: the adapter beside the bot."""

import dataclasses
import re
import shutil

import pytest

from sandbox.uploads.accept import read_upload
from tests.support.archives import make_zip
from tests.support.boxes import one_backend
from tests.support.reasons import english
from tests.support.replays import differences_when_replayed

# tests/sandbox has sessions in both backends, and test_results_digest.py whole matches of every game.
pytestmark = [pytest.mark.slow, one_backend]

HONEST_PAPER = """
def honestpaper(their_past, my_past, their_claim, my_claim):
    return "P"
"""
RANDOM = """
import random

def randombot(*whatever):
    return random.choice("RPS")
"""
TIT4TAT = """
BEATEN_BY = {"R": "P", "P": "S", "S": "R"}

def tit4tat(their_past, my_past, their_claim, my_claim):
    if their_claim is None:
        return "RPS"[len(my_past) % 3]
    if their_past and their_past[-1][0] != their_past[-1][1]:
        return BEATEN_BY[their_claim]
    return my_claim
"""
IN_C = """
#include <stdio.h>
int main(void) {
    char line[16];
    puts("READY"); fflush(stdout);
    while (fgets(line, sizeof line, stdin)) { puts("S"); fflush(stdout); }
}
"""


def test_the_original_examples_play_their_match(matched):
    paper, honest = ("honestpaper.py", HONEST_PAPER), ("tit4tat.py", TIT4TAT)
    record = matched("honest_rps", paper, honest).log
    # tit4tat claims rock, paper, scissors in turn and keeps its word, as paper always does.
    assert record.scores == (str(84 * 3 + 83 * 2 + 83 * 1), str(84 * 1 + 83 * 2 + 83 * 3))
    assert record.faults == ()
    assert differences_when_replayed(record) == []


def test_chance_is_new_in_every_match_also_in_a_warm_interpreter(matched):
    bots = ("randombot.py", RANDOM), ("honestpaper.py", HONEST_PAPER)
    first, second = (matched("honest_rps", *bots).log.frames for _ in range(2))
    assert first != second


def test_a_bot_may_play_itself_with_globals_of_its_own_in_each_seat(matched):
    source = """
calls = 0
def counter(*whatever):
    global calls
    calls += 1
    return "RPS"[calls % 3]
"""
    record = matched("honest_rps", ("counter.py", source), ("counter.py", source)).log
    assert {frame["claims"] for frame in record.frames} == {"PP", "RR", "SS"}
    assert record.frames[0]["claims"] == "PP"  # and so again in the next match
    assert matched("honest_rps", ("counter.py", source), ("counter.py", source)).log.frames == record.frames


@pytest.mark.compilers
def test_another_language_plays_over_lines(matched):
    record = matched("honest_rps", ("bot.c", IN_C), ("honestpaper.py", HONEST_PAPER)).log
    assert record.scores == ("750", "250")
    assert [exchange.sent for exchange in record.exchanges if exchange.seat == 0][:3] == [
        "C\n",
        "T P\n",
        "C P\n",
    ]


def test_a_folder_with_helpers_is_found_by_its_name(matched):
    files = {
        "scissors.py": b"from moves import BEST\ndef scissors(a, b, c, d):\n    return BEST\n",
        "moves.py": b"BEST = 'S'\n",
    }
    upload = read_upload("scissors.zip", make_zip(files))
    record = matched("honest_rps", upload, ("honestpaper.py", HONEST_PAPER)).log
    assert record.scores == ("750", "250")


def test_a_bot_that_brings_its_own_command_speaks_the_lines_itself(matched):
    files = {
        "bot.toml": b'run = "python3 talk.py"',
        "talk.py": b"print('READY', flush=True)\nwhile input(): print('R', flush=True)\n",
    }
    upload = read_upload("talk.zip", make_zip(files))
    record = matched("honest_rps", upload, ("honestpaper.py", HONEST_PAPER)).log
    assert record.faults == ()
    assert record.scores == ("250", "750")


@pytest.mark.parametrize(
    ("statement", "kind", "reason"),
    [
        ("return 'X'", "illegal", "round 3, throw: expected R, P or S, but the function returned 'X'"),
        (
            "raise ValueError(1)",
            "crash",
            "round 3, throw: the function raised ValueError: 1 (bad.py, line 4)",
        ),
        (
            "import sys; sys.exit('enough')",
            "crash",
            "round 3, throw: the function raised SystemExit: enough (bad.py, line 4)",
        ),
        (
            "return 10 ** 5000",
            "illegal",
            "round 3, throw: expected R, P or S, but the function returned something of type int",
        ),
        (
            "return float('nan')",
            "illegal",
            "round 3, throw: expected R, P or S, but the function returned nan",
        ),
        ("import os; os._exit(3)", "crash", "round 3, throw: exited with status 3"),
        ("while True: pass", "timeout", "round 3, throw: gave no answer within 0.5 s"),
        ("import time; time.sleep(60)", "timeout", "round 3, throw: gave no answer within 0.5 s"),
    ],
)
def test_a_bad_call_disqualifies_and_says_why(matched, statement, kind, reason):
    source = f"""
def bad(their_past, my_past, their_claim, my_claim):
    if len(my_past) == 2 and their_claim is not None:
        {statement}
    return "R"
"""
    played = matched("honest_rps", ("bad.py", source), ("honestpaper.py", HONEST_PAPER), turn_ms=500)
    assert [(fault.seat, fault.kind, fault.step) for fault in played.log.faults] == [(0, kind, 5)]
    assert english(played.log.faults[0].reason).startswith(reason)
    assert played.log.scores == ("0", "1")
    assert differences_when_replayed(played.log) == []


def test_a_function_that_rewrites_the_past_rewrites_it_for_nobody(matched):
    source = """
def forger(their_past, my_past, their_claim, my_claim):
    for past in (their_past, my_past):
        for pair in past:
            pair[:] = ["X"]
        past.clear()
    return "R"
"""
    record = matched("honest_rps", ("forger.py", source), ("tit4tat.py", TIT4TAT)).log
    honest = matched(
        "honest_rps", ("stone.py", "def stone(a, b, c, d):\n    return 'R'\n"), ("tit4tat.py", TIT4TAT)
    )
    assert record.faults == ()
    assert record.frames == honest.log.frames
    assert record.scores == honest.log.scores


def test_too_much_memory_disqualifies(matched):
    source = "def huge(*whatever):\n    return bytearray(1 << 30)\n"
    played = matched("honest_rps", ("huge.py", source), ("honestpaper.py", HONEST_PAPER), turn_ms=20_000)
    # Where the kernel counts, the bot is killed; where each process has a limit, it gets a MemoryError.
    assert [fault.kind for fault in played.log.faults] in (["memory"], ["crash"])
    assert played.log.scores == ("0", "1")


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("raise ValueError('not today')", "later.py raised ValueError: not today (later.py, line 2)"),
        ("os._exit(3)", "while it was loaded, it exited with status 3"),
        ("time.sleep(60)", "loading took longer than 0.4 s"),
        ("while True: pass", "loading took longer than 0.4 s"),
    ],
)
def test_a_function_that_is_not_loaded_in_a_match_is_told_why_and_nothing_of_lines(
    matched, built, tmp_path, statement, reason
):
    """A file that never can be loaded is refused when it is built; this one could be, then."""
    good = built("honest_rps", ("later.py", "def later(*arguments):\n    return 'R'\n"))
    shutil.copytree(good.path, tmp_path / "later", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "later/files/later.py").write_text(f"import os, time\n{statement}\n")
    later = dataclasses.replace(good, path=tmp_path / "later", digest=str(tmp_path))
    played = matched("honest_rps", later, ("honestpaper.py", HONEST_PAPER), ready_ms=400)
    [fault] = played.log.faults
    assert (fault.seat, fault.kind, english(fault.reason)) == (0, "start", reason)


def test_what_a_bot_prints_goes_to_its_own_log(matched):
    loud = ("loud.py", "def loud(*whatever):\n    print('I say', len(whatever[0]))\n    return 'R'\n")
    played = matched("honest_rps", loud, ("honestpaper.py", HONEST_PAPER))
    assert played.log.faults == ()
    assert played.stderr[0].startswith(b"I say 0\nI say 0\nI say 1\n")
    assert played.stderr[1] == b""


def test_the_traceback_of_an_exception_is_the_authors_own(matched):
    source = """
def helper(pasts):
    return pasts[7]

def lost(*pasts):
    return helper(pasts)
"""
    played = matched("honest_rps", ("lost.py", source), ("honestpaper.py", HONEST_PAPER))
    [fault] = played.log.faults
    assert english(fault.reason) == (
        "round 1, claim: the function raised IndexError: tuple index out of range (lost.py, line 3)"
    )
    files = re.findall(r'File ".*/(.*?)", line (\d+)', played.stderr[0].decode())
    assert files == [("lost.py", "6"), ("lost.py", "3")]


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("yield 'R'", "expected R, P or S, but the function returned <generator object odd>"),
        (
            "return [odd, odd]",
            "expected R, P or S, but the function returned [<function odd>, <function odd>]",
        ),
        (
            "raise KeyError(object())",
            "the function raised KeyError: <object object> (odd.py, line 2)",
        ),
        ("return 'meet at 0x10, or at 0x'", "'meet at 0x10, or at 0x'"),
    ],
)
def test_where_in_memory_an_object_is_does_not_get_into_the_record(matched, statement, reason):
    """It is another place in every run, and equal matches have equal records."""
    odd = ("odd.py", f"def odd(*pasts):\n    {statement}\n")
    [fault] = matched("honest_rps", odd, ("honestpaper.py", HONEST_PAPER)).log.faults
    assert english(fault.reason).endswith(reason)
