"""Coup by the rules page, sections 1 and 4 to 8: the deal, what turns do to coins and cards, and the end."""

from collections import Counter

import pytest

from games.coup.referee import Coup
from tests.support.reasons import refused

# 1. Game


def test_a_game_starts_with_two_cards_and_one_coin_each_and_an_empty_history(coup_table):
    table = coup_table()
    assert [len(hand) for hand in table.hands] == [2, 2]
    assert table.view.args[:2] == ("1", "1")
    assert table.view.file == ""


def test_the_deck_has_three_cards_of_each_kind_and_eleven_are_left():
    game = Coup(2, 5)
    assert len(game.deck) == 11
    cards = Counter(game.deck + game.hands[0] + game.hands[1])
    assert cards == {"~": 3, "^": 3, "*": 3, "!": 3, "$": 3}


def test_the_first_player_is_dealt_first_and_from_the_top(monkeypatch):
    monkeypatch.setattr("random.Random.shuffle", lambda self, cards: None)
    game = Coup(2, 1)
    top_first = game.hands[0] + game.hands[1] + game.deck[::-1]
    assert top_first == list("~^*!$" * 3)[::-1]


def test_nothing_of_a_drawn_match_is_left_for_the_next(coup_table):
    table = coup_table(coins=(5, 4))
    for _ in range(66):
        table.line("Ep\n", stdout=table.hands[table.seats[0]])
    table.write("E", "p")
    assert table.scores == [0, 0]
    after = Coup(2, 9)
    assert (after.coins, after.history, after.lost) == ([1, 1], "", [[], []])
    assert Counter(after.deck + after.hands[0] + after.hands[1]) == Counter("~^*!$" * 3)


def test_equal_seeds_deal_alike_and_other_seeds_differ():
    deals = {seed: str(Coup(2, seed).hands) for seed in range(50)}
    assert deals == {seed: str(Coup(2, seed).hands) for seed in range(50)}
    assert len(set(deals.values())) > 30


# 4 and 5. Complete lines, and when coins move. Before each line: the actor has 8 coins, the other 2.

LINES = [
    # line, hands of (the other, the actor), coins of (the other, the actor) after it
    ("I\n", ("~^", "*!"), (2, 9)),
    ("Fp\n", ("~^", "*!"), (2, 10)),
    ("Fd\n", ("~^", "*!"), (2, 8)),
    ("Fdq_\n", ("~^", "*!"), (2, 10)),
    ("Fdq$<\n", ("$^", "*!"), (2, 8)),
    ("C_\n", ("~^", "*!"), (2, 1)),
    ("Ep\n", ("~^", "*!"), (2, 8)),
    ("Eq~_\n", ("~^", "~!"), (2, 8)),
    ("Eq=\n", ("~^", "*!"), (2, 8)),
    ("Tp\n", ("~^", "*!"), (2, 11)),
    ("Tq$'\n", ("~^", "$!"), (2, 11)),
    ("Tq=\n", ("~^", "*!"), (2, 8)),
    ("Sp\n", ("~^", "*!"), (0, 10)),
    ("Sa\n", ("~^", "*!"), (2, 8)),
    ("Sc\n", ("~^", "*!"), (2, 8)),
    ("Sq*'\n", ("~^", "*!"), (0, 10)),
    ("Sq=\n", ("~^", "$!"), (2, 8)),
    ("Saq~=\n", ("~^", "*!"), (2, 8)),
    ("Scq*=\n", ("*^", "*!"), (2, 8)),
    ("Saq'\n", ("!^", "*!"), (0, 10)),
    ("Scq'\n", ("!^", "*!"), (0, 10)),
    ("A_\n", ("~^", "*!"), (2, 5)),
    ("As\n", ("~^", "*!"), (2, 5)),
    ("Asq!<\n", ("!^", "*!"), (2, 5)),
    ("Aq<\n", ("~^", "*!"), (2, 8)),
]


@pytest.mark.parametrize(("line", "hands", "coins"), LINES)
def test_a_complete_line_moves_the_coins_and_hands_over_the_turn(coup_table, line, hands, coins):
    table = coup_table(hands=hands, coins=(1, 8)).write("I\n").line(line, stdout=hands[1])
    assert tuple(table.game.coins) == coins
    assert table.scores is None
    assert table.seats == (0,)
    assert table.view.file == "I\n" + line


