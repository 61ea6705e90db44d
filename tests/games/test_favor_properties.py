"""Samurai and Language Survival under random play: the sums of the pages, and scores told from picks alone.

Turns are counted from 0 here, as asks are: odd ones are secret.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.core.compliance.scripted import play
from games.core.manifest import load
from games.core.ranks import ranks


@dataclass(frozen=True)
class Rules:
    """What the pages of the two games say differently. reckonings: the turns after which points are given."""

    slug: str
    days: str
    worths: str
    reckonings: Sequence[int]


SAMURAI = Rules("samurai", "DN", "strengths", (4, 8))
LANGUAGES = Rules("language_survival", "WH", "attention", (8,))
REAL_SUMS = [0, 5, 9, 14, 18, 23, 27, 32, 36]
SHOWN_SUMS = [0, 5, 5, 10, 10, 23, 23, 28, 28]

targets = st.integers(0, 5)
open_turn = st.lists(targets, min_size=5, max_size=5)
secret_turn = st.lists(targets, min_size=2, max_size=2)
scripts = st.tuples(*[st.tuples(*[secret_turn if turn % 2 else open_turn for turn in range(9)])] * 4)
seeds = st.integers(0, 2**63)

pytestmark = pytest.mark.parametrize("game", [SAMURAI, LANGUAGES], ids=lambda game: game.slug)


def scripted_match(game, seed, script):
    bots = [lambda request, own=own: " ".join(map(str, own[request.step])) for own in script]
    return play(load(game.slug), bots, seed)


def won(script, turn, target):
    """What each seat wins with a target on a turn."""
    return [(2 if turn % 2 else 1) * own[turn].count(target) for own in script]


@given(seed=seeds, script=scripts)
def test_the_sums_of_every_block_are_those_of_the_rules_page(game, seed, script):
    for exchange in scripted_match(game, seed, script).exchanges:
        lines = [line.split(" ") for line in exchange.sent.split("\n")[:-1]]
        heading, *table = lines[2:] if exchange.step == 0 else lines
        rows = [[int(word) for word in line] for line in table]
        secret = exchange.step % 2
        assert heading == [str(exchange.step + 1), game.days[secret]]
        assert [sum(column) for column in zip(*rows[:6], strict=True)] == [SHOWN_SUMS[exchange.step]] * 4
        assert sum(rows[6]) == REAL_SUMS[exchange.step]
        assert len(rows) == (7 if secret else 8)
        if not secret:
            assert sum(rows[7]) == (8 if exchange.step else 0)


@given(seed=seeds, script=scripts)
def test_scores_follow_from_worths_and_picks(game, seed, script):
    driver = scripted_match(game, seed, script)
    points = [Fraction(0)] * 4
    for last in game.reckonings:
        for target, worth in enumerate(driver.summary[game.worths]):
            turns = [won(script, turn, target) for turn in range(last + 1)]
            row = [sum(own) for own in zip(*turns, strict=True)]
            for seat in range(4):
                if row[seat] == max(row):
                    points[seat] += Fraction(worth, row.count(max(row)))
                if row[seat] == min(row):
                    points[seat] -= Fraction(worth, row.count(min(row)))
    assert list(driver.scores) == points
    assert sum(driver.scores) == 0
    assert driver.ranks == ranks(points)
    draw = driver.ranks.count(1) > 1
    assert driver.summary["draw"] == draw
    assert driver.summary["winner"] == (None if draw else driver.ranks.index(1))


@given(seed=seeds, script=scripts)
def test_favor_is_what_was_picked_and_never_falls(game, seed, script):
    before = [[0] * 4 for _ in range(6)]
    frames = scripted_match(game, seed, script).frames
    for turn, frame in enumerate(frames[1:10]):
        for target in range(6):
            gained = won(script, turn, target)
            assert frame["real"][target] == [
                old + more for old, more in zip(before[target], gained, strict=True)
            ]
        before = frame["real"]
    assert frames[5]["shown"] == frames[5]["real"]


@given(seed=seeds, script=scripts, secret_turns=st.sampled_from([(1, 3), (5, 7)]))
def test_who_did_what_on_a_secret_turn_is_not_seen_before_the_reveal(game, seed, script, secret_turns):
    exchanged = [list(own) for own in script]
    for turn in secret_turns:
        exchanged[1][turn], exchanged[2][turn] = script[2][turn], script[1][turn]
    told, told_otherwise = (
        {
            (exchange.step, exchange.seat): exchange.sent
            for exchange in scripted_match(game, seed, player).exchanges
        }
        for player in (script, exchanged)
    )
    for (turn, seat), sent in told.items():
        if seat in (0, 3) and (turn < 5 or secret_turns == (5, 7)):
            assert sent == told_otherwise[turn, seat]


@given(seed=seeds, script=scripts, order=st.permutations(range(4)))
def test_seats_are_alike(game, seed, script, order):
    home = scripted_match(game, seed, script)
    away = scripted_match(game, seed, [script[bot] for bot in order])
    assert list(away.scores) == [home.scores[bot] for bot in order]


@given(seed=seeds, texts=st.lists(st.text(max_size=30), min_size=36, max_size=36))
def test_no_text_whatever_is_illegal(game, seed, texts):
    bots = [lambda request, seat=seat: texts[4 * request.step + seat] for seat in range(4)]
    driver = play(load(game.slug), bots, seed)
    assert not driver.faults
    assert all(0 <= pick <= 5 for frame in driver.frames[1:10] for picks in frame["picks"] for pick in picks)
