"""Which salt and draw the seed of each match of a tournament is derived from."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agon.site.tournaments.models import RerunMatch, Tournament


@dataclass(frozen=True)
class Numbers:
    """Numbers of draws: their places in time among those of the tournament, from 1; 0 for its own.

    of_reruns: by index, for matches that took the places of others. since: the index at which each reopening
    begins, rising; of_reopenings: the number of each.
    """

    of_reruns: Mapping[int, int]
    since: Sequence[int]
    of_reopenings: Sequence[int]

    def of(self, index: int) -> int:
        """The number for the match at this place of the schedule."""
        if index in self.of_reruns:
            return self.of_reruns[index]
        place = bisect_right(self.since, index)
        return self.of_reopenings[place - 1] if place else 0


def numbers_by_index(tournament: Tournament) -> Numbers:
    """From which draw each match of the tournament is."""
    draws = list(enumerate(tournament.draws.all(), start=1))
    by_rerun = {draw.rerun_id: number for number, draw in draws if draw.rerun_id is not None}
    reopened = [(draw.since, number) for number, draw in draws if draw.since is not None]
    applied = RerunMatch.objects.filter(rerun__tournament=tournament, new__tournament=tournament)
    return Numbers(
        {index: by_rerun[rerun] for index, rerun in applied.values_list("new__index", "rerun")},
        [since for since, _number in reopened],
        [number for _since, number in reopened],
    )
