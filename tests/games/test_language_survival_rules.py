"""Language Survival by the rules page, section by section, with scripted seats."""

from fractions import Fraction

import pytest

from games.core.compliance.scripted import play
from games.core.driver import Driver, Reply
from games.core.faults import FaultCause, FaultKind
from games.core.manifest import load
from tests.support.reasons import said, told

WEEKDAY_0, HOLIDAY_0 = "0 0 0 0 0", "0 0"


def shown(table, seat):
    return table.numbers(seat)[:6]


def real(table, seat):
    return table.numbers(seat)[6]


def holiday_picks(table, seat):
    return table.numbers(seat)[7]


# Input, exactly


def test_settings_and_the_block_of_turn_1_come_together(language_table):
    table = language_table(attention=[3, 4, 5, 6, 3, 4])
    assert table.views[2] == (
        "9 4 6\n3 4 5 6 3 4\n"
        "1 W\n0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0 0 0\n0 0 0 0 0 0\n"
    )


def test_blocks_have_nine_lines_on_weekdays_and_eight_on_holidays(language_table):
    table = language_table()
    for turn in range(1, 10):
        assert table.block(0)[0] == [str(turn), "W" if turn % 2 else "H"]
        assert [len(table.block(seat)) for seat in range(4)] == [9 if turn % 2 else 8] * 4
        table.idle(1)
    assert table.scores is not None
    assert table.seats == ()


def test_attention_is_3_to_6_and_known_to_all(language_table):
    seen = set()
    for seed in range(50):
        table = language_table(seed)
        attention = {table.views[seat].split("\n")[1] for seat in range(4)}
        assert len(attention) == 1
        seen.update(attention.pop().split(" "))
    assert seen == {"3", "4", "5", "6"}


def test_columns_are_the_bot_itself_then_the_others_by_ascending_seat(language_table):
    table = language_table().turn("1 1 1 1 1", "1 1 1 0 0", "1 1 0 0 0", "1 0 0 0 0")
    assert [shown(table, seat)[1] for seat in range(4)] == [
        [5, 3, 2, 1],
        [3, 5, 2, 1],
        [2, 5, 3, 1],
        [1, 5, 3, 2],
    ]


def test_weekdays_gain_1_and_are_shown_holidays_gain_2_and_are_not(language_table):
    table = language_table().turn("0 1 2 3 4", "5 5 5 5 5", WEEKDAY_0, WEEKDAY_0)
    table.turn("5 5", "5 4", "1 1", "2 2")
    assert [row[0] for row in shown(table, 0)] == [1, 1, 1, 1, 1, 0]
    assert real(table, 0) == [1, 1, 1, 1, 1, 4]
    assert real(table, 1) == [0, 0, 0, 0, 2, 7]
    assert shown(table, 1)[5] == [5, 0, 0, 0]


def test_after_a_holiday_the_picks_are_counted_not_the_doubled_gain(language_table):
    table = language_table().turn(*[WEEKDAY_0] * 4).turn("5 5", "5 4", "1 1", "2 2")
    assert all(holiday_picks(table, seat) == [0, 2, 2, 0, 1, 3] for seat in range(4))


def test_on_turn_1_the_holiday_line_is_there_and_all_zeros(language_table):
    assert holiday_picks(language_table(), 0) == [0] * 6


# The reveal


