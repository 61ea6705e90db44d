"""The order in which known matches are played: so that all have played about equally often at each moment.

A schedule has an order of its own, which archives keep. That of a round robin names all pairs of the first
entrant first: played like that, some would have played all their matches when others have played few. So the
matches are played in days: in each, everybody plays at most once, and those who have played least come first.
The days of a round robin are those of the circle method, or a few more.
"""

from collections import Counter
from collections.abc import Sequence

from agon.contest.formats import ScheduledMatch


def evenly(scheduled_matches: Sequence[ScheduledMatch]) -> list[ScheduledMatch]:
    """These matches in the order in which they are to be played."""
    played: Counter[int] = Counter()
    left = list(scheduled_matches)
    ordered: list[ScheduledMatch] = []
    while left:
        left.sort(key=lambda scheduled: sum(played[entrant] for entrant in scheduled.seats))  # stable
        today: set[int] = set()
        later: list[ScheduledMatch] = []
        for scheduled in left:
            if today.isdisjoint(scheduled.seats):
                ordered.append(scheduled)
                today.update(scheduled.seats)
            else:
                later.append(scheduled)
        played.update(today)
        left = later
    return ordered
