"""Camel Up by the rules page: what a bot is shown on its turn, and what becomes of an unsound answer."""

import json

import pytest

from games.camel_up.board import Trap
from games.core.compliance.scripted import play
from games.core.faults import FaultCause, FaultKind
from games.core.manifest import load
from tests.support.reasons import said, told

A, B, C, D, E = range(5)


# What a bot is shown


def test_a_view_has_the_fields_and_shapes_of_the_rules_page(camel_table):
    table = camel_table(track={3: [A, B], 7: [C, D, E]}, traps={9: Trap(-1, 2)}, waiting=[A, C])
    table.act([3, D])
    assert table.views[1].endswith("\n")
    assert table.views[1].count("\n") == 1
    track = [[] for _ in range(29)]
    track[3], track[7] = [A, B], [C, D, E]
    traps = [[] for _ in range(29)]
    traps[9] = [-1, 2]
    assert table.state == {
        "turn": 2,
        "player": 1,
        "camel_track": track,
        "trap_track": traps,
        "player_has_placed_trap": [False, False, True, False],
        "round_bets": [],
        "game_winner_bets": [[None, 0]],
        "game_loser_bets": [],
        "player_game_bets": [[None], [], [], []],
        "player_money_values": [2, 2, 2, 2],
        "camel_yet_to_move": [True, False, True, False, False],
    }


def test_own_game_bets_are_shown_and_others_only_that_they_are_there(camel_table):
    table = camel_table(track={0: [A, B, C, D, E]})
    for action in ([3, A], [4, B], [3, C], [0], [4, D]):
        table.act(action)
    assert table.seats == (1,)
    assert table.state["game_winner_bets"] == [[None, 0], [None, 2]]
    assert table.state["game_loser_bets"] == [[B, 1], [None, 0]]
    assert table.state["player_game_bets"] == [[None, None], [B], [None], []]


# Unsound actions


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "expected [0], [1, type, square], [2, camel], [3, camel] or [4, camel], got an empty line"),
        ("0", ", got '0'"),
        ("[]", ", got '[]'"),
        ("[5]", ", got '[5]'"),
        ("[-1]", ", got '[-1]'"),
        ("[true]", ", got '[true]'"),
        ("[0.0]", ", got '[0.0]'"),
        ('["0"]', ", got '[\"0\"]'"),
        ("[2]", "expected [2, camel], got '[2]'"),
        ("[1, 1]", "expected [1, type, square], got '[1, 1]'"),
        ("[2, true]", "expected [2, camel] of plain whole numbers, got '[2, true]'"),
        ("[2, 1.0]", "expected [2, camel] of plain whole numbers, got '[2, 1.0]'"),
        ("[2, NaN]", "expected [2, camel] of plain whole numbers, got '[2, NaN]'"),
        ("[2, 5]", "expected a camel from 0 to 4, got 5"),
        ("[3, -1]", "expected a camel from 0 to 4, got -1"),
        ("[4, " + "9" * 4000 + "]", f"expected a camel from 0 to 4, got {'9' * 20}... (4000 digits)"),
        ("[4, " + "9" * 5000 + "]", "[4, camel], got '[4, 999"),
        ("[1, 1, 1e1]", "expected [1, type, square] of plain whole numbers, got '[1, 1, 1e1]'"),
        ("[" * 9000, "[4, camel], got '[[["),
        ("{}", ", got '{}'"),
        ("null", ", got 'null'"),
        ("returned None", "[4, camel], but the function returned None"),
        ("raised KeyError", ", got 'raised KeyError'"),
    ],
)
def test_an_unsound_action_becomes_a_roll_and_the_bot_stays(camel_table, line, words):
    table = camel_table(track={0: [A, B, C, D, E]})
    table.say(line)
    [fault] = table.faults
    assert words in fault
    assert table.game.frames[-1]["action"] == [0]
    assert table.game.coins == [3, 2, 2, 2]


@pytest.mark.parametrize("line", ["[0, 9, true]", "[2, 3, null]", "[1, 1, 5, 7]", " [ 0 ] ", "[0]\r"])
def test_surplus_entries_and_blanks_are_harmless(camel_table, line):
    table = camel_table(track={0: [A, B, C, D, E]})
    table.say(line)
    assert table.faults == []


@pytest.mark.parametrize(
    ("kind", "stays"), [("timeout", True), ("crash", False), ("flood", False), ("memory", False)]
)
def test_a_late_bot_stays_and_one_that_is_gone_rolls_to_the_end(kind, stays):
    bots = [lambda request: json.dumps([2, request.step % 5])] + [lambda request: "[0]"] * 3
    driver = play(load("camel_up"), bots, 1, faults={(4, 0): FaultCause(kind, said("words"))})
    actions = [frame["action"] for frame in driver.frames if frame.get("seat") == 0]
    assert actions[:2] == [[2, 0], [0]]
    assert {action[0] for action in actions[2:]} == ({2} if stays else {0})
    assert driver.retired == (set() if stays else {0})
    assert told(driver.faults) == [(0, kind, 4, "turn 5: words")]


def test_a_bot_that_cannot_be_started_rolls_from_the_first_turn():
    driver = play(
        load("camel_up"),
        [lambda request: "[0]"] * 4,
        1,
        start={2: FaultCause(FaultKind.CRASH, said("it ended"))},
    )
    assert {tuple(frame["action"]) for frame in driver.frames if frame.get("seat") == 2} == {(0,)}
    assert all(exchange.seat != 2 for exchange in driver.exchanges)
    assert len(driver.exchanges) < driver.summary["turns"]
