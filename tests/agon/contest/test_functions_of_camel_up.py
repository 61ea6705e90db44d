"""Camel Up with bots that are Python functions, in real sandboxes: the adapter beside the bot."""

import pytest

from tests.support.boxes import one_backend
from tests.support.reasons import english
from tests.support.replays import differences_when_replayed

# tests/sandbox has sessions in both backends, and test_results_digest.py whole matches of every game.
pytestmark = [pytest.mark.slow, one_backend]


def test_a_function_of_camel_up_that_raises_crashes_rolls_and_plays_on(matched):
    """The original runner made a roll of it: an exception costs a turn, not the game."""
    source = """
turns = 0
def move(player, g):
    global turns
    turns += 1
    if turns == 1:
        raise KeyError("g")
    return [2, turns % 5]
"""
    played = matched("camel_up", ("bad.py", source), ROLLER, ROLLER, ROLLER)
    [fault] = played.log.faults
    assert (fault.seat, fault.kind, fault.step) == (0, "crash", 0)
    assert english(fault.reason) == "turn 1: the function raised KeyError: 'g' (bad.py, line 7)"
    assert actions(played.log, 0)[:3] == [[0], [2, 2], [2, 3]]
    assert differences_when_replayed(played.log) == []


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
    assert words in english(fault.reason)
    # A late answer is not taken for the next turn's: that one is answered by its own.
    said = actions(played.log, 0)
    assert said == [[0]] + [[2, turn % 5] for turn in range(2, len(said) + 1)]


def test_a_player_that_ends_rolls_until_the_game_is_over(matched):
    source = "import os\ndef move(player, g):\n    os._exit(9)\n"
    played = matched("camel_up", ("bad.py", source), ROLLER, ROLLER, ROLLER)
    [fault] = played.log.faults
    assert (fault.kind, english(fault.reason)) == ("crash", "turn 1: exited with status 9")
    assert set(map(tuple, actions(played.log, 0))) == {(0,)}
    assert played.log.summary["end"] == "finish"


# Spins without end, and notices when it gets no processor for as long as the others take.
SPINNING = """
import sys, time

def move(player, g):
    before = time.monotonic()
    while True:
        now = time.monotonic()
        if now > before + 0.4:
            print("stopped", file=sys.stderr, flush=True)
        before = now
"""
SLOW_ROLLER = ("slow.py", "import time\ndef move(player, g):\n    time.sleep(0.15)\n    return [0]\n")


@pytest.mark.exhaustive
def test_a_bot_that_is_too_late_gets_no_processor_in_the_turns_of_the_others(matched):
    spinning = ("spinning.py", SPINNING)
    played = matched("camel_up", spinning, SLOW_ROLLER, SLOW_ROLLER, SLOW_ROLLER, turn_ms=300)
    asked = sum(exchange.seat == 0 for exchange in played.log.exchanges)
    assert {(fault.seat, fault.kind) for fault in played.log.faults} == {(0, "timeout")}
    assert len(played.log.faults) == asked > 2
    assert played.stderr[0].count(b"stopped") >= asked - 1, "the others took 0.45 s between two of its turns"