@pytest.mark.parametrize(
    ("line", "hands"), [("Aq^_", ("~!", "^*")), ("Asq_", ("~^", "^*")), ("Asq'", ("^^", "!*"))]
)
def test_two_cards_go_in_one_turn_and_only_one_is_written(coup_table, line, hands):
    table = coup_table(hands=hands, coins=(1, 3)).write("I\n").line(line)
    assert table.scores == [0, 1]
    assert table.hands[0] == ""
    assert table.game.files() == {"history.txt": "I\n" + line}
    assert table.game.frames[-1]["both"]


@pytest.mark.parametrize(("line", "hands"), [("Aq^_", ("~", "^*")), ("Asq_", ("~", "^*"))])
def test_who_has_one_card_loses_that_and_no_other_with_it(coup_table, line, hands):
    table = coup_table(hands=hands, coins=(1, 3)).write("I\n").line(line)
    assert table.scores == [0, 1]
    assert table.game.lost == [["~"], []]
    assert table.game.frames[-1]["both"] is False


@pytest.mark.parametrize(
    ("line", "hands", "scores"),
    [
        ("C_", ("~", "*!"), [0, 1]),
        ("A_", ("~", "*!"), [0, 1]),
        ("Tq=\n", ("~^", "!"), [1, 0]),
        ("Fdq_", ("~", "*!"), [0, 1]),
        ("Fdq$=\n", ("~$", "!"), [1, 0]),
        ("Asq!<\n", ("!^", "*"), [1, 0]),
        ("Tq$_", ("~", "$"), [0, 1]),
    ],
)
def test_who_has_no_card_left_has_lost_at_once(coup_table, line, hands, scores):
    assert coup_table(hands=hands, coins=(1, 9)).write("I\n").line(line).scores == scores


@pytest.mark.parametrize(
    ("written", "seen"), [("C", (9, 2)), ("A", (9, 2)), ("As", (2, 9)), ("Asq", (9, 2)), ("Tp", (2, 9))]
)
def test_coins_are_seen_unpaid_while_a_turn_is_open(coup_table, written, seen):
    table = coup_table(hands=("~^", "*!"), coins=(1, 9)).write("I\n").line(written)
    assert table.view.args[:2] == tuple(map(str, seen))


def test_a_victim_with_one_coin_loses_one(coup_table):
    assert coup_table(coins=(0, 1)).write("I\n").line("Sp\n").game.coins == [0, 2]


def test_nobody_can_exceed_twelve_coins(coup_table):
    table = coup_table(coins=(1, 9)).write("I\n").line("Tp\n")
    assert table.game.coins[1] == 12
    assert table.write("I\n").legal == ("C",)


# 6. Cards


@pytest.mark.parametrize(
    ("line", "hands", "seat"),
    [
        ("Tq$", ("~^", "$!"), 1),
        ("Aq^", ("~^", "^!"), 1),
        ("Sq*", ("~^", "*!"), 1),
        ("Fdq$", ("$!", "*!"), 0),
        ("Saq~", ("~!", "*!"), 0),
        ("Scq*", ("*!", "*!"), 0),
        ("Asq!", ("!$", "*!"), 0),
    ],
)
def test_a_shown_card_is_replaced_by_the_next_of_the_deck_at_the_end_of_the_hand(
    coup_table, line, hands, seat
):
    table = coup_table(hands=hands, coins=(1, 3), draws="^").write("I\n").line(line)
    assert table.hands[seat] == hands[seat][1] + "^"
    assert len(table.game.deck) == 11
    assert Counter(table.game.deck)[line[-1]] == 3 - "".join(table.hands).count(line[-1])


def test_the_shown_card_cannot_be_the_one_drawn(coup_table):
    for seed in range(30):
        table = coup_table(hands=("~^", "$!"), draws="*", seed=seed).write("I\n", "T", "q", "$")
        assert table.hands[1] == "!*"


