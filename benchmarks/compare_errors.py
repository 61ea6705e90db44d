"""Measures how often the verdict and the interval of `agon compare` are wrong, in simulated comparisons.

.venv/bin/python -m benchmarks.compare_errors [--runs 2000] [--only WORD]

agon.statistics.compare decides the comparisons. The results of cycles follow the distributions that were
observed between house bots of the five games, made symmetric, then tilted exponentially to the desired true
mean: this changes a distribution least. Two more distributions are not from games: nearly all cycles are
level, and only one side ever wins. The options are the defaults: a difference of 0.1, at most 2,000 matches.
The number of a run is its random seed.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from agon.statistics.compare.interval import at_least
from agon.statistics.compare.sequential import NOMINAL, ComparisonPlan, CycleTally, Verdict, decide

LEAST_DIFFERENCE = Fraction(1, 10)
MATCHES = 2000
_EPSILON = 1e-3  # probabilities that differ by less are equal
_UNIT = 120  # all differences are whole multiples of 1/120


class Games(NamedTuple):
    """The observed results of cycles: how often each difference was seen. matches: in a cycle."""

    seen: Mapping[Fraction, float]
    matches: int


def symmetric(seen: Mapping[str, int]) -> dict[Fraction, float]:
    """The distribution in which every difference is as likely as its negative."""
    both: Counter[Fraction] = Counter()
    for difference, count in seen.items():
        both[Fraction(difference)] += count
        both[-Fraction(difference)] += count
    return dict(both)


# `agon compare GAME NEW OLD --seed 7 --least 0.01 --cap 400`
COUP = {"-1": 25, "0": 107, "1": 68}  # Challenger, Raider
HONEST_RPS = {"0": 1, "1": 47}  # StarterPy, Dice
CAMEL_UP = {  # StarterPy, Roller
    "-1/8": 1, "0": 1, "1/12": 1, "1/6": 1, "5/24": 3, "1/4": 3, "7/24": 3, "1/3": 1, "5/12": 1, "11/24": 3,
    "1/2": 5, "13/24": 3, "7/12": 4, "5/8": 6, "2/3": 8, "17/24": 3, "3/4": 1, "19/24": 5, "5/6": 6,
    "7/8": 5, "23/24": 2,
}  # fmt: skip
LANGUAGE_SURVIVAL = {"-1": 9, "0": 5, "1": 52}  # StarterPy, Polyglot
SAMURAI = {"-1": 5, "0": 5, "1": 56}  # StarterPy, Even

GAMES = {
    "coup": Games(symmetric(COUP), 2),
    "honest_rps": Games(symmetric(HONEST_RPS), 2),
    "camel_up": Games(symmetric(CAMEL_UP), 6),
    "language_survival": Games(symmetric(LANGUAGE_SURVIVAL), 6),
    "samurai": Games(symmetric(SAMURAI), 6),
    "96 % level": Games(symmetric({"0": 96, "1": 4}), 2),
    "one side wins": Games({Fraction(0): 90.0, Fraction(1): 10.0}, 2),
}
TRUTHS = {"equal": 0.0, "at the bound": float(LEAST_DIFFERENCE), "far": 3 * float(LEAST_DIFFERENCE)}


class ErrorRates(NamedTuple):
    """Fractions of the runs. wrong: verdicts that are not true. covered: intervals that contain the truth.

    above: estimates above the truth, equal ones counting half. matches: the mean number over all runs.
    """

    verdicts: Mapping[Verdict, float]
    wrong: float
    covered: float
    above: float
    matches: float


def tilted(seen: Mapping[Fraction, float], mean: float) -> dict[Fraction, float]:
    """Tilt a distribution exponentially so that it has this mean; the tilt is found by bisection."""

    def weights(tilt: float) -> dict[Fraction, float]:
        return {value: count * math.exp(tilt * float(value)) for value, count in seen.items()}

    def mean_of(distribution: Mapping[Fraction, float]) -> float:
        return sum(float(value) * weight for value, weight in distribution.items()) / sum(
            distribution.values()
        )

    low, high = -30.0, 30.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if mean_of(weights(middle)) < mean else (low, middle)
    return weights(low)


def play(plan: ComparisonPlan, differences: np.ndarray) -> tuple[Verdict, CycleTally]:
    """Decide a comparison. differences: of its cycles, in units of 1/120."""
    totals, squares = np.cumsum(differences), np.cumsum(differences**2)
    for look in plan.looks:
        total, square = int(totals[look - 1]), int(squares[look - 1])
        tally = CycleTally(look, Fraction(total, _UNIT), Fraction(square, _UNIT**2))
        verdict = decide(plan, tally)
        if verdict is not None:
            return verdict, tally
    raise AssertionError("the last look ends it")


def is_wrong(verdict: Verdict, truth: float) -> bool:
    """Whether the verdict is false. "Undecided" never is."""
    return {
        Verdict.BETTER: truth <= 0,
        Verdict.WORSE: truth >= 0,
        Verdict.NO_DIFFERENCE: abs(truth) >= float(LEAST_DIFFERENCE),
        Verdict.UNDECIDED: False,
    }[verdict]


def simulate(games: Games, truth: float, runs: int, matches: int = MATCHES) -> ErrorRates:
    """Simulate this number of comparisons of two versions that differ by `truth`."""
    plan = ComparisonPlan(LEAST_DIFFERENCE, matches // games.matches)
    weights = tilted(games.seen, truth)
    values = np.array([int(weight * _UNIT) for weight in weights])
    chances = np.array(list(weights.values()))
    verdicts: Counter[Verdict] = Counter()
    wrong = covered = played = 0
    above = 0.0
    for number in range(runs):
        random = np.random.default_rng(number)
        drawn = random.choice(values, plan.cycles, p=chances / chances.sum())
        verdict, tally = play(plan, drawn)
        verdicts[verdict] += 1
        wrong += is_wrong(verdict, truth)
        probability = at_least(plan, tally, truth)
        covered += NOMINAL <= probability <= 1 - NOMINAL
        above += 0.5 if abs(probability - 0.5) < _EPSILON else probability < 0.5
        played += tally.cycles * games.matches
    shares = {verdict: count / runs for verdict, count in verdicts.items()}
    return ErrorRates(shares, wrong / runs, covered / runs, above / runs, played / runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--only", default="", help="distributions with this word in their name")
    arguments = parser.parse_args()
    print(
        "| cycles | truth | better | worse | no difference | undecided | wrong | covered | above | matches |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, games in GAMES.items():
        for title, truth in TRUTHS.items():
            if arguments.only in name and truth >= min(map(float, games.seen)):
                if name == "one side wins" and not truth:
                    continue  # nothing to simulate: every cycle is level
                rates = simulate(games, truth, arguments.runs)
                shares = " | ".join(f"{100 * rates.verdicts.get(verdict, 0):.1f}" for verdict in Verdict)
                figures = f"{100 * rates.wrong:.1f} | {100 * rates.covered:.1f} | {100 * rates.above:.1f}"
                print(f"| {name} | {title} | {shares} | {figures} | {rates.matches:.0f} |", flush=True)


if __name__ == "__main__":
    main()
