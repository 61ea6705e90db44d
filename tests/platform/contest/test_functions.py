"""Matches of games whose bots are Python functions, in real sandboxes: the adapter beside the bot."""

import dataclasses

import pytest

from contest.adapters import adapter_of
from contest.arena import Player, box_limits, play
from games.core.manifest import load
from sandbox.boxes.pool import Pool
from sandbox.building.build import build
from sandbox.uploads.accept import pasted, read_upload
from tests.support.archives import make_zip
from tests.support.replays import differences_when_replayed

pytestmark = pytest.mark.slow

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


@pytest.fixture(scope="module")
def matched(sandbox, store):
    """Play one match of these bots, {file name: text} or a source each by seat."""
    pools = {}

    def bot(info, given):
        if isinstance(given, tuple):
            name, text = given
            given = pasted(text, "c" if name.endswith(".c") else "python", name)
        built = build(given, sandbox, store, adapter_of(info))
        assert built.artifact is not None, built.log + built.reason
        return built.artifact

    def run(game, *bots, seed=1, **limits):
        info = load(game)
        info = dataclasses.replace(info, limits=dataclasses.replace(info.limits, **limits))
        pool = pools.setdefault(game, Pool(sandbox, box_limits(info)))
        players = [Player(f"bot{seat}", bot(info, given)) for seat, given in enumerate(bots)]
        return play(info, players, seed, pool)

    yield run
    for pool in pools.values():
        pool.close()


def test_the_original_examples_play_their_match(matched):
    paper, honest = ("honestpaper.py", HONEST_PAPER), ("tit4tat.py", TIT4TAT)
    record = matched("honest_rps", paper, honest).log
    # tit4tat claims rock, paper, scissors in turn and keeps its word, as paper always does.
    assert record.scores == (str(84 * 3 + 83 * 2 + 83 * 1), str(84 * 1 + 83 * 2 + 83 * 3))
    assert record.faults == ()
    assert differences_when_replayed(record) == []


def test_chance_is_new_in_every_match_also_in_a_warm_interpreter(matched):
    bots = ("randombot.py", RANDOM), ("honestpaper.py", HONEST_PAPER)
    one, two = (matched("honest_rps", *bots).log.frames for _ in range(2))
    assert one != two


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
            "illegal",
            "round 3, throw: expected R, P or S, but the function raised ValueError: 1",
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
    assert played.log.faults[0].reason.startswith(reason)
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
    assert [fault.kind for fault in played.log.faults] in (["memory"], ["illegal"])
    assert played.log.scores == ("0", "1")


def test_a_file_that_cannot_be_used_is_told_why_at_the_start(matched):
    nothing = ("nothing.py", "def something(one): pass\n")
    played = matched("honest_rps", nothing, ("honestpaper.py", HONEST_PAPER))
    [fault] = played.log.faults
    assert (fault.seat, fault.kind) == (0, "start")
    assert "'nothing.py: expected a function nothing of four arguments, there is none" in fault.reason


def test_what_a_bot_prints_goes_to_its_own_log(matched):
    loud = ("loud.py", "def loud(*whatever):\n    print('I say', len(whatever[0]))\n    return 'R'\n")
    played = matched("honest_rps", loud, ("honestpaper.py", HONEST_PAPER))
    assert played.log.faults == ()
    assert played.stderr[0].startswith(b"I say 0\nI say 0\nI say 1\n")
    assert played.stderr[1] == b""


PLAYER_1 = """
import math
import random
from playerinterface import PlayerInterface

class Player1(PlayerInterface):
    def move(player, g):
        if min(g.player_money_values) == g.player_money_values[player]:
            return [2, random.randint(0, len(g.camels) - 1)]
        return [1, math.floor(2 * random.random()) * 2 - 1, random.randint(1, 10)]
"""
ROLLER = ("roller.py", "def move(player, g):\n    return [0]\n")
IN_C_TOO = """
#include <stdio.h>
int main(void) {
    static char line[1 << 16];
    puts("READY"); fflush(stdout);
    while (fgets(line, sizeof line, stdin)) { puts("[2, 3]"); fflush(stdout); }
}
"""


def actions(record, seat):
    return [frame["action"] for frame in record.frames if frame.get("seat") == seat]


def test_the_original_camel_up_example_plays_its_game(matched):
    played = matched("camel_up", ("player1.py", PLAYER_1), ROLLER, ROLLER, ROLLER)
    assert {action[0] for action in actions(played.log, 0)} <= {0, 1, 2}
    assert {fault.kind for fault in played.log.faults} <= {"illegal"}  # a trap beside its own is fine
    assert played.log.summary["end"] == "finish"
    assert differences_when_replayed(played.log) == []


def test_other_players_game_bets_do_not_reach_a_bots_process(matched):
    bettor = ("bettor.py", "def move(player, g):\n    return [3, 0] if not g.game_winner_bets else [0]\n")
    spy = """
import sys
def move(player, g):
    print(sys._getframe(1).f_locals["line"].partition("game_winner_bets")[2][:14], g.game_winner_bets)
    return [0]
"""
    played = matched("camel_up", bettor, ("spy.py", spy), ROLLER, ROLLER)
    assert played.log.faults == ()
    assert set(played.stderr[1].splitlines()) == {b'":[[null,0]]," [[None, 0]]'}


@pytest.mark.compilers
def test_another_language_plays_camel_up_over_lines_of_json(matched):
    record = matched("camel_up", ("bot.c", IN_C_TOO), ROLLER, ROLLER, ROLLER).log
    assert record.faults == ()
    assert set(map(tuple, actions(record, 0))) == {(2, 3)}


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (
            "return None",
            "turn 1: expected [0], [1, type, square], [2, camel], [3, camel] or [4, camel], "
            "but the function returned None",
        ),
        ("raise KeyError('g')", ", but the function raised KeyError: 'g'"),
        (
            "g.camel_track.clear(); g.player_money_values[player] = 99; return [2]",
            "expected [2, camel], got '[2]'",
        ),
        ("return [2, float('nan')]", "expected [2, camel] of plain whole numbers, got '[2, NaN]'"),
        ("return [3, 10 ** 5000]", "plain whole numbers, got '[3, \"a number of 16610 bits\"]'"),
        ("return [1, 1, 0]", "turn 1: expected a trap on a square from 1 to 27, got 0"),
        ("time.sleep(0.6)", "turn 1: gave no answer within 0.4 s"),
    ],
)
def test_an_unsound_turn_becomes_a_roll_and_the_bot_plays_on(matched, statement, words):
    source = f"""
import time
turns = 0
def move(player, g):
    global turns
    turns += 1
    if turns == 1:
        {statement}
    return [2, turns % 5]
"""
    played = matched("camel_up", ("bad.py", source), ROLLER, ROLLER, ROLLER, turn_ms=400)
    [fault] = played.log.faults
    assert fault.seat == 0
    assert words in fault.reason
    # A late answer is not taken for the next turn's: that one is answered by its own.
    said = actions(played.log, 0)
    assert said == [[0]] + [[2, turn % 5] for turn in range(2, len(said) + 1)]


def test_a_player_that_ends_rolls_until_the_game_is_over(matched):
    source = "import os\ndef move(player, g):\n    os._exit(9)\n"
    played = matched("camel_up", ("bad.py", source), ROLLER, ROLLER, ROLLER)
    [fault] = played.log.faults
    assert (fault.kind, fault.reason) == ("crash", "turn 1: exited with status 9")
    assert set(map(tuple, actions(played.log, 0))) == {(0,)}
    assert played.log.summary["end"] == "finish"
