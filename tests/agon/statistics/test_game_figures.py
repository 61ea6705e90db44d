"""Seats, luck, draws and length of a game, from matches of games whose truth is known."""

import random
from collections import Counter

import pytest

from agon.statistics.game_figures import Outcome, design, figures


def play(seatings, decide):
    """decide(seats, rng): the ranks. Every match of a cycle has the same seed."""
    return [
        Outcome(
            each, decide(each.seats, random.Random(f"{each.cycle} {each.seats}")), 10 + each.cycle // 10 % 2
        )
        for each in seatings
    ]


def stronger_wins(chance):
    """A game for two: the bot of the higher number wins with this probability."""

    def decide(seats, rng):
        first = (seats[0] > seats[1]) == (rng.random() < chance)
        return (1, 2) if first else (2, 1)

    return decide


def shuffled(seats, rng):
    return tuple(rng.sample(range(1, len(seats) + 1), len(seats)))


@pytest.mark.parametrize(
    ("bots", "seats", "matches"), [(9, 2, 300), (6, 4, 300), (2, 2, 60), (2, 4, 40), (7, 3, 1)]
)
def test_bots_and_seats_are_balanced(bots, seats, matches):
    seatings = design(bots, seats, matches)
    assert max(2 * seats, 0.6 * matches) <= len(seatings) <= max(2 * seats, matches)
    in_seat = Counter((bot, seat) for each in seatings for seat, bot in enumerate(each.seats))
    for bot in range(bots):
        assert len({in_seat[bot, seat] for seat in range(seats)}) == 1  # as often in each seat
    matches_of = Counter(bot for each in seatings for bot in set(each.seats))
    if bots > seats and matches > 1:
        assert max(matches_of.values()) <= 1.6 * min(matches_of.values())
    cycles = Counter(each.cycle for each in seatings)
    assert set(cycles.values()) == {seats}
    assert [each.cycle for each in seatings] == sorted(each.cycle for each in seatings)


def test_a_game_that_the_better_bot_always_wins_has_no_luck():
    found = figures(play(design(5, 2, 100), stronger_wins(1.0)))
    assert found.luck == (0, 0, 0)
    assert [seat.value for seat in found.seats] == [0.5, 0.5]
    assert (found.draws.value, found.shortest, found.longest) == (0, 10, 11)
    assert found.steps.low < 10.5 < found.steps.high


def test_a_game_of_chance_is_all_luck():
    found = figures(play(design(6, 4, 400), shuffled))
    assert found.luck is not None
    assert found.luck.low < 1
    assert found.luck.value > 0.9


def test_a_seat_that_always_wins_has_the_whole_advantage():
    found = figures(play(design(4, 2, 100), lambda seats, rng: (1, 2)))
    assert [seat.value for seat in found.seats] == [1, 0]


def test_nothing_but_draws_tells_nothing_of_luck():
    found = figures(play(design(4, 2, 100), lambda seats, rng: (1, 1)))
    assert found.luck is None
    assert found.draws.value == 1
    assert found.draws.low > 0.9


def test_about_95_of_100_intervals_hold_the_truth():
    """If the stronger wins three of four matches, 0.75 * 0.25 of the variance 0.25 is luck: 75 %."""
    held = {"luck": 0, "seat": 0, "steps": 0}
    games = 100
    for game in range(games):
        seatings = design(4, 2, 120)
        outcomes = [
            Outcome(
                each,
                stronger_wins(0.75)(each.seats, random.Random(f"{game} {each.cycle} {each.seats}")),
                random.Random(f"{game} {each.cycle}").randrange(21),
            )
            for each in seatings
        ]
        found = figures(outcomes)
        assert found.luck is not None
        held["luck"] += found.luck.low <= 0.75 <= found.luck.high
        held["seat"] += found.seats[0].low <= 0.5 <= found.seats[0].high
        held["steps"] += found.steps.low <= 10 <= found.steps.high
    assert all(88 <= count <= 100 for count in held.values()), held
