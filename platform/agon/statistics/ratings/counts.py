"""What a match says about each pair of its bots: who was ahead, as numbers that only ever add up.

Sums do not depend on the order of the matches, so neither do ratings.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Pair(NamedTuple):
    """All that two bots (ids, first < second) did in matches of so many seats against each other.

    first_ahead, tied, second_ahead: the number of comparisons. spread: the sum of `spread_of` of the matches,
    once for each comparison; the intervals need it (fit.py).
    """

    first: int
    second: int
    seats: int
    first_ahead: int
    tied: int
    second_ahead: int
    spread: int


def of_match(bots: Sequence[int], ranks: Sequence[int]) -> list[Pair]:
    """The pairs of one match, sorted; by seat: the ids of the bots, and their ranks (1 is best, ties share).

    Seats of the same bot are not compared with each other.
    """
    spread = spread_of(ranks)
    seated = sorted(zip(bots, ranks, strict=True))
    pairs = [
        Pair(
            *(first, second, len(bots)),
            *(int(rank < other_rank), int(rank == other_rank), int(rank > other_rank)),
            spread,
        )
        for place, (first, rank) in enumerate(seated)
        for second, other_rank in seated[place + 1 :]
        if first != second
    ]
    return added(pairs)


def added(pairs: Iterable[Pair]) -> list[Pair]:
    """Add up the counts of the same two bots and number of seats; sorted."""
    sums: dict[tuple[int, int, int], list[int]] = {}
    for pair in pairs:
        total = sums.setdefault(pair[:3], [0, 0, 0, 0])
        for place, count in enumerate(pair[3:]):
            total[place] += count
    return [Pair(*key, *sums[key]) for key in sorted(sums)]


def spread_of(ranks: Sequence[int]) -> int:
    """The sum over all seats of (seats behind minus seats ahead) squared.

    It is largest without ties, k (k² - 1) / 3, and 0 if all seats share a place.
    """
    return sum(sum((other > rank) - (other < rank) for other in ranks) ** 2 for rank in ranks)
