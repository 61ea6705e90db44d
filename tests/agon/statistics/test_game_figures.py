"""Seats, luck, draws and length of a game, from matches of games whose truth is known."""

import random
from collections import Counter

import pytest

from agon.statistics.game_figures import Outcome, design, figures


def play(seatings, decide):
    """decide(seats, rng): the ranks. Every match of a cycle has the same seed."""
    return [
        Outcome(
            seating,
            decide(seating.seats, random.Random(f"{seating.cycle} {seating.seats}")),
            10 + seating.cycle // 10 % 2,
        )
        for seating in seatings
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
    in_seat = Counter((bot, seat) for seating in seatings for seat, bot in enumerate(seating.seats))
    for bot in range(bots):
        assert len({in_seat[bot, seat] for seat in range(seats)}) == 1  # as often in each seat
    matches_of = Counter(bot for seating in seatings for bot in set(seating.seats))
    if bots > seats and matches > 1:
        assert max(matches_of.values()) <= 1.6 * min(matches_of.values())
    cycles = Counter(seating.cycle for seating in seatings)
    assert set(cycles.values()) == {seats}
    assert [seating.cycle for seating in seatings] == sorted(seating.cycle for seating in seatings)


def test_a_game_that_the_better_bot_always_wins_has_no_luck():
    measured = figures(play(design(5, 2, 100), stronger_wins(1.0)))
    assert measured.luck == (0, 0, 0)
    assert [seat.value for seat in measured.seats] == [0.5, 0.5]
    assert (measured.draws.value, measured.shortest, measured.longest) == (0, 10, 11)
    assert measured.steps.low < 10.5 < measured.steps.high


def test_a_game_of_chance_is_all_luck():
    measured = figures(play(design(6, 4, 400), shuffled))
    assert measured.luck is not None
    assert measured.luck.low < 1
    assert measured.luck.value > 0.9


def test_a_seat_that_always_wins_has_the_whole_advantage():
    measured = figures(play(design(4, 2, 100), lambda seats, rng: (1, 2)))
    assert [seat.value for seat in measured.seats] == [1, 0]


def test_nothing_but_draws_tells_nothing_of_luck():
    measured = figures(play(design(4, 2, 100), lambda seats, rng: (1, 1)))
    assert measured.luck is None
    assert measured.draws.value == 1
    assert measured.draws.low > 0.9


def test_about_95_of_100_intervals_hold_the_truth():
    """If the stronger wins three of four matches, 0.75 * 0.25 of the variance 0.25 is luck: 75 %."""
    held = {"luck": 0, "seat": 0, "steps": 0}
    games = 100
    for game in range(games):
        seatings = design(4, 2, 120)
        outcomes = [
            Outcome(
                seating,
                stronger_wins(0.75)(seating.seats, random.Random(f"{game} {seating.cycle} {seating.seats}")),
                random.Random(f"{game} {seating.cycle}").randrange(21),
            )
            for seating in seatings
        ]
        measured = figures(outcomes)
        assert measured.luck is not None
        held["luck"] += measured.luck.low <= 0.75 <= measured.luck.high
        held["seat"] += measured.seats[0].low <= 0.5 <= measured.seats[0].high
        held["steps"] += measured.steps.low <= 10 <= measured.steps.high
    assert all(88 <= count <= 100 for count in held.values()), held
