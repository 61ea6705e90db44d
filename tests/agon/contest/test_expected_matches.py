"""Estimates of how many matches a knock-out has are right within a factor of two, from its start on."""

import random
from fractions import Fraction
from itertools import product

import pytest

from agon.contest import formats
from agon.contest.formats import History, Outcome

FIELDS = [("single_elimination", 2), ("double_elimination", 2), ("groups", 2)]
FIELDS += [("single_elimination", 4), ("groups", 4)]
# Each two values of different parameters meet; `make test-all` tries all combinations.
SOME = (
    [(1, 8, 0.0), (3, 57, 0.0), (7, 57, 0.3)],
    [(1, 57, 0.3), (3, 8, 0.3), (7, 8, 0.0)],
)
CASES = [
    pytest.param(*field, *rest, marks=[] if rest in SOME[number % 2] else pytest.mark.exhaustive)
    for number, field in enumerate(FIELDS)
    for rest in product((1, 3, 7), (8, 57), (0.0, 0.3))
]


def outcomes(draws, seed):
    """Results where entrants with lower numbers are better, and so many matches are draws."""

    def outcome(scheduled):
        draw = random.Random(f"{seed} {scheduled.index}")
        if draw.random() < draws:
            ranks = (1,) * len(scheduled.seats)
        else:
            order = sorted(scheduled.seats, key=lambda entrant: entrant + draw.gauss(0, 4))
            ranks = tuple(order.index(entrant) + 1 for entrant in scheduled.seats)
        points = tuple(Fraction(-rank) for rank in ranks)
        return Outcome(scheduled.seats, points, ranks, seed=draw.getrandbits(53))

    return outcome


@pytest.mark.parametrize(("format", "seats", "best_of", "entrants", "draws"), CASES)
def test_what_is_left_is_estimated_within_a_factor_of_two(format, seats, best_of, entrants, draws):
    """Of the whole at the start, and of what is left in every round, until a quarter is left."""
    settings = formats.with_defaults(format, {"best_of": best_of})
    plan = formats.make_plan(format, entrants, seats, 1, 3, settings)
    scheduled_matches, history = formats.replay(plan, outcomes(draws, best_of), formats.MOST_MATCHES)
    for number in range(history.number + 1):
        played = sum(scheduled.round < number for scheduled in scheduled_matches)
        left = len(scheduled_matches) - played
        estimated = formats.expected_matches(plan, history.before(number)) - played
        if left > len(scheduled_matches) / 4:
            assert left / 2 <= estimated <= left * 2, (number, left, estimated)
    assert formats.expected_matches(plan, history) == len(scheduled_matches)


def test_a_knock_out_that_was_not_started_has_an_estimate_and_a_schedule_that_is_fixed_needs_none():
    plan = formats.make_plan("single_elimination", 57, 2, 1, 1, formats.with_defaults("single_elimination"))
    assert formats.expected_matches(plan, History()) == 57 * 5 // 2 + 1  # 57 pairings of two or three matches
    assert formats.most_matches(plan) == 57 * 9
    assert formats.likely_count("round_robin", 5, 2, 1) is None
