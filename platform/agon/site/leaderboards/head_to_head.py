"""How the bots of a leaderboard fared against each other in all rated matches, whatever their versions.

The counts are those that ratings are fitted to, so a page takes three queries, however many matches there
are. Bots of one author with the same program share a rating, and so these counts.
"""

from typing import NamedTuple

from agon.site.competitions.models import Competition
from agon.site.leaderboards.models import PairCount, Rated


class Met(NamedTuple):
    """In how many comparisons one bot was ahead of another one, beside it, behind it."""

    ahead: int
    equal: int
    behind: int

    @property
    def number(self) -> int:
        return sum(self)

    @property
    def share(self) -> float:
        """The part that it was ahead in, an equal rank counting half."""
        return (self.ahead + self.equal / 2) / self.number


def head_to_head(competition: Competition) -> dict[tuple[int, int], Met]:
    """By (bot, opponent), both with an active version, that met."""
    rated = Rated.objects.filter(
        submission__bot__competition=competition, submission__bot__active__isnull=False
    )
    bots: dict[int, set[int]] = {}
    for rating, bot in rated.values_list("rating", "submission__bot"):
        bots.setdefault(rating, set()).add(bot)
    counted = PairCount.objects.filter(competition=competition)
    result: dict[tuple[int, int], Met] = {}
    for first, second, *counts in counted.values_list(
        "first", "second", "first_ahead", "tied", "second_ahead"
    ):
        for bot in bots.get(first, ()):
            for opponent in bots.get(second, ()):
                if bot != opponent:
                    _add(result, (bot, opponent), Met(*counts))
                    _add(result, (opponent, bot), Met(*reversed(counts)))
    return result


def _add(meetings: dict[tuple[int, int], Met], key: tuple[int, int], more: Met) -> None:
    before = meetings.get(key, Met(0, 0, 0))
    meetings[key] = Met(*map(sum, zip(before, more, strict=True)))
