"""Which matches are still open, by the entrants that meet in them."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple


class Meeting(NamedTuple):
    """Entrants that still meet. entrants: their numbers, ascending. matches: in how many."""

    entrants: tuple[int, ...]
    matches: int


def meetings(seatings: Iterable[Sequence[int]], among: Collection[int] | None = None) -> list[Meeting]:
    """The meetings in open matches, in the order of the first match of each.

    seatings: the entrants of each open match, by seat. among: only matches in which two of these or more sit,
    and of these matches only these entrants.
    """
    counts: Counter[tuple[int, ...]] = Counter()
    for seating in seatings:
        entrants = {entrant for entrant in seating if among is None or entrant in among}
        if among is None or len(entrants) > 1:
            counts[tuple(sorted(entrants))] += 1
    return [Meeting(entrants, matches) for entrants, matches in counts.items()]


def leaders(ranks: Iterable[tuple[int, int]], places: int, most: int) -> list[int]:
    """The entrants in the first `places` places, `most` at most. ranks: (entrant, rank), best first."""
    return [entrant for entrant, rank in ranks if rank <= places][:most]
