"""The leaderboard as rows, best first."""

from dataclasses import dataclass

from bots.models import Submission
from bots.states import State
from competitions.models import Competition

POINTS_PER_SKILL = 40
DEVIATIONS = 3


@dataclass(frozen=True)
class Row:
    """One active submission. Submissions of equal certain skill share a rank.

    points: the skill that the submission has almost certainly (mu less DEVIATIONS times sigma), on a scale
    where a
    newcomer has 0; so points climb as the rating becomes certain. uncertainty: DEVIATIONS times sigma on that
    scale.
    """

    rank: int
    bot_id: int
    bot: str
    author: str
    house: bool
    submission_id: int
    version: int
    mu: float
    sigma: float
    played: int
    won: int
    faults: int

    @property
    def points(self) -> int:
        return max(0, round(POINTS_PER_SKILL * _certain(self.mu, self.sigma)))

    @property
    def uncertainty(self) -> int:
        return round(POINTS_PER_SKILL * DEVIATIONS * self.sigma)


def rows(competition: Competition) -> list[Row]:
    """All active submissions of a competition, in one query."""
    active = Submission.objects.filter(
        bot__competition=competition, state=State.ACTIVE, rating__isnull=False
    ).select_related("bot__owner", "rating")
    best_first = sorted(active, key=lambda each: (-_certain(each.rating.mu, each.rating.sigma), each.pk))
    table: list[Row] = []
    for place, each in enumerate(best_first, start=1):
        rating = each.rating
        shares = bool(table) and _certain(table[-1].mu, table[-1].sigma) == _certain(rating.mu, rating.sigma)
        table.append(
            Row(
                rank=table[-1].rank if shares else place,
                bot_id=each.bot_id,
                bot=each.bot.name,
                author=each.bot.owner.username,
                house=each.bot.house,
                submission_id=each.pk,
                version=each.number,
                mu=rating.mu,
                sigma=rating.sigma,
                played=rating.played,
                won=rating.won,
                faults=rating.faults,
            )
        )
    return table


def _certain(mu: float, sigma: float) -> float:
    return mu - DEVIATIONS * sigma