def test_turn_6_shows_the_holidays_so_far_and_no_block_before_it_does(language_table):
    table = language_table()
    for turn in range(1, 6):
        assert [row[1] for row in shown(table, 0)] == [5 * (turn // 2), 0, 0, 0, 0, 0]
        table.turn(*[WEEKDAY_0 if turn % 2 else "5 5"] * 4)
    assert [row[1] for row in shown(table, 0)] == [15, 0, 0, 0, 0, 8]


def test_the_reveal_is_a_copy_so_later_weekdays_count_once(language_table):
    table = language_table().idle(6).turn(*["1 1 1 1 1"] * 4)
    assert shown(table, 0)[1] == [5, 5, 5, 5]
    assert real(table, 0)[1] == 5


def test_holidays_6_and_8_stay_hidden_to_the_end(language_table):
    table = language_table().idle(5).turn("5 5", "4 4", "3 3", "2 2")
    table.turn(*[WEEKDAY_0] * 4).turn("5 5", "4 4", "3 3", "2 2")
    assert [row[1] for row in shown(table, 0)] == [28, 0, 0, 0, 0, 0]
    assert real(table, 0) == [28, 0, 0, 0, 0, 8]


# Scoring


def test_points_are_given_once_after_turn_9_and_not_at_turn_5(language_table):
    table = language_table(attention=[4, 6, 3, 3, 3, 3]).turn("1 1 1 1 1", *[WEEKDAY_0] * 3).idle(5)
    # Seat 0 leads in language 1 until now; the others catch up, so nothing is left of it at the end.
    table.turn(WEEKDAY_0, *["1 1 1 1 1"] * 3).idle(2)
    assert list(table.scores) == [0, 0, 0, 0]
    assert table.game.frames[-1]["points"] == ["0", "0", "0", "0"]


def test_the_most_share_the_attention_and_the_fewest_share_its_loss(language_table):
    table = language_table(attention=[6, 5, 3, 3, 3, 3]).turn("0 0 0 0 1", *[WEEKDAY_0] * 3).idle(8)
    assert list(table.scores) == [5 - 6, *[Fraction(6, 3) - Fraction(5, 3)] * 3]


def test_hidden_holidays_count(language_table):
    table = language_table(attention=[3, 6, 3, 3, 3, 3]).idle(7).turn("0 1", *[HOLIDAY_0] * 3).idle(1)
    assert list(table.scores) == [6 - 3, *[Fraction(3, 3) - Fraction(6, 3)] * 3]


def test_where_all_four_are_equal_both_shares_cancel(language_table):
    table = language_table().idle(9)
    assert list(table.scores) == [0, 0, 0, 0]
    assert table.game.summary()["draw"] is True
    assert table.game.summary()["winner"] is None


def test_two_with_the_most_points_is_a_draw_and_nobody_wins(language_table):
    table = language_table(attention=[3, 4, 4, 3, 3, 3])
    table.turn("1 1 1 1 1", "2 2 2 2 2", WEEKDAY_0, WEEKDAY_0).idle(8)
    assert table.scores[0] == table.scores[1] > table.scores[2]
    assert table.game.summary()["winner"] is None


def test_a_sole_best_wins(language_table):
    table = language_table(attention=[3, 6, 3, 3, 3, 3])
    table.turn(WEEKDAY_0, "1 1 1 1 1", WEEKDAY_0, WEEKDAY_0).idle(8)
    assert table.game.summary() == {"attention": [3, 6, 3, 3, 3, 3], "draw": False, "winner": 1}


def test_a_draw_in_thirds_is_not_missed(language_table):
    table = language_table(attention=[5, 4, 3, 3, 3, 3]).turn("1 1 1 1 1", *[WEEKDAY_0] * 3).idle(8)
    assert list(table.scores) == [4 - 5, *[Fraction(5, 3) - Fraction(4, 3)] * 3]
    assert table.game.summary()["draw"] is True


# Output, exactly


@pytest.mark.parametrize(
    ("line", "picks"),
    [
        ("1 2 3 4 5", [1, 2, 3, 4, 5]),
        ("  1  2 3   4 5 ", [1, 2, 3, 4, 5]),
        ("1 2 3 4 5\r", [1, 2, 3, 4, 5]),
        ("", [0, 0, 0, 0, 0]),
        ("1 2", [1, 2, 0, 0, 0]),
        ("1 2 3 4 5 1 2 3 4", [1, 2, 3, 4, 5]),
        ("1 6 -1 7 5", [1, 0, 0, 0, 5]),
        ("3x 1.9 2 2e0 0x3", [0, 0, 2, 0, 0]),
        ("\u0663 \uff13 \x00 NaN null", [0, 0, 0, 0, 0]),
        ("9" * 5000 + " 1 2 3 4", [0, 1, 2, 3, 4]),
        ("x" * 65536, [0, 0, 0, 0, 0]),
    ],
)
def test_each_pick_of_a_line_stands_alone(language_table, line, picks):
    table = language_table().turn(line, WEEKDAY_0, WEEKDAY_0, WEEKDAY_0)
    assert table.game.frames[1]["picks"][0] == picks


def test_on_holidays_two_picks_count(language_table):
    table = language_table().idle(1).turn("1 2 3 4 5", "4", "", "5 x")
    assert table.game.frames[2]["picks"] == [[1, 2], [4, 0], [0, 0], [5, 0]]


# Process and timing: what happens to a bot that fails


def language_3(request) -> str:
    return "3 3 3 3 3"


@pytest.mark.parametrize("kind", ["timeout", "crash", "memory", "flood"])
@pytest.mark.parametrize("turn", [0, 5, 8])
def test_a_bot_that_fails_picks_language_0_from_then_on_and_the_game_goes_on(kind, turn):
    driver = play(
        load("language_survival"),
        [language_3] * 4,
        1,
        faults={(turn, 2): FaultCause(kind, said("words"))},
    )
    picks = [frame["picks"] for frame in driver.frames[1:-1]]
    assert [row[2][0] for row in picks] == [3] * turn + [0] * (9 - turn)
    assert all(row[seat] in ([3] * 5, [3] * 2) for row in picks for seat in (0, 1, 3))
    assert driver.retired == {2}
    when = f"turn {turn + 1}, {'holiday' if turn % 2 else 'weekday'}"
    assert told(driver.faults) == [(2, kind, turn, f"{when}: words")]


def test_a_bot_that_is_not_ready_picks_language_0_on_all_turns():
    driver = play(
        load("language_survival"),
        [language_3] * 4,
        1,
        start={1: FaultCause(FaultKind.TIMEOUT, said("no READY"))},
    )
    assert {pick for frame in driver.frames[1:-1] for pick in frame["picks"][1]} == {0}
    assert all(exchange.seat != 1 for exchange in driver.exchanges)


def test_when_everybody_is_gone_the_game_ends_with_a_result():
    driver = Driver(load("language_survival"), 4, 1)
    driver.answer({seat: Reply(None, FaultCause(FaultKind.CRASH, said("it ended"))) for seat in range(4)})
    assert driver.finished
    assert driver.scores == (0, 0, 0, 0)
    assert driver.ranks == (1, 1, 1, 1)
