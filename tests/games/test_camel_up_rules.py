"""Camel Up by the rules page, section by section: boards set by hand, dice chosen, scripted seats."""

import json

import pytest

from games.camel_up.board import Trap
from games.camel_up.referee import MOST_TURNS
from games.core.manifest import load
from games.core.scripted import play

A, B, C, D, E = range(5)
ROLL = [0]


# Board and start


def test_the_camels_start_on_the_first_three_squares_in_random_stacks(camel_table):
    starts = [camel_table(seed=seed).game.board.track for seed in range(100)]
    for track in starts:
        assert sorted(camel for stack in track[:3] for camel in stack) == [A, B, C, D, E]
    assert {len(track[square]) for track in starts for square in range(3)} >= set(range(5))
    assert {track[0][0] for track in starts if track[0]} == {A, B, C, D, E}


def test_every_player_has_two_coins_and_all_camels_wait(camel_table):
    state = camel_table().state
    assert state["player_money_values"] == [2, 2, 2, 2]
    assert state["camel_yet_to_move"] == [True] * 5


def test_seats_take_turns_without_a_break_over_round_ends(camel_table):
    table = camel_table()
    turns = []
    for _ in range(12):
        turns += table.seats
        table.act(ROLL)
    assert turns == [0, 1, 2, 3] * 3
    assert table.game.rounds == 2


# Movement


def test_the_drawn_camel_takes_those_above_along_and_the_unit_goes_on_top(camel_table):
    table = camel_table(track={3: [A, B, C], 5: [D, E]})
    table.roll(B, 2)
    assert table.track == {3: [A], 5: [D, E, B, C]}


def test_a_roll_draws_a_waiting_camel_and_a_die_of_1_2_or_3(camel_table):
    rolled = set()
    for seed in range(60):
        table = camel_table(seed=seed)
        drawn = []
        for _ in range(5):
            before = table.state["camel_yet_to_move"]
            table.act(ROLL)
            camel, die, _ = table.game.frames[-1]["rolled"]
            assert before[camel]
            drawn.append(camel)
            rolled.add((camel, die))
        assert sorted(drawn) == [A, B, C, D, E]
    assert rolled == {(camel, die) for camel in range(5) for die in (1, 2, 3)}


def test_a_trap_of_type_1_sends_the_unit_on_and_on_top(camel_table):
    table = camel_table(track={5: [A, B], 7: [C, D, E]}, traps={6: Trap(1, 3)})
    table.roll(A, 1)
    assert table.track == {7: [C, D, E, A, B]}


def test_a_trap_of_type_minus_1_sends_the_unit_back_and_under_those_who_stand_there(camel_table):
    table = camel_table(track={5: [A, B, C], 6: [D, E]}, traps={7: Trap(-1, 3)})
    table.roll(B, 2)
    assert table.track == {5: [A], 6: [B, C, D, E]}


def test_with_die_1_a_back_trap_brings_the_unit_under_the_camels_that_stayed(camel_table):
    table = camel_table(track={2: [D, E], 5: [A, B, C]}, traps={6: Trap(-1, 3)})
    table.roll(B, 1)
    assert table.track == {2: [D, E], 5: [B, C, A]}


def test_at_most_one_trap_acts_on_a_move(camel_table):
    table = camel_table(track={5: [A], 0: [B, C, D, E]}, traps={6: Trap(1, 3), 7: Trap(1, 2)})
    table.roll(A, 1)
    assert table.track[7] == [A]
    assert table.game.coins == [3, 2, 2, 3]


def test_a_trap_pays_its_owner_and_a_roll_its_player(camel_table):
    table = camel_table(track={5: [A, B, C, D, E]}, traps={6: Trap(1, 0)})
    table.roll(A, 1)
    assert table.game.coins == [4, 2, 2, 2]  # both are seat 0's


def test_a_trap_under_camels_acts_only_on_those_who_arrive_later(camel_table):
    table = camel_table(track={5: [A, B, C, D, E]})
    table.act([1, 1, 5])
    assert table.track == {5: [A, B, C, D, E]}
    table.roll(E, 1)
    assert table.track[6] == [E]  # it leaves the trap's square unhindered
    table = camel_table(track={5: [A, B, C, D], 4: [E]}, traps={5: Trap(1, 0)})
    table.roll(E, 1)
    assert table.track == {5: [A, B, C, D], 6: [E]}


