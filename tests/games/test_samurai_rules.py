"""Samurai by the rules page, section by section, with scripted seats."""

from fractions import Fraction

import pytest

from games.core.compliance.scripted import play
from games.core.driver import Driver, Reply
from games.core.faults import FaultCause, FaultKind
from games.core.manifest import load
from tests.support.reasons import said, told

DAY_0, NIGHT_0 = "0 0 0 0 0", "0 0"


def shown(table, seat: int) -> list[list[int]]:
    return table.numbers(seat)[:6]


def real(table, seat: int) -> list[int]:
    return table.numbers(seat)[6]


def night_picks(table, seat: int) -> list[int]:
    return table.numbers(seat)[7]


# Input, exactly


def test_settings_and_the_block_of_turn_1_come_together(samurai_table):
    table = samurai_table(strengths=[3, 4, 5, 6, 3, 4])
    assert table.views[2] == (
        "9 4 6\n3 4 5 6 3 4\n"
        "1 D\n0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0 0 0\n0 0 0 0 0 0\n"
    )


def test_blocks_have_nine_lines_by_day_and_eight_by_night(samurai_table):
    table = samurai_table()
    for turn in range(1, 10):
        assert table.block(0)[0] == [str(turn), "D" if turn % 2 else "N"]
        assert [len(table.block(seat)) for seat in range(4)] == [9 if turn % 2 else 8] * 4
        table.idle(1)
    assert table.scores is not None


def test_strengths_are_3_to_6_and_known_to_all(samurai_table):
    seen = set()
    for seed in range(50):
        table = samurai_table(seed)
        strengths = {table.views[seat].split("\n")[1] for seat in range(4)}
        assert len(strengths) == 1
        seen.update(strengths.pop().split(" "))
    assert seen == {"3", "4", "5", "6"}


def test_columns_are_the_bot_itself_then_the_others_by_ascending_seat(samurai_table):
    table = samurai_table().turn("1 1 1 1 1", "1 1 1 0 0", "1 1 0 0 0", "1 0 0 0 0")
    assert [shown(table, seat)[1] for seat in range(4)] == [
        [5, 3, 2, 1],
        [3, 5, 2, 1],
        [2, 5, 3, 1],
        [1, 5, 3, 2],
    ]
    assert [shown(table, seat)[0] for seat in range(4)] == [
        [0, 2, 3, 4],
        [2, 0, 3, 4],
        [3, 0, 2, 4],
        [4, 0, 2, 3],
    ]


def test_days_gain_1_and_are_shown_nights_gain_2_and_are_not(samurai_table):
    table = samurai_table().turn("0 1 2 3 4", "5 5 5 5 5", DAY_0, DAY_0).turn("5 5", "5 4", "1 1", "2 2")
    assert [row[0] for row in shown(table, 0)] == [1, 1, 1, 1, 1, 0]
    assert real(table, 0) == [1, 1, 1, 1, 1, 4]
    assert real(table, 1) == [0, 0, 0, 0, 2, 7]
    assert shown(table, 1)[5] == [5, 0, 0, 0]


def test_after_a_night_the_picks_are_counted_not_the_doubled_gain(samurai_table):
    table = samurai_table().turn(*[DAY_0] * 4).turn("5 5", "5 4", "1 1", "2 2")
    assert all(night_picks(table, seat) == [0, 2, 2, 0, 1, 3] for seat in range(4))
    table.turn(*["1 2 3 4 5"] * 4).turn("3 3", "3 3", "3 3", "3 3")
    assert night_picks(table, 0) == [0, 0, 0, 8, 0, 0]


def test_before_the_first_night_its_line_is_there_and_all_zeros(samurai_table):
    assert night_picks(samurai_table(), 0) == [0] * 6


# The reveal


