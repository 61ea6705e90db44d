"""Camel Up by the rules page: bets on a round and on the game, and what ends each, with dice chosen."""

import json

import pytest

from games.camel_up.board import Trap
from games.camel_up.referee import MOST_TURNS
from games.core.compliance.scripted import play
from games.core.manifest import load
from tests.support.reasons import told

A, B, C, D, E = range(5)


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
    assert table.game.summary()["end"] == "finish"


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
    assert driver.summary["turns"] == MOST_TURNS == 1000
    assert driver.summary["end"] == "limit"
    first, second = driver.summary["ranking"][:2]
    bets = MOST_TURNS // 4
    expected = [2 + (11 if seat == first else 3 if seat == second else -bets) for seat in range(4)]
    assert list(driver.scores) == expected


def test_after_1000_turns_the_game_bets_are_settled_too():
    def bettor(request):
        seat, turn = request.seat, request.step // 4
        return json.dumps([[3, seat], [4, seat + 1]][turn] if turn < 2 else [1, 1, 20 + 2 * seat])

    driver = play(load("camel_up"), [bettor] * 4, 7)
    assert driver.summary["end"] == "limit"
    first, *_, last = driver.summary["ranking"]
    expected = [2 + (8 if seat == first else -1) + (8 if seat + 1 == last else -1) for seat in range(4)]
    assert list(driver.scores) == expected
    assert sorted(expected) == [0, 0, 9, 9]
    assert told(driver.faults) == []