# Traps


def test_placing_again_in_the_same_round_moves_the_trap(camel_table):
    table = camel_table(track={0: [A, B, C, D, E]})
    table.act([1, 1, 8])
    assert table.state["player_has_placed_trap"] == [True, False, False, False]
    table.act(ROLL)
    table.act(ROLL)
    table.act(ROLL)
    table.act([1, -1, 9])  # beside its own old one, which goes
    assert table.game.board.traps[8] is None
    assert table.game.board.traps[9] == Trap(-1, 0)


@pytest.mark.parametrize("square", [1, 16, 20, 27])
def test_a_trap_may_lie_on_squares_1_to_27(camel_table, square):
    table = camel_table(track={0: [A, B, C, D, E]})
    table.act([1, -1, square])
    assert table.game.board.traps[square] == Trap(-1, 0)
    assert table.faults == []


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ([1, 1, 0], "expected a trap on a square from 1 to 27, 0 came"),
        ([1, 1, 28], "expected a trap on a square from 1 to 27, 28 came"),
        ([1, 1, -1], "expected a trap on a square from 1 to 27, -1 came"),
        ([1, 0, 5], "expected a trap of type 1 or -1, 0 came"),
        ([1, 2, 5], "expected a trap of type 1 or -1, 2 came"),
        ([1, 1, 7], "no trap may lie on square 7: player 3 has one on square 8"),
        ([1, 1, 8], "no trap may lie on square 8: player 3 has one on square 8"),
        ([1, 1, 9], "no trap may lie on square 9: player 3 has one on square 8"),
    ],
)
def test_a_refused_trap_becomes_a_roll_and_leaves_the_old_one(camel_table, action, words):
    traps = {12: Trap(1, 0), 8: Trap(1, 3)}
    table = camel_table(track={0: [A, B, C, D, E]}, traps=traps)
    table.act(action)
    assert table.faults == [words]
    assert {square: trap for square, trap in enumerate(table.game.board.traps) if trap} == traps
    assert table.game.frames[-1]["action"] == [0]
    assert table.game.coins == [3, 2, 2, 2]


def test_two_squares_from_another_trap_is_far_enough(camel_table):
    table = camel_table(track={0: [A, B, C, D, E]}, traps={8: Trap(1, 3)})
    table.act([1, 1, 10])
    assert table.game.board.traps[10] == Trap(1, 0)


def test_all_traps_vanish_at_the_end_of_the_round(camel_table):
    table = camel_table(track={0: [A, B, C, D, E]}, waiting=[A], traps={8: Trap(1, 3), 12: Trap(-1, 1)})
    table.roll(A, 1)
    assert table.game.board.traps == [None] * 29
    assert table.state["player_has_placed_trap"] == [False] * 4


# Round bets


def last_roll(table):
    """End the round by a roll of camel E, which stays in front of all: E first, D second."""
    table.roll(E, 1)


def round_table(camel_table, bets):
    """A round that one roll ends, with E ahead and D second, and these bets [camel, seat] on the table."""
    return camel_table(track={3: [A, B, C], 5: [D], 6: [E]}, waiting=[E], round_bets=bets)


def test_the_first_four_bets_on_the_leader_earn_5_3_2_1_and_later_ones_nothing(camel_table):
    table = round_table(camel_table, [(E, 0), (E, 1), (E, 2), (E, 3), (E, 3), (E, 2)])
    last_roll(table)
    assert table.game.coins == [2 + 1 + 5, 2 + 3, 2 + 2 + 0, 2 + 1 + 0]


def test_the_first_three_bets_on_the_runner_up_earn_1_and_later_ones_nothing(camel_table):
    table = round_table(camel_table, [(D, 1), (D, 2), (D, 3), (D, 1), (D, 1)])
    last_roll(table)
    assert table.game.coins == [3, 3, 3, 3]


def test_every_other_bet_costs_1_however_many_there_are(camel_table):
    table = round_table(camel_table, [(A, 1), (B, 1), (C, 1), (A, 1), (A, 2), (E, 3)])
    last_roll(table)
    assert table.game.coins == [3, -2, 1, 7]


