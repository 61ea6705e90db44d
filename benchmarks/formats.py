"""Measures, in simulated tournaments, properties of formats that are promised but not proved.

.venv/bin/python -m benchmarks.formats [--runs 1000]

Prints how often "until decided" gives a prize place to a bot that is not better, how many matches it takes,
and by how much the numbers of meetings of pairs differ in balanced blocks. The number of a run is its random
seed.
"""

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from agon.contest import formats
from agon.contest.formats import Outcome, ScheduledMatch

FIELDS = [(5, 1, 500), (12, 1, 1_200), (12, 3, 1_200)]  # entrants, prize places, budget
SPACING = 1.0  # of spaced strengths, in natural units: the better of two neighbors wins 73 % of matches


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    print("until decided, confidence 95 %, two seats")
    print("field           prizes  runs  wrong place   shared  mean matches")
    for entrants, prizes, budget in FIELDS:
        for name, spacing in (("equal", 0.0), ("spaced", SPACING)):
            number = runs if entrants < 10 else max(1, runs // 5)
            print(until_decided(name, entrants, prizes, budget, spacing, number))
    print("balanced blocks: largest difference of meetings of two pairs, after each of 20 rounds")
    for seats in (2, 3, 4):
        print(f"  {seats} seats: {largest_spread(seats)}")


def until_decided(name: str, entrants: int, prizes: int, budget: int, spacing: float, runs: int) -> str:
    """A line of the table: field, prize places, runs, wrong and shared places, mean number of matches."""
    wrong = shared = matches = 0
    settings = {"prizes": prizes, "budget": budget, "confidence": 95}
    for run in range(runs):
        plan = formats.make_plan("until_decided", entrants, 2, 1, run, settings, "shared_win")
        strengths = [-spacing * entrant for entrant in range(entrants)]
        scheduled_matches, history = formats.replay(plan, _Results(strengths, run), budget)
        ranking = formats.ranking(plan, history)
        assert ranking is not None
        wrong += _is_wrong(ranking.ranks, strengths, prizes)
        shared += any(Counter(ranking.ranks)[rank] > 1 for rank in range(1, prizes + 1))
        matches += len(scheduled_matches)
    field = f"{entrants} {name}"
    return f"{field:16}{prizes:6}{runs:6}{wrong / runs:12.1%}{shared / runs:9.1%}{matches / runs:14.0f}"


def _is_wrong(ranks: Sequence[int], strengths: Sequence[float], prizes: int) -> bool:
    """Whether a bot that does not share its prize place is no better than some bot below it."""
    for winner, rank in enumerate(ranks):
        if rank <= prizes and ranks.count(rank) == 1:
            below = [strengths[entrant] for entrant, place in enumerate(ranks) if place > rank]
            if any(strength >= strengths[winner] for strength in below):
                return True
    return False


class _Results:
    """Outcomes by the Bradley-Terry model, without draws; the number of a match is its random seed."""

    def __init__(self, strengths: Sequence[float], run: int) -> None:
        self._odds = [2.718281828459045**strength for strength in strengths]
        self._draw = random.Random(run)

    def __call__(self, scheduled: ScheduledMatch) -> Outcome:
        first, second = (self._odds[entrant] for entrant in scheduled.seats)
        wins = self._draw.random() < first / (first + second)
        ranks = (1, 2) if wins else (2, 1)
        return Outcome(scheduled.seats, tuple(Fraction(rank == 1) for rank in ranks), ranks)


def largest_spread(
    seats: int, fields: Sequence[int] = (*range(2, 33), 50, 101, 200), rounds: int = 20
) -> int:
    """The largest difference between two pairs in their number of meetings, after any round of any field.

    fields: numbers of entrants.
    """
    largest = 0
    for entrants in (field for field in fields if field >= seats):
        met: Counter[tuple[int, int]] = Counter()
        pairs = list(combinations(range(entrants), 2))
        played = formats.schedule("balanced", entrants, seats, rounds, 1)
        for number in range(rounds):
            for scheduled in played[number * entrants : (number + 1) * entrants]:
                met.update(combinations(sorted(scheduled.seats), 2))
            times = [met[pair] for pair in pairs]
            largest = max(largest, max(times) - min(times))
    return largest


if __name__ == "__main__":
    main()
