"""The ladder of rungs: the opponents by which a bot's active version climbs, from the weakest to the best.

They are all house bots of the competition, and the bots next to it on the leaderboard. What is said of each
comes from the rated matches of both active versions, which the counts of the ratings have: no tournament and
no challenge is among them. Bots that share a rating, because they are the same program of one author, are no
rungs of each other.
"""

from typing import NamedTuple

from django.db.models import Q

from agon.site.bots.models import Bot
from agon.site.leaderboards import table
from agon.site.leaderboards.models import PairCount, Rated
from agon.site.leaderboards.table import Row
from agon.statistics.rungs import Rung, Verdict
from games.core.broken import working_games

NEIGHBORS = 3  # better ones and worse ones


class Step(NamedTuple):
    """level: of a house bot, 1 (weakest) to 10; None of others, and of one that the game has no more."""

    row: Row
    level: int | None
    rung: Rung


class Ladder(NamedTuple):
    """row: None if no version plays. steps: the weakest first."""

    row: Row | None
    steps: list[Step]

    @property
    def beaten(self) -> int:
        return sum(step.rung.verdict is Verdict.BEATS for step in self.steps)

    @property
    def following(self) -> Step | None:
        """The weakest opponent that the bot is not known to beat."""
        return next((step for step in self.steps if step.rung.verdict is not Verdict.BEATS), None)


def rungs(bot: Bot) -> Ladder:
    """In five queries. bot: with its competition."""
    row = next(iter(table.rows_of([bot])), None)
    if row is None:
        return Ladder(None, [])
    house = table.rows(bot.competition, bot__house=True)
    near = table.near(bot.competition, row, NEIGHBORS)
    others = {rival.submission_id: rival for rival in [*house, *near] if rival.bot_id != bot.pk}
    ratings = dict(
        Rated.objects.filter(submission__in=[row.submission_id, *others]).values_list("submission", "rating")
    )
    own = ratings[row.submission_id]
    met = _met(own, set(ratings.values()))
    levels = _levels(bot.competition.game)
    steps = [
        Step(rival, levels.get(rival.bot) if rival.house else None, met.get(ratings[pk], Rung()))
        for pk, rival in others.items()
        if ratings.get(pk, own) != own
    ]
    return Ladder(row, sorted(steps, key=lambda step: (step.row.rating, step.row.submission_id)))


def _met(own: int, others: set[int]) -> dict[int, Rung]:
    """What happened against each of these ratings; matches of any number of seats together."""
    counted = PairCount.objects.filter(Q(first=own, second__in=others) | Q(second=own, first__in=others))
    result: dict[int, Rung] = {}
    for first, second, *counts in counted.values_list(
        "first", "second", "first_ahead", "tied", "second_ahead"
    ):
        other, more = (second, Rung(*counts)) if first == own else (first, Rung(*reversed(counts)))
        result[other] = Rung(*map(sum, zip(result.get(other, Rung()), more, strict=True)))
    return result


def _levels(game: str) -> dict[str, int]:
    """The strengths of the game's house bots by name; {} for a game that is broken here."""
    info = next((info for info in working_games() if info.slug == game), None)
    return {house_bot.name: house_bot.strength for house_bot in info.house} if info else {}