def test_the_last_bet_of_the_list_is_settled_too(camel_table):
    table = round_table(camel_table, [(A, 1)])
    last_roll(table)
    assert table.game.coins == [3, 1, 2, 2]


def test_round_bets_are_any_number_with_repeats_in_order_and_public(camel_table):
    table = camel_table(track={0: [A, B, C, D, E]})
    for action in ([2, A], [2, A], [2, B], [2, A], [2, A]):
        table.act(action)
    assert table.state["round_bets"] == [[A, 0], [A, 1], [B, 2], [A, 3], [A, 0]]
    assert table.faults == []


def test_bets_go_and_all_camels_wait_again_when_the_round_ends(camel_table):
    table = round_table(camel_table, [(E, 0)])
    last_roll(table)
    assert table.state["round_bets"] == []
    assert table.state["camel_yet_to_move"] == [True] * 5


def test_all_five_on_one_square_the_top_one_leads_and_the_one_below_is_second(camel_table):
    table = camel_table(track={5: [B, C, D, E], 4: [A]}, waiting=[A], round_bets=[(A, 1), (E, 2), (B, 3)])
    table.roll(A, 1)
    assert table.game.frames[-1]["round"] == [A, E, D, C, B]
    assert table.game.coins == [3, 7, 3, 1]


# Game bets and the end


def test_a_camel_on_square_16_ends_the_game_in_the_middle_of_a_round(camel_table):
    table = camel_table(track={0: [A, B, C, D], 14: [E]}, round_bets=[(E, 1), (D, 2), (A, 3)])
    table.roll(E, 2)
    assert list(table.scores) == [3, 7, 3, 1]
    assert table.game.facts()["end"] == "finish"


def test_15_with_die_3_and_a_trap_is_19_and_the_end(camel_table):
    table = camel_table(track={0: [A, B, C, D], 15: [E]}, traps={18: Trap(1, 2)})
    table.roll(E, 3)
    assert table.track[19] == [E]
    assert list(table.scores) == [3, 2, 3, 2]


def test_a_back_trap_on_16_keeps_the_game_going(camel_table):
    table = camel_table(track={0: [B, C, D], 15: [A, E]}, traps={16: Trap(-1, 2)})
    table.roll(E, 1)
    assert table.scores is None
    assert table.track[15] == [E, A]


def test_an_on_trap_on_15_finishes_the_game(camel_table):
    table = camel_table(track={0: [A, B, C, D], 13: [E]}, traps={15: Trap(1, 2)})
    table.roll(E, 2)
    assert table.scores is not None


def test_the_last_camel_of_a_round_crossing_the_line_is_settled_once(camel_table):
    table = camel_table(track={0: [A, B, C, D], 15: [E]}, waiting=[E], round_bets=[(E, 1), (A, 2)])
    table.roll(E, 1)
    assert list(table.scores) == [3, 7, 1, 2]
    assert table.game.rounds == 1


def end_table(camel_table, winners=(), losers=()):
    """A game that one roll ends, E first and A last, with these game bets [camel, seat]."""
    return camel_table(track={0: [A, B, C, D], 15: [E]}, winners=winners, losers=losers)


def test_right_game_bets_earn_8_5_3_1_1_by_their_place_among_the_right_ones(camel_table):
    table = end_table(camel_table, winners=[(E, 1), (D, 2), (E, 2), (E, 3), (E, 0)])
    table.roll(E, 1)
    assert list(table.scores) == [2 + 1 + 1, 2 + 8, 2 - 1 + 5, 2 + 3]


def test_loser_bets_are_on_the_last_camel_with_a_ladder_of_their_own(camel_table):
    table = end_table(camel_table, winners=[(E, 1), (A, 3)], losers=[(E, 2), (A, 2), (A, 1)])
    table.roll(E, 1)
    assert list(table.scores) == [3, 2 + 8 + 5, 2 - 1 + 8, 2 - 1]


def test_the_last_bets_of_both_lists_are_settled_too(camel_table):
    table = end_table(camel_table, winners=[(E, 1)], losers=[(A, 2)])
    table.roll(E, 1)
    assert list(table.scores) == [3, 10, 10, 2]


