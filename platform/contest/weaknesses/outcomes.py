"""What a match says about one bot in it, and what its ratings and its seat led to expect."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from contest.ratings.published import POINTS

LEAST_CHANCE = 0.02  # no result is more certain than this: ratings are not that exact


class Fault(NamedTuple):
    """What the bot did wrong, and at which step (from 0)."""

    kind: str
    step: int


class Comparison(NamedTuple):
    """The bot and one opponent of a match. share: 1 if the bot was ahead, 1/2 at the same rank, else 0.

    expected: the mean of `share` that ratings and the seat led to expect, in (0, 1).
    """

    opponent: int
    share: float
    expected: float


class Outcome(NamedTuple):
    """One match. seat: from 0. steps: how many asks it had. time: the slowest answer's charged time as a
    share of the limit; None where it was not kept.
    """

    match: int
    seat: int
    comparisons: tuple[Comparison, ...]
    steps: int
    faults: tuple[Fault, ...] = ()
    time: float | None = None

    @property
    def share(self) -> float:
        """The part of the opponents that the bot beat."""
        return math.fsum(each.share for each in self.comparisons) / len(self.comparisons)

    @property
    def expected(self) -> float:
        return math.fsum(each.expected for each in self.comparisons) / len(self.comparisons)


def compared(
    rank: int, others: Iterable[tuple[int, int, float]], rating: float, bonus: float = 0.0
) -> tuple[Comparison, ...]:
    """A bot of this rank and rating against (bot, rank, rating) of the other seats.

    Bradley and Terry's model, as in contest.ratings.fit; bonus: what the seat is worth (`seat_bonuses`).
    """
    return tuple(
        Comparison(bot, _share(rank, other), _clipped(1 / (1 + math.exp((theirs - rating) / POINTS)) + bonus))
        for bot, other, theirs in others
    )


def seat_bonuses(matches: Iterable[Sequence[int]]) -> Mapping[tuple[int, int], float]:
    """What sitting in a seat is worth to any bot, as a share: by (number of seats, seat).

    matches: the ranks by seat. Ladders seat bots evenly, so the mean over all bots shows the seat alone.
    """
    sums: dict[tuple[int, int], float] = {}
    counts: dict[int, int] = {}
    for ranks in matches:
        seats = len(ranks)
        counts[seats] = counts.get(seats, 0) + 1
        for seat, rank in enumerate(ranks):
            beaten = sum(_share(rank, other) for other in ranks) - 0.5  # less the half against itself
            sums[seats, seat] = sums.get((seats, seat), 0.0) + beaten / (seats - 1) - 0.5
    return {key: total / (counts[key[0]] + SEATS_AS_IF) for key, total in sums.items()}


SEATS_AS_IF = 20  # matches in which every seat is worth the same, added to those that were played


def _share(rank: int, other: int) -> float:
    return (rank < other) + (rank == other) / 2


def _clipped(chance: float) -> float:
    return min(max(chance, LEAST_CHANCE), 1 - LEAST_CHANCE)
