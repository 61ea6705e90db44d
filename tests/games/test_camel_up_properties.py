"""Camel Up under random play: always five camels, every coin accounted for from the frames alone."""

import itertools
import json
import random

from hypothesis import given
from hypothesis import strategies as st

from games.camel_up.checks import player
from games.core.compliance.scripted import play
from games.core.manifest import load
from games.core.ranks import ranks

INFO = load("camel_up")
seeds = st.integers(0, 2**63)


def random_match(seed, tastes):
    return play(INFO, [player(random.Random(f"{seed} {taste}")) for taste in tastes], seed)


def where(frame):
    """{camel: (square, place in its stack)}"""
    return {camel: (square, place) for square, stack in frame["track"] for place, camel in enumerate(stack)}


def moved(before, frame):
    """Where the camels are after the frame's roll, told from where they were and the traps that lay there."""
    camel, die, owner = frame["rolled"]
    square, place = before[camel]
    unit = sorted(
        (piece for piece in before if before[piece][0] == square and before[piece][1] >= place),
        key=before.get,
    )
    rest = {piece: spot for piece, spot in before.items() if piece not in unit}
    traps = {at: (kind, seat) for at, kind, seat in frame["lay"]}
    landed = square + die
    kind, seat = traps.get(landed, (0, None))
    assert seat == owner
    goal = landed + kind
    there = [piece for piece in rest if rest[piece][0] == goal]
    under, over = (unit, sorted(there, key=rest.get)) if kind == -1 else (sorted(there, key=rest.get), unit)
    return rest | {piece: (goal, place) for place, piece in enumerate([*under, *over])}


@given(seeds, st.tuples(*[st.integers(0, 999)] * 4))
def test_camels_are_always_five_and_move_as_the_rules_say(seed, tastes):
    driver = random_match(seed, tastes)
    frames = driver.frames
    for before, frame in itertools.pairwise(frames):
        assert sorted(where(frame)) == [0, 1, 2, 3, 4]
        if "rolled" in frame:
            assert before["waiting"][frame["rolled"][0]]
            assert where(frame) == moved(where(before), {**frame, "lay": before["traps"]})
        else:
            assert where(frame) == where(before)
    assert driver.summary["end"] == "finish"
    assert max(square for square, _ in where(frames[-1]).values()) >= 16


@given(seeds, st.tuples(*[st.integers(0, 999)] * 4))
def test_every_coin_is_accounted_for(seed, tastes):
    driver = random_match(seed, tastes)
    coins, round_bets, game_bets = [2] * 4, [], []
    for frame in driver.frames[1:]:
        kind, *values = frame["action"]
        if kind == 0:
            coins[frame["seat"]] += 1
            if frame["rolled"][2] is not None:
                coins[frame["rolled"][2]] += 1
        if kind == 2:
            round_bets.append((values[0], frame["seat"]))
        if kind in (3, 4):
            game_bets.append((kind, values[0], frame["seat"]))
        if "round" in frame:
            pay([bet for bet in round_bets if bet[0] == frame["round"][0]], coins, [5, 3, 2, 1], 0)
            pay([bet for bet in round_bets if bet[0] == frame["round"][1]], coins, [1, 1, 1], 0)
            pay([bet for bet in round_bets if bet[0] not in frame["round"][:2]], coins, [], -1)
            round_bets = []
        if frame is driver.frames[-1]:
            for kind, right in ((3, frame["round"][0]), (4, frame["round"][-1])):
                bets = [(camel, seat) for bet_kind, camel, seat in game_bets if bet_kind == kind]
                pay([bet for bet in bets if bet[0] == right], coins, [8, 5, 3], 1)
                pay([bet for bet in bets if bet[0] != right], coins, [], -1)
        assert frame["coins"] == coins
    assert list(driver.scores) == coins
    assert driver.ranks == ranks(coins)


def pay(bets, coins, steps, then):
    for place, (_, seat) in enumerate(bets):
        coins[seat] += steps[place] if place < len(steps) else then


@given(seeds, st.tuples(*[st.integers(0, 999)] * 4))
def test_views_hide_the_others_game_bets_and_agree_with_each_other(seed, tastes):
    for exchange in random_match(seed, tastes).exchanges:
        state = json.loads(exchange.sent)
        assert state["player"] == exchange.seat == exchange.step % 4
        bets = state["game_winner_bets"] + state["game_loser_bets"]
        assert all((camel is None) == (seat != exchange.seat) for camel, seat in bets)
        for seat, camels in enumerate(state["player_game_bets"]):
            assert len(camels) == [bettor for _, bettor in bets].count(seat)
        own = state["player_game_bets"][exchange.seat]
        assert sorted(own) == sorted(camel for camel, seat in bets if seat == exchange.seat)
        assert len(set(own)) == len(own)


@given(seeds, st.lists(st.text(max_size=30), min_size=8, max_size=8))
def test_no_text_whatever_breaks_the_game(seed, texts):
    bots = [lambda request: texts[request.step] if request.step < len(texts) else "[0]"] * 4
    driver = play(INFO, bots, seed)
    assert driver.finished
    assert {fault.kind for fault in driver.faults} <= {"illegal"}
    assert driver.retired == set()