def test_the_most_coins_win_and_ties_share_the_first_rank(camel_table):
    driver = play(load("camel_up"), [lambda request: "[0]"] * 4, 3)
    best = max(driver.scores)
    assert [rank == 1 for rank in driver.ranks] == [score == best for score in driver.scores]
    assert load("camel_up").tournament.points == "shared_win"


@pytest.mark.parametrize(("first", "second"), [(3, 3), (3, 4), (4, 3), (4, 4)])
def test_a_camel_takes_one_game_bet_of_a_player_over_both_kinds(camel_table, first, second):
    table = camel_table(track={0: [A, B, C, D, E]})
    table.act([first, C])
    for _ in range(3):
        table.act([first, C])  # the others may
    table.act([second, C])
    kind = "win" if first == 3 else "lose"
    assert table.faults == [f"expected a camel without a game bet: {C} has your bet to {kind}"]
    assert len(table.game.game_bets) == 4
    assert table.game.frames[-1]["action"] == [0]


def test_a_player_may_make_five_game_bets(camel_table):
    table = camel_table(track={0: [A, B, C, D, E]})
    for camel in range(5):
        for seat in range(4):
            table.act([3 + (camel + seat) % 2, camel])
    assert table.faults == []
    assert len(table.game.game_bets) == 20


def test_a_game_in_which_nobody_rolls_is_settled_after_1000_turns():
    driver = play(load("camel_up"), [lambda request: json.dumps([2, request.seat])] * 4, 7)
    assert driver.facts["turns"] == MOST_TURNS
    assert driver.facts["end"] == "limit"
    first, second = driver.facts["ranking"][:2]
    bets = MOST_TURNS // 4
    expected = [2 + (11 if seat == first else 3 if seat == second else -bets) for seat in range(4)]
    assert list(driver.scores) == expected


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
        ("", "expected [0], [1, type, square], [2, camel], [3, camel] or [4, camel]; an empty line came"),
        ("0", "; '0' came"),
        ("[]", "; '[]' came"),
        ("[5]", "; '[5]' came"),
        ("[-1]", "; '[-1]' came"),
        ("[true]", "; '[true]' came"),
        ("[0.0]", "; '[0.0]' came"),
        ('["0"]', "; '[\"0\"]' came"),
        ("[2]", ", of plain whole numbers; '[2]' came"),
        ("[1, 1]", ", of plain whole numbers; '[1, 1]' came"),
        ("[2, true]", ", of plain whole numbers; '[2, true]' came"),
        ("[2, 1.0]", ", of plain whole numbers; '[2, 1.0]' came"),
        ("[2, NaN]", ", of plain whole numbers; '[2, NaN]' came"),
        ("[2, 5]", "expected a camel from 0 to 4, 5 came"),
        ("[3, -1]", "expected a camel from 0 to 4, -1 came"),
        ("[4, " + "9" * 4000 + "]", "expected a camel from 0 to 4, 999"),
        ("[4, " + "9" * 5000 + "]", "[4, camel]; '[4, 999"),
        ("[1, 1, 1e1]", ", of plain whole numbers; '[1, 1, 1e1]' came"),
        ("[" * 9000, "[4, camel]; '[[["),
        ("{}", "; '{}' came"),
        ("null", "; 'null' came"),
        ("returned None", "; 'returned None' came"),
        ("raised ZeroDivisionError: division by zero", "'raised ZeroDivisionError: division by zero' came"),
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
    bots = [lambda request: json.dumps([2, request.turn % 5])] + [lambda request: "[0]"] * 3
    driver = play(load("camel_up"), bots, 1, faults={(4, 0): (kind, "words")})
    actions = [frame["action"] for frame in driver.frames if frame.get("seat") == 0]
    assert actions[:2] == [[2, 0], [0]]
    assert {action[0] for action in actions[2:]} == ({2} if stays else {0})
    assert driver.retired == (set() if stays else {0})
    assert driver.faults == [(0, kind, 4, "turn 5: words")]


def test_a_bot_that_cannot_be_started_rolls_from_the_first_turn():
    driver = play(load("camel_up"), [lambda request: "[0]"] * 4, 1, start={2: ("crash", "it ended")})
    assert {tuple(frame["action"]) for frame in driver.frames if frame.get("seat") == 2} == {(0,)}
    assert all(turn.seat != 2 for turn in driver.turns)
    assert len(driver.turns) < driver.facts["turns"]
