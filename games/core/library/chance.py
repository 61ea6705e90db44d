"""A draw from outcomes whose probabilities are floating-point numbers, exact and alike on every machine.

A float is a fraction with a power of two below it, so all of them are multiples of the smallest of these
powers. The draw is one whole number below the sum of the multiples: no float is added, compared or rounded.
Outcomes of equal floats are equally likely, and where the floats do not add up to one, as three times 1/3,
each has its exact share of their sum.
"""

import random
from collections.abc import Sequence
from fractions import Fraction
from math import lcm


def draw(outcomes: Sequence[tuple[int, float]], rng: random.Random) -> int:
    """One of the outcomes, given with their probabilities. Raises ValueError if none is possible."""
    shares = [Fraction(probability) for _, probability in outcomes]
    unit = lcm(*(share.denominator for share in shares))
    weights = [share.numerator * (unit // share.denominator) for share in shares]
    if not weights or min(weights) < 0 or sum(weights) == 0:
        raise ValueError(f"no probabilities: {outcomes}")
    drawn = rng.randrange(sum(weights))
    for (outcome, _), weight in zip(outcomes, weights, strict=True):
        drawn -= weight
        if drawn < 0:
            return outcome
    raise AssertionError("a number below the sum is below one of the partial sums")
