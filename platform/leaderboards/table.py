"""The leaderboard as rows, best first."""

from dataclasses import dataclass

from bots.models import Submission
from bots.states import State
from competitions.models import Competition
from leaderboards.models import Rating


@dataclass(frozen=True)
class Row:
    """One active submission, by its rating. Without a rank of its own: a provisional one, and one of which no
    match says anything yet, which stands apart at the end.

    best, worst: the range of its rank among those that are ranked; 0 if it is not. low, high: the ends of the
    95 % interval of its rating.
    """

    bot_id: int
    bot: str
    author: str
    house: bool
    submission_id: int
    version: int
    rating: float
    low: float
    high: float
    best: int
    worst: int
    provisional: bool
    known: bool
    played: int
    won: int
    faults: int

    @property
    def points(self) -> int:
        return round(self.rating)

    @property
    def least(self) -> int:
        return round(self.low)

    @property
    def most(self) -> int:
        return round(self.high)

    @property
    def is_decided(self) -> bool:
        return 0 < self.best == self.worst

    @property
    def rank(self) -> str:
        """As it is shown: "2", "2–4" where results cannot separate it from others, "?" while provisional."""
        if not self.known:
            return "–"
        if not self.best:
            return "?"
        return str(self.best) if self.is_decided else f"{self.best}–{self.worst}"


def rows(competition: Competition, author: str | None = None) -> list[Row]:
    """All active submissions of a competition, or those of one author, in one query."""
    active = Submission.objects.filter(
        bot__competition=competition, state=State.ACTIVE, rated__isnull=False
    ).select_related("bot__owner", "rated__rating")
    if author is not None:
        active = active.filter(bot__owner__username=author)
    found = [_row(each, each.rated.rating) for each in active]
    return sorted(found, key=lambda row: (not row.known, -row.rating, row.submission_id))


def leader(table: list[Row]) -> Row | None:
    """The first that has a rank."""
    return next((row for row in table if row.best), None)


def _row(submission: Submission, rating: Rating) -> Row:
    return Row(
        bot_id=submission.bot_id,
        bot=submission.bot.name,
        author=submission.bot.owner.username,
        house=submission.bot.house,
        submission_id=submission.pk,
        version=submission.number,
        rating=rating.rating,
        low=rating.rating if rating.low is None else rating.low,
        high=rating.rating if rating.high is None else rating.high,
        best=0 if rating.is_provisional else rating.best,
        worst=0 if rating.is_provisional else rating.worst,
        provisional=rating.is_provisional,
        known=rating.is_known,
        played=rating.played,
        won=rating.won,
        faults=rating.faults,
    )
