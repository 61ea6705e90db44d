"""Coup by the rules page, sections 2, 3 and 9: what a call is given, and what it may append."""

import pytest

from games.core.game import Illegal
from tests.support.reasons import refused, said

# 2. One invocation


def test_argv_names_the_opponents_coins_first_then_own_coins_cards_and_moves(coup_table):
    table = coup_table(hands=("~^", "*!"), coins=(5, 8)).write("T")
    assert table.view.args == ("5", "8", "*!", "p", "q")


def test_the_file_holds_everything_written_so_far(coup_table):
    assert coup_table().write("I\n", "T", "p", "\n").view.file == "I\nTp\n"


def test_calls_alternate_strictly_whatever_the_move(coup_table):
    table = coup_table()
    asked = []
    for text in ("I\n", "F", "p", "\n", "E", "p"):
        asked += table.seats
        table.write(text)
    assert asked == [0, 1, 0, 1, 0, 1]


def test_two_equal_cards_give_the_same_move_twice(coup_table):
    table = coup_table(hands=("$$", "^*"), coins=(1, 3)).write("I\n", "A")
    assert table.legal == ("s", "q", "0", "0")


def test_standard_output_is_ignored_outside_an_exchange(coup_table):
    assert coup_table().write("I\n", "T", "p", stdout="debugging ~~~~").view.file == "I\nTp"


# 3. Legal moves. Seat 1 acts after seat 0's income; hands are (seat 0, seat 1).

AT_TURN = [
    (1, 1, ("I\n", "F", "E", "T", "S")),
    (2, 1, ("I\n", "F", "E", "T", "S")),
    (3, 1, ("I\n", "F", "E", "T", "A", "S")),
    (6, 1, ("I\n", "F", "E", "T", "A", "S")),
    (7, 1, ("I\n", "F", "E", "T", "A", "C", "S")),
    (9, 1, ("I\n", "F", "E", "T", "A", "C", "S")),
    (9, -1, ("I\n", "F", "E", "T", "A", "C")),
    (1, -1, ("I\n", "F", "E", "T")),
    (10, 1, ("C",)),
    (12, -1, ("C",)),
]


@pytest.mark.parametrize(("mine", "theirs", "expected"), AT_TURN)
def test_legal_moves_when_a_turn_begins(coup_table, mine, theirs, expected):
    table = coup_table(coins=(theirs, mine)).write("I\n")
    assert table.view.args[:2] == (str(theirs + 1), str(mine))
    assert table.legal == expected


def test_legal_moves_of_the_very_first_call(coup_table):
    assert coup_table().legal == ("I\n", "F", "E", "S", "T")


IN_A_TURN = [
    # written after "I\n", hands of (the other, the one on turn), expected
    ("F", ("~^", "*!"), ("d", "p")),
    ("E", ("~^", "*!"), ("p", "q")),
    ("T", ("~^", "*!"), ("p", "q")),
    ("S", ("~^", "*!"), ("a", "c", "p", "q")),
    ("A", ("~^", "*!"), ("s", "q", "_", "'")),
    ("A", ("~", "*!"), ("s", "q", "_")),
    ("C", ("$^", "*!"), ("0", "'")),
    ("C", ("!", "*!"), ("=",)),
    ("Fd", ("~^", "*!"), ("q", "\n")),
    ("Sa", ("~^", "*!"), ("q", "\n")),
    ("Sc", ("~^", "*!"), ("q", "\n")),
    ("As", ("~^", "*!"), ("q", "\n")),
    # challenged, and the card is there: it and nothing else
    ("Eq", ("~^", "~!"), ("~",)),
    ("Tq", ("~^", "*$"), ("$",)),
    ("Aq", ("~^", "^!"), ("^",)),
    ("Sq", ("~^", "**"), ("*",)),
    ("Fdq", ("$^", "*!"), ("$",)),
    ("Saq", ("~^", "*!"), ("~",)),
    ("Scq", ("~*", "*!"), ("*",)),
    ("Asq", ("!^", "*!"), ("!",)),
    # challenged, and it is not: on turn with a newline, off turn without
    ("Eq", ("~^", "*!"), ("<\n", "=\n")),
    ("Tq", ("~^", "*!"), ("<\n", "=\n")),
    ("Aq", ("~^", "*!"), ("<\n", "=\n")),
    ("Sq", ("~^", "$$"), ("0\n", "0\n")),
    ("Fdq", ("~^", "*!"), ("_", "'")),
    ("Saq", ("*^", "*!"), ("<", "'")),
    ("Scq", ("~^", "*!"), ("_", "'")),
    ("Asq", ("~", "*!"), ("_",)),
    # shown: who challenged a block is on turn, who challenged an action is not
    ("Fdq$", ("$^", "*!"), ("<\n", "=\n")),
    ("Saq~", ("~^", "*!"), ("<\n", "=\n")),
    ("Scq*", ("*^", "*!"), ("<\n", "=\n")),
    ("Asq!", ("!^", "*"), ("<\n",)),
    ("Eq~", ("~^", "~!"), ("_", "'")),
    ("Tq$", ("~^", "$!"), ("_", "'")),
    ("Aq^", ("~^", "^!"), ("_", "'")),
    ("Sq*", ("~", "*!"), ("_",)),
    # nothing left but the newline
    ("Fp", ("~^", "*!"), ("\n",)),
    ("Tp", ("~^", "*!"), ("\n",)),
    ("Ep", ("~^", "*!"), ("\n",)),
    ("Sp", ("~^", "*!"), ("\n",)),
    ("A_", ("~^", "*!"), ("\n",)),
    ("C'", ("~^", "*!"), ("\n",)),
    ("Fdq_", ("~^", "*!"), ("\n",)),
    ("Saq<", ("*^", "*!"), ("\n",)),
    ("Tq$'", ("~^", "$!"), ("\n",)),
]


@pytest.mark.parametrize(("line", "hands", "expected"), IN_A_TURN)
def test_legal_moves_within_a_turn(coup_table, line, hands, expected):
    table = coup_table(hands=hands, coins=(1, 9)).write("I\n").line(line)
    assert table.legal == expected


# 9. What may be appended


@pytest.mark.parametrize(
    "text", ["", "p\n", "xp", " p", "p ", "pp", "P", "d", "\n", "I\n", "x" * 5000, "\x00", "p\r\n", "\ud800"]
)
def test_the_appended_text_must_equal_a_legal_move(coup_table, text):
    table = coup_table().write("T")
    with refused("coup", r"^expected one of 'p' 'q' appended to the history file, got "):
        table.write(text)


@pytest.mark.parametrize("text", ["xF", "", "Fdp\n", "A", "C"])
def test_the_very_first_move_must_be_legal_too(coup_table, text):
    with pytest.raises(Illegal):
        coup_table(coins=(12, 1)).write(text)


def test_a_changed_file_is_illegal_in_the_words_given(coup_table):
    table = coup_table()
    with refused("coup", r"history file and nothing else changed; it is gone$"):
        table.answer({0: {"changed": said("it is gone").to_data()}})


def test_of_two_equal_moves_the_reason_names_one(coup_table):
    table = coup_table(hands=("$$", "^*"), coins=(1, 7)).write("I\n", "C")
    with refused("coup", r"^expected '0' appended to the history file, got '_'$"):
        table.write("_")