def test_turn_6_shows_the_nights_so_far_and_no_block_before_it_does(samurai_table):
    table = samurai_table()
    for turn in range(1, 6):
        assert [row[1] for row in shown(table, 0)] == [5 * (turn // 2), 0, 0, 0, 0, 0]
        table.turn(*[DAY_0 if turn % 2 else "5 5"] * 4)
    assert [row[1] for row in shown(table, 0)] == [15, 0, 0, 0, 0, 8]


def test_the_reveal_is_a_copy_so_later_days_count_once(samurai_table):
    table = samurai_table()
    table.idle(6)
    table.turn(*["1 1 1 1 1"] * 4)
    assert shown(table, 0)[1] == [5, 5, 5, 5]
    assert real(table, 0)[1] == 5


def test_nights_6_and_8_stay_hidden_to_the_end(samurai_table):
    table = samurai_table()
    table.idle(5)
    table.turn("5 5", "4 4", "3 3", "2 2").turn(*[DAY_0] * 4).turn("5 5", "4 4", "3 3", "2 2")
    assert [row[1] for row in shown(table, 0)] == [28, 0, 0, 0, 0, 0]
    assert real(table, 0) == [28, 0, 0, 0, 0, 8]


# Scoring


def test_the_best_share_the_strength_and_the_worst_share_its_loss(samurai_table):
    # After turn 5, lord 1: 1 0 0 0; lord 0: 22 23 23 23 (and everything doubled nowhere).
    table = samurai_table(strengths=[6, 5, 3, 3, 3, 3]).turn("0 0 0 0 1", DAY_0, DAY_0, DAY_0)
    table.idle(8)
    once = [Fraction(5) - 6, *[Fraction(-5, 3) + Fraction(6, 3)] * 3]
    assert list(table.scores) == [2 * points for points in once]
    assert table.game.frames[5]["totals"] == ["-1", "1/3", "1/3", "1/3"]


def test_turn_5_is_kept_and_turn_9_added(samurai_table):
    table = samurai_table(strengths=[4, 6, 3, 3, 3, 3])
    table.turn("1 1 1 1 1", *[DAY_0] * 3)
    table.idle(4)
    # Turn 5: lord 1 for seat 0 (+6), against the rest (-2 each); lord 0 the other way round (-4, +4/3 each).
    assert table.game.frames[5]["totals"] == ["2", "-2/3", "-2/3", "-2/3"]
    table.idle(1)
    table.turn(DAY_0, *["1 1 1 1 1"] * 3)
    table.idle(2)
    # Turn 9: all four equal on both lords.
    assert list(table.scores) == [2, Fraction(-2, 3), Fraction(-2, 3), Fraction(-2, 3)]


def test_hidden_nights_count_in_both_battles(samurai_table):
    table = samurai_table(strengths=[3, 6, 3, 3, 3, 3])
    table.idle(1)
    table.turn("0 1", *[NIGHT_0] * 3)
    table.idle(7)
    assert list(table.scores) == [2 * (6 - 3), *[2 * (Fraction(3, 3) - Fraction(6, 3))] * 3]


def test_where_all_four_are_equal_both_shares_cancel(samurai_table):
    table = samurai_table()
    table.idle(9)
    assert list(table.scores) == [0, 0, 0, 0]
    assert table.game.summary()["draw"] is True
    assert table.game.summary()["winner"] is None


def test_two_with_the_most_points_is_a_draw_and_nobody_wins(samurai_table):
    table = samurai_table(strengths=[3, 4, 4, 3, 3, 3])
    table.turn("1 1 1 1 1", "2 2 2 2 2", DAY_0, DAY_0)
    table.idle(8)
    assert table.scores[0] == table.scores[1] > table.scores[2]
    assert table.game.summary()["draw"] is True


def test_a_sole_best_wins(samurai_table):
    table = samurai_table(strengths=[3, 6, 3, 3, 3, 3]).turn("0 0 0 0 0", "1 1 1 1 1", DAY_0, DAY_0)
    table.idle(8)
    assert table.game.summary() == {"strengths": [3, 6, 3, 3, 3, 3], "draw": False, "winner": 1}


def test_a_draw_in_thirds_is_not_missed(samurai_table):
    table = samurai_table(strengths=[5, 4, 3, 3, 3, 3])
    table.turn("1 1 1 1 1", *[DAY_0] * 3)
    table.idle(8)
    assert list(table.scores) == [2 * (4 - 5), *[2 * (Fraction(5, 3) - Fraction(4, 3))] * 3]
    assert table.game.summary()["draw"] is True


# Output, exactly


@pytest.mark.parametrize(
    ("line", "picks"),
    [
        ("1 2 3 4 5", [1, 2, 3, 4, 5]),
        ("5 5 5 5 5", [5, 5, 5, 5, 5]),
        ("  1  2 3   4 5 ", [1, 2, 3, 4, 5]),
        ("1 2 3 4 5\r", [1, 2, 3, 4, 5]),
        ("1 2 3 4 5 \r", [1, 2, 3, 4, 5]),
        ("1\t2\t3\t4\t5", [1, 2, 3, 4, 5]),
        ("", [0, 0, 0, 0, 0]),
        ("\r", [0, 0, 0, 0, 0]),
        ("1 2", [1, 2, 0, 0, 0]),
        ("1 2 3 4 5 1 2 3 4", [1, 2, 3, 4, 5]),
        ("1 6 -1 7 5", [1, 0, 0, 0, 5]),
        ("3x 1.9 2 2e0 0x3", [0, 0, 2, 0, 0]),
        ("READY 1 2 3 4 5", [0, 1, 2, 3, 4]),
        ("+3 03 -0 1_0 --1", [3, 3, 0, 0, 0]),
        ("1,2,3,4,5", [0, 0, 0, 0, 0]),
        ("\u0663 \uff13 \x00 NaN null", [0, 0, 0, 0, 0]),
        ("1\u30002\u30003 4 5 1 2", [0, 4, 5, 1, 2]),
        ("9" * 5000 + " 1 2 3 4", [0, 1, 2, 3, 4]),
        ("0" * 5000 + "3 1 2 3 4", [3, 1, 2, 3, 4]),
        ("x" * 65536, [0, 0, 0, 0, 0]),
        ("\ud800 1 1 1 1", [0, 1, 1, 1, 1]),
    ],
)
def test_each_pick_of_a_line_stands_alone(samurai_table, line, picks):
    table = samurai_table().turn(line, DAY_0, DAY_0, DAY_0)
    assert table.game.frames[1]["picks"][0] == picks


def test_by_night_two_picks_count(samurai_table):
    table = samurai_table()
    table.idle(1)
    table.turn("1 2 3 4 5", "4", "", "5 x")
    assert table.game.frames[2]["picks"] == [[1, 2], [4, 0], [0, 0], [5, 0]]


# Process and timing: what happens to a bot that fails


def lord_3(request) -> str:
    return "3 3 3 3 3"


@pytest.mark.parametrize("kind", ["timeout", "crash", "memory", "flood"])
@pytest.mark.parametrize("turn", [0, 1, 4, 8])
def test_a_bot_that_fails_picks_lord_0_from_then_on_and_the_game_goes_on(kind, turn):
    driver = play(load("samurai"), [lord_3] * 4, 1, faults={(turn, 2): FaultCause(kind, said("words"))})
    picks = [frame["picks"] for frame in driver.frames[1:]]
    assert [row[2][0] for row in picks] == [3] * turn + [0] * (9 - turn)
    assert all(row[seat] in ([3] * 5, [3] * 2) for row in picks for seat in (0, 1, 3))
    assert driver.retired == {2}
    assert [t.seat for t in driver.exchanges].count(2) == turn + 1
    when = f"turn {turn + 1}, {'night' if turn % 2 else 'day'}"
    assert told(driver.faults) == [(2, kind, turn, f"{when}: words")]


def test_a_bot_that_is_not_ready_picks_lord_0_on_all_turns():
    driver = play(
        load("samurai"),
        [lord_3] * 4,
        1,
        start={1: FaultCause(FaultKind.TIMEOUT, said("no READY within 5 s"))},
    )
    assert {pick for frame in driver.frames[1:] for pick in frame["picks"][1]} == {0}
    assert told(driver.faults) == [(1, "start", 0, "no READY within 5 s")]
    assert all(exchange.seat != 1 for exchange in driver.exchanges)


def test_a_line_without_end_is_one_malformed_answer_and_the_bot_stays():
    def endless(request):
        return "x" * 65536 if request.step == 2 else lord_3(request)

    driver = play(load("samurai"), [endless, lord_3, lord_3, lord_3], 1)
    assert [frame["picks"][0][0] for frame in driver.frames[1:]] == [3, 3, 0, 3, 3, 3, 3, 3, 3]
    assert driver.retired == set()
    assert told(driver.faults) == []


def test_when_everybody_is_gone_the_game_ends_with_a_result():
    driver = Driver(load("samurai"), 4, 1)
    driver.answer({seat: Reply(None, FaultCause(FaultKind.CRASH, said("it ended"))) for seat in range(4)})
    assert driver.finished
    assert driver.scores == (0, 0, 0, 0)
    assert driver.ranks == (1, 1, 1, 1)
    assert len(driver.frames) == 10
    assert len(driver.exchanges) == 4


def test_a_bot_may_win_after_it_has_failed():
    bots = [lord_3, lord_3, lord_3, lambda request: "0 0 0 0 0"]
    for seed in range(100):
        driver = play(
            load("samurai"),
            bots,
            seed,
            faults={(7, 3): FaultCause(FaultKind.TIMEOUT, said("late"))},
        )
        # Alone it is the best at lord 0 and the worst at lord 3.
        if driver.summary["strengths"][0] > driver.summary["strengths"][3]:
            break
    assert driver.summary["winner"] == 3
    assert driver.ranks == (2, 2, 2, 1)
