"""The order in which known matches are played: so that all have played about equally often at each moment.

A schedule has an order of its own, which archives keep. That of a round robin names all pairs of the first
entrant first: played like that, some would have played all their matches when others have played few. So the
matches are played in days: in each, everybody plays at most once, and those who have played least come first.
The days of a round robin are those of the circle method, or a few more.
"""

from collections import Counter
from collections.abc import Sequence

from agon.contest.formats import Pairing


def evenly(pairings: Sequence[Pairing]) -> list[Pairing]:
    """These matches in the order in which they are to be played."""
    played: Counter[int] = Counter()
    left = list(pairings)
    ordered: list[Pairing] = []
    while left:
        left.sort(key=lambda pairing: sum(played[entrant] for entrant in pairing.seats))  # stable
        today: set[int] = set()
        later: list[Pairing] = []
        for pairing in left:
            if today.isdisjoint(pairing.seats):
                ordered.append(pairing)
                today.update(pairing.seats)
            else:
                later.append(pairing)
        played.update(today)
        left = later
    return ordered
