"""Honest Rock-Paper-Scissors by the rules page, with scripted seats."""

import itertools
import random

import pytest

from games.core.compliance.scripted import play
from games.core.driver import Driver, Reply
from games.core.faults import OUTSIDE_KINDS, FaultCause
from games.core.manifest import load
from tests.support.reasons import said, told

INFO = load("honest_rps")
MOVES = "RPS"


def speaker(claims, throws):
    """A scripted bot that repeats these claims and throws; `heard` holds the lines it was sent."""

    def answer(request):
        answer.heard.append(request.view)
        said = throws if request.step % 2 else claims
        return said[request.step // 2 % len(said)]

    answer.heard = []
    return answer


def after_one_round(*said):
    """The points of both sides after one round of (claim, throw) of each."""
    driver = Driver(INFO, 2, 0)
    for number in (0, 1):
        driver.answer({seat: Reply(said[seat][number]) for seat in (0, 1)})
    return tuple(driver.frames[0]["score"])


# Points per round


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [
        (("R", "R"), ("S", "S"), (3, 1)),  # a win and a loss, both kept their word
        (("P", "R"), ("S", "S"), (2, 1)),
        (("R", "R"), ("P", "S"), (3, 0)),
        (("P", "R"), ("R", "S"), (2, 0)),
        (("R", "R"), ("R", "R"), (2, 2)),
        (("P", "R"), ("R", "R"), (1, 2)),
        (("P", "R"), ("S", "R"), (1, 1)),
    ],
)
def test_a_win_is_2_a_draw_1_and_a_kept_word_1_more(mine, theirs, expected):
    assert after_one_round(mine, theirs) == expected
    assert after_one_round(theirs, mine) == expected[::-1]


def test_rock_beats_scissors_beat_paper_beats_rock():
    won = {(a, b) for a, b in itertools.product(MOVES, repeat=2) if after_one_round(a * 2, b * 2) == (3, 1)}
    assert won == {("R", "S"), ("S", "P"), ("P", "R")}


def test_both_together_get_2_3_or_4_a_round():
    for claims in itertools.product(MOVES, repeat=2):
        for throws in itertools.product(MOVES, repeat=2):
            kept = sum(claim == throw for claim, throw in zip(claims, throws, strict=True))
            both = after_one_round(*zip(claims, throws, strict=True))
            assert sum(both) == 2 + kept


# Order of calls


def test_both_claim_before_either_hears_and_both_throw_before_either_sees():
    first, second = speaker("RPS", "RRS"), speaker("SSP", "PSR")
    play(INFO, [first, second], 0)
    assert first.heard[:6] == ["C\n", "T S\n", "C P\n", "T S\n", "C S\n", "T P\n"]
    assert second.heard[:6] == ["C\n", "T R\n", "C R\n", "T P\n", "C R\n", "T S\n"]


def test_a_match_is_250_rounds():
    first, second = speaker("R", "R"), speaker("P", "P")
    driver = play(INFO, [first, second], 0)
    assert len(driver.frames) == 250
    assert len(first.heard) == len(second.heard) == 500
    assert driver.scores == (250, 750)
    assert driver.ranks == (2, 1)


def test_equal_points_share_the_first_rank():
    assert play(INFO, [speaker("R", "R"), speaker("R", "R")], 0).ranks == (1, 1)


def test_frames_hold_what_was_claimed_and_thrown():
    driver = play(INFO, [speaker("RP", "RR"), speaker("SS", "SP")], 0)
    assert driver.frames[:2] == [
        {"claims": "RS", "throws": "RS", "score": [3, 1]},
        {"claims": "PS", "throws": "RP", "score": [3, 3]},
    ]


# What is no move


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("X", "got 'X'"),
        ("r", "got 'r'"),
        ("", "got an empty line"),
        ("RP", "got 'RP'"),
        ("\u0420", "got '\u0420'"),  # a Cyrillic letter that looks like P
        ("returned None", "but the function returned None"),
        ("raised KeyError", "got 'raised KeyError'"),
    ],
)
@pytest.mark.parametrize("ask", [0, 1, 6])
def test_any_other_answer_disqualifies_and_ends_the_match(line, words, ask):
    def spoilt(request):
        return line if request.step == ask else "R"

    driver = play(INFO, [speaker("P", "P"), spoilt], 0)
    position = f"round {ask // 2 + 1}, {'throw' if ask % 2 else 'claim'}"
    assert told(driver.faults) == [(1, "illegal", ask, f"{position}: expected R, P or S, {words}")]
    assert driver.scores == (1, 0)
    assert len(driver.frames) == ask // 2


@pytest.mark.parametrize("line", ["R\r", " R", "R ", "\tR\r"])
def test_blanks_around_a_move_are_harmless(line):
    driver = play(INFO, [speaker([line], [line]), speaker("S", "S")], 0)
    assert driver.scores == (750, 250)


@pytest.mark.parametrize("kind", OUTSIDE_KINDS)
def test_a_bot_that_fails_is_disqualified(kind):
    driver = play(INFO, [speaker("R", "R")] * 2, 0, faults={(3, 0): FaultCause(kind, said("words"))})
    assert told(driver.faults) == [(0, kind, 3, "round 2, throw: words")]
    assert driver.ranks == (2, 1)
    assert INFO.faults[kind] == "disqualify"


def test_two_that_fail_at_once_are_both_out():
    driver = play(INFO, [speaker("X", "X")] * 2, 0)
    assert [fault.seat for fault in driver.faults] == [0, 1]
    assert driver.scores == (0, 0)


# Facts published


def test_random_play_earns_four_thirds_a_round_against_anybody():
    rounds = 0
    points = [0, 0]
    for seed in range(40):
        draw = random.Random(seed)
        driver = play(INFO, [lambda request: draw.choice(MOVES), speaker("RPS", "RPP")], seed)  # noqa: B023
        rounds += 250
        points[0] += int(driver.scores[0])
    # The variance of a round is 0.89 (0, 1, 2 and an independent third of 1), so this is four sigmas wide.
    assert abs(points[0] / rounds - 4 / 3) < 4 * (0.89 / rounds) ** 0.5


def test_a_match_has_500_to_1000_points_for_both_together():
    assert sum(play(INFO, [speaker("R", "P"), speaker("R", "S")], 0).scores) == 500
    assert sum(play(INFO, [speaker("R", "R"), speaker("S", "S")], 0).scores) == 1000
