"""Coup under random legal play: what must hold in every game, told by the history alone."""

import itertools
import random
import re
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from games.core.compliance.scripted import play, stages
from games.core.manifest import load
from games.core.ranks import ranks
from games.coup.checks import player
from games.coup.moves import CARDS

X = "[_'<=0]"
# A complete line, section 4 of the rules, and what it does to the coins of its owner and of the other.
# None: a theft, 2 coins or the one that is there.
LINES = {
    r"I\n": (1, 0),
    rf"Fp\n|Fdq{X}\n": (2, 0),
    rf"Fd\n|Fdq\${X}\n": (0, 0),
    rf"C{X}\n": (-7, 0),
    rf"Ep\n|Eq~{X}\n|Eq{X}\n|Tq{X}\n|Sq{X}\n|Aq{X}\n": (0, 0),
    rf"Tp\n|Tq\${X}\n": (3, 0),
    rf"Sp\n|Sq\*{X}\n|S[ac]q{X}\n": None,
    rf"S[ac]\n|Saq~{X}\n|Scq\*{X}\n": (0, 0),
    rf"A{X}\n|As\n|Asq!{X}\n": (-3, 0),
}
LAST_LINES = (
    rf"C{X}|A{X}|[ETSA]q{X}\n|Fdq{X}|[SA][acs]q{X}|Fdq\${X}\n|Saq~{X}\n|Scq\*{X}\n|Asq!{X}\n|[ET]q[~$]{X}|"
)
LAST_LINES += rf"Sq\*{X}|Aq\^{X}"

seeds = st.integers(0, 2**63)


def random_match(seed: int):
    players = [player(random.Random(seed + seat)) for seat in (1, 2)]
    return play(load("coup"), players, seed)


@given(seeds)
def test_cards_are_always_fifteen_three_of_each_kind(seed):
    driver = random_match(seed)
    replies = {exchange.step: {exchange.seat: exchange.reply} for exchange in driver.exchanges}
    for stage in stages(load("coup"), 2, seed, replies):
        (seat,) = stage.seats
        game = stage.game
        everywhere = [*game.deck, *game.drawn, *itertools.chain(*game.hands, *game.lost)]
        assert Counter(everywhere) == {card: 3 for card in CARDS}
        assert len(game.deck) == (9 if game.drawn else 11)
        assert game.view(seat).args[2] == "".join(game.drawn + game.hands[seat])


@given(seeds)
def test_lost_cards_stay_lost_and_nobody_sees_more_than_four(seed):
    driver = random_match(seed)
    assert not driver.faults
    for frame in driver.frames:
        seen = Counter("".join(frame["hands"] + frame["lost"]))
        assert all(seen[card] <= 3 for card in CARDS)
        for hand, lost in zip(frame["hands"], frame["lost"], strict=True):
            assert len(hand) + len(lost) == 2
    for exchange in driver.exchanges:
        cards = exchange.sent["args"][2]
        assert 1 <= len(cards) <= 4
        assert set(cards) <= set(CARDS)


@given(seeds)
def test_coins_follow_from_the_history_and_stay_between_0_and_12(seed):
    driver = random_match(seed)
    coins = [1, 1]
    owner = 0
    line = ""
    for exchange, frame in zip(driver.exchanges, driver.frames[1:], strict=True):
        assert all(0 <= count <= 12 for count in frame["coins"])
        line += exchange.reply["appended"]
        if not line.endswith("\n") or not all(frame["hands"]):
            continue
        (effect,) = [effect for lines, effect in LINES.items() if re.fullmatch(lines, line)]
        if effect is None:
            taken = min(2, coins[1 - owner])
            effect = (taken, -taken)
        coins[owner] += effect[0]
        coins[1 - owner] += effect[1]
        assert frame["coins"] == coins, line
        owner, line = 1 - owner, ""


@given(seeds)
def test_the_history_is_lines_of_the_rules_page_and_the_loser_has_no_card(seed):
    driver = random_match(seed)
    *complete, last = driver.files["history.txt"].splitlines(keepends=True)
    for line in complete:
        assert any(re.fullmatch(lines, line) for lines in LINES), line
    assert sum(len(exchange.reply["appended"]) for exchange in driver.exchanges) == len(
        driver.files["history.txt"]
    )
    assert len(driver.exchanges) <= 200
    if driver.summary["end"] == "limit":
        assert driver.scores == (0, 0)
        assert driver.ranks == (1, 1)
    else:
        assert re.fullmatch(LAST_LINES, last), last
        loser = driver.scores.index(0)
        assert driver.frames[-1]["hands"][loser] == ""
        assert driver.frames[-1]["hands"][1 - loser] != ""
        assert sorted(driver.scores) == [0, 1]
    assert driver.ranks == ranks(driver.scores)


@given(seeds)
def test_seats_alternate_and_argv_tells_the_coins_of_the_frame_before(seed):
    driver = random_match(seed)
    for number, (exchange, before) in enumerate(zip(driver.exchanges, driver.frames, strict=False)):
        assert exchange.step == number
        assert exchange.seat == number % 2
        theirs, mine, cards, *legal = exchange.sent["args"]
        assert [int(mine), int(theirs)] == [
            before["coins"][exchange.seat],
            before["coins"][1 - exchange.seat],
        ]
        assert cards.endswith(before["hands"][exchange.seat])
        assert exchange.reply["appended"] in legal
