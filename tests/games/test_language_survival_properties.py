"""Language Survival under random play: the rules page's sums, and scores told from the picks alone."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from games.core.manifest import load
from games.core.ranks import ranks
from games.core.scripted import play

REAL_SUMS = [0, 5, 9, 14, 18, 23, 27, 32, 36]
SHOWN_SUMS = [0, 5, 5, 10, 10, 23, 23, 28, 28]

seeds = st.integers(0, 2**63)
languages = st.integers(0, 5)
weekday = st.lists(languages, min_size=5, max_size=5)
holiday = st.lists(languages, min_size=2, max_size=2)
scripts = st.tuples(*[st.tuples(*[holiday if turn % 2 else weekday for turn in range(9)])] * 4)


def scripted_match(seed, script):
    bots = [lambda request, own=own: " ".join(map(str, own[request.turn])) for own in script]
    return play(load("language_survival"), bots, seed)


@given(seeds, scripts)
def test_the_sums_of_every_block_are_those_of_the_rules_page(seed, script):
    for turn in scripted_match(seed, script).turns:
        lines = [line.split(" ") for line in turn.sent.split("\n")[:-1]]
        heading, *table = lines[2:] if turn.turn == 0 else lines
        rows = [[int(word) for word in line] for line in table]
        is_weekday = turn.turn % 2 == 0
        assert heading == [str(turn.turn + 1), "W" if is_weekday else "H"]
        assert [sum(column) for column in zip(*rows[:6], strict=True)] == [SHOWN_SUMS[turn.turn]] * 4
        assert sum(rows[6]) == REAL_SUMS[turn.turn]
        assert len(rows) == (8 if is_weekday else 7)
        if is_weekday:
            assert sum(rows[7]) == (8 if turn.turn else 0)


@given(seeds, scripts)
def test_scores_follow_from_attention_and_picks(seed, script):
    driver = scripted_match(seed, script)
    points = [Fraction(0)] * 4
    for language, attention in enumerate(driver.facts["attention"]):
        row = [sum(own[turn].count(language) * (2 if turn % 2 else 1) for turn in range(9)) for own in script]
        for seat in range(4):
            if row[seat] == max(row):
                points[seat] += Fraction(attention, row.count(max(row)))
            if row[seat] == min(row):
                points[seat] -= Fraction(attention, row.count(min(row)))
    assert list(driver.scores) == points
    assert sum(driver.scores) == 0
    assert driver.ranks == ranks(points)
    assert driver.facts["draw"] == (driver.ranks.count(1) > 1)


@given(seeds, st.lists(st.text(max_size=30), min_size=36, max_size=36))
def test_no_text_whatever_is_illegal(seed, texts):
    bots = [lambda request, seat=seat: texts[4 * request.turn + seat] for seat in range(4)]
    driver = play(load("language_survival"), bots, seed)
    assert not driver.faults
    assert all(0 <= p <= 5 for frame in driver.frames[1:-1] for picks in frame["picks"] for p in picks)