@pytest.mark.parametrize("line", ["Tq$", "Ep\n"])
def test_the_deck_is_shuffled_whenever_a_card_goes_back(coup_table, line):
    decks = set()
    for seed in range(20):
        table = coup_table(hands=("~^", "$!"), draws="**", seed=seed).write("I\n").line(line, stdout="$!")
        decks.add("".join(table.game.deck))
    assert len(decks) > 15


def test_the_ambassador_shown_for_an_exchange_stays(coup_table):
    table = coup_table(hands=("!!", "^~"), draws="*$").write("I\n").line("Eq~=")
    assert table.hands[1] == "^~"
    assert table.view.args[2] == "*$^~"


def test_given_up_cards_are_out_of_play(coup_table):
    table = coup_table(hands=("~^", "*!"), coins=(1, 7)).write("I\n").line("C_\n")
    assert table.hands == ["^", "*!"]
    assert table.game.lost == [["~"], []]
    assert len(table.game.deck) == 11


# 7. Exchange


def test_an_exchange_shows_two_drawn_cards_first_then_the_hand(coup_table):
    table = coup_table(hands=("~^", "*!"), draws="$^").write("I\n", "E", "p")
    assert table.view.args[2:] == ("$^*!", "\n")
    assert len(table.game.deck) == 9


def test_with_one_card_left_three_are_shown_and_one_is_kept(coup_table):
    table = coup_table(hands=("~^", "!"), draws="$^").write("I\n", "E", "p")
    assert table.view.args[2] == "$^!"
    assert table.write("\n", stdout="^").hands[1] == "^"


@pytest.mark.parametrize(
    ("stdout", "hand"),
    [("$^", "$^"), ("^$", "^$"), ("!*", "!*"), (" *$\n", "*$"), ("\r\n\t^!  ", "^!")],
)
def test_kept_cards_are_the_new_hand_in_the_order_printed(coup_table, stdout, hand):
    table = coup_table(hands=("~^", "*!"), draws="$^").write("I\n", "E", "p").write("\n", stdout=stdout)
    assert table.hands[1] == hand
    assert len(table.game.deck) == 11
    assert Counter("".join(table.game.deck) + "~^" + hand) == Counter("~^*!$" * 3)


@pytest.mark.parametrize(
    "stdout", ["", "$", "$^*", "$$", "~!", "$ ^", "$\n^", "0'", "keep $^", "$^*!", "\u3000$^", "$^\x00"]
)
def test_any_other_answer_to_an_exchange_is_illegal(coup_table, stdout):
    table = coup_table(hands=("~^", "*!"), draws="$^").write("I\n", "E", "p")
    with refused("coup", r"expected 2 of the cards \$\^\*! on standard output"):
        table.write("\n", stdout=stdout)


def test_a_letter_may_be_kept_as_often_as_it_is_shown(coup_table):
    table = coup_table(hands=("~^", "*!"), draws="**").write("I\n", "E", "p")
    assert table.write("\n", stdout="**").hands[1] == "**"


def test_the_newline_is_checked_before_the_answer(coup_table):
    table = coup_table(draws="$^").write("I\n", "E", "p")
    with refused("coup", "got nothing"):
        table.write("", stdout="nonsense")


def test_a_refused_exchange_changes_no_card(coup_table):
    table = coup_table(hands=("~^", "*!")).write("I\n").line("Eq<\n")
    assert table.hands == ["~^", "!"]
    assert len(table.game.deck) == 11


# 8. The end


def test_after_two_hundred_calls_without_a_winner_both_lose(coup_table):
    table = coup_table(hands=("~^", "*!"))
    for _ in range(66):
        table.line("Ep\n", stdout=table.hands[table.seats[0]])
    assert table.scores is None
    table.write("E", "p")
    assert table.scores == [0, 0]
    assert table.game.summary() == {"calls": 200, "end": "limit"}


def test_the_two_hundredth_call_may_still_win(coup_table):
    table = coup_table(hands=("~^", "*!"), coins=(3, 1))
    for _ in range(65):
        table.line("Ep\n", stdout=table.hands[table.seats[0]])
    table.line("I\n").line("Aq^=")
    assert table.scores == [1, 0]
    assert table.game.summary() == {"calls": 200, "end": "cards"}
