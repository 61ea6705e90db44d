"""Samurai under random play: the sums that the rules page names, and scores told from the picks alone."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from games.core.manifest import load
from games.core.ranks import ranks
from games.core.scripted import play

REAL_SUMS = [0, 5, 9, 14, 18, 23, 27, 32, 36]
SHOWN_SUMS = [0, 5, 5, 10, 10, 23, 23, 28, 28]

seeds = st.integers(0, 2**63)
lords = st.integers(0, 5)
day = st.lists(lords, min_size=5, max_size=5)
night = st.lists(lords, min_size=2, max_size=2)
scripts = st.tuples(*[st.tuples(*[night if turn % 2 else day for turn in range(9)])] * 4)


def scripted_match(seed, script):
    bots = [lambda request, own=own: " ".join(map(str, own[request.turn])) for own in script]
    return play(load("samurai"), bots, seed)


@given(seeds, scripts)
def test_the_sums_of_every_block_are_those_of_the_rules_page(seed, script):
    for turn in scripted_match(seed, script).turns:
        lines = [
            [int(word) for word in line.split(" ")]
            for line in turn.sent.split("\n")[:-1]
            if line[-1] not in "DN"
        ]
        table = lines[2:] if turn.turn == 0 else lines
        shown, real = table[:6], table[6]
        assert sum(real) == REAL_SUMS[turn.turn]
        assert [sum(column) for column in zip(*shown, strict=True)] == [SHOWN_SUMS[turn.turn]] * 4
        assert len(table) == (7 if turn.turn % 2 else 8)
        if turn.turn % 2 == 0:
            assert sum(table[7]) == (8 if turn.turn else 0)


@given(seeds, scripts)
def test_scores_follow_from_strengths_and_picks(seed, script):
    driver = scripted_match(seed, script)
    intimacy = [[0] * 4 for _ in range(6)]
    totals = [Fraction(0)] * 4
    for turn in range(9):
        for seat in range(4):
            for lord in script[seat][turn]:
                intimacy[lord][seat] += 2 if turn % 2 else 1
        if turn in (4, 8):
            for strength, row in zip(driver.facts["strengths"], intimacy, strict=True):
                best = [seat for seat in range(4) if row[seat] == max(row)]
                worst = [seat for seat in range(4) if row[seat] == min(row)]
                for seat in best:
                    totals[seat] += Fraction(strength, len(best))
                for seat in worst:
                    totals[seat] -= Fraction(strength, len(worst))
    assert list(driver.scores) == totals
    assert sum(driver.scores) == 0
    assert driver.ranks == ranks(totals)
    assert driver.facts["draw"] == (driver.ranks.count(1) > 1)


@given(seeds, scripts, st.permutations(range(4)))
def test_seats_are_alike(seed, script, order):
    home = scripted_match(seed, script)
    away = scripted_match(seed, [script[bot] for bot in order])
    assert list(away.scores) == [home.scores[bot] for bot in order]


@given(seeds, st.lists(st.text(max_size=30), min_size=36, max_size=36))
def test_no_text_whatever_is_illegal(seed, texts):
    bots = [lambda request, seat=seat: texts[4 * request.turn + seat] for seat in range(4)]
    driver = play(load("samurai"), bots, seed)
    assert not driver.faults
    assert all(0 <= pick <= 5 for frame in driver.frames[1:] for picks in frame["picks"] for pick in picks)
