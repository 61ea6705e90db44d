"""The first three places of a tournament that is over, for its page."""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from agon.contest.standings import StandingsRow
from agon.site.bots.models import Bot

PLACES = 3
MOST_BOTS = 3  # bots shown in a shared place; of the others, only how many there are

Placed = tuple[StandingsRow, Bot]


class PodiumPlace(NamedTuple):
    """A place, and up to MOST_BOTS bots that share it. others: how many more there are."""

    rank: int
    placed: list[Placed]
    others: int


def podium(standings: Sequence[Placed]) -> list[PodiumPlace]:
    """The places, best first. [] if no entrant is behind another: then there is nothing to show."""
    ranked = [(row, bot) for row, bot in standings if not row.disqualified]
    if not any(row.rank > 1 for row, _bot in ranked):
        return []
    first = [(row, bot) for row, bot in ranked if row.rank <= PLACES]
    groups = [(rank, list(members)) for rank, members in groupby(first, key=lambda placed: placed[0].rank)]
    return [
        PodiumPlace(rank, members[:MOST_BOTS], max(0, len(members) - MOST_BOTS)) for rank, members in groups
    ]
