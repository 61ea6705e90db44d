"""Camel Up by the rules page: the start, how camels move, and what traps do, with dice chosen."""

from collections import Counter

import pytest

from games.camel_up.board import Trap
from tests.support.reasons import told

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


def test_camels_and_dice_are_drawn_alike_often(camel_table):
    rolled = Counter()
    for seed in range(3000):
        table = camel_table(seed=seed)
        table.act(ROLL)
        rolled[tuple(table.game.frames[-1]["rolled"][:2])] += 1
    assert len(rolled) == 15
    assert all(abs(count - 200) < 4 * 200**0.5 for count in rolled.values())


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
    assert told(table.faults) == []


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ([1, 1, 0], "expected a trap on a square from 1 to 27, got 0"),
        ([1, 1, 28], "expected a trap on a square from 1 to 27, got 28"),
        ([1, 1, -1], "expected a trap on a square from 1 to 27, got -1"),
        ([1, 0, 5], "expected a trap of type 1 or -1, got 0"),
        ([1, 2, 5], "expected a trap of type 1 or -1, got 2"),
        ([1, 1, 7], "no trap may lie on square 7: player 3 has one on square 8"),
        ([1, 1, 8], "no trap may lie on square 8: player 3 has one on square 8"),
        ([1, 1, 9], "no trap may lie on square 9: player 3 has one on square 8"),
    ],
)
def test_a_refused_trap_becomes_a_roll_and_leaves_the_old_one(camel_table, action, words):
    traps = {12: Trap(1, 0), 8: Trap(1, 3)}
    table = camel_table(track={0: [A, B, C, D, E]}, traps=traps)
    table.act(action)
    assert told(table.faults) == [words]
    assert {square: trap for square, trap in enumerate(table.game.board.traps) if trap} == traps
    assert table.game.frames[-1]["action"] == [0]
    assert table.game.coins == [3, 2, 2, 2]


def test_the_own_trap_may_be_turned_where_it_lies(camel_table):
    table = camel_table(track={0: [A, B, C, D, E]}, traps={8: Trap(1, 0)})
    table.act([1, -1, 8])
    assert table.game.board.traps[8] == Trap(-1, 0)
    assert told(table.faults) == []


def test_two_squares_from_another_trap_is_far_enough(camel_table):
    table = camel_table(track={0: [A, B, C, D, E]}, traps={8: Trap(1, 3)})
    table.act([1, 1, 10])
    assert table.game.board.traps[10] == Trap(1, 0)


def test_all_traps_vanish_at_the_end_of_the_round(camel_table):
    table = camel_table(track={0: [A, B, C, D, E]}, waiting=[A], traps={8: Trap(1, 3), 12: Trap(-1, 1)})
    table.roll(A, 1)
    assert table.game.board.traps == [None] * 29
    assert table.state["player_has_placed_trap"] == [False] * 4
