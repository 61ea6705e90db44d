"""The leaderboard as rows, best first."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, F, Q, QuerySet, When, Window
from django.db.models.functions import RowNumber

from agon.site.accounts.models import User
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import State
from agon.site.competitions.models import Competition
from agon.site.teams.queries import acting_accounts

_UNKNOWN = Q(rated__rating__played=0, rated__rating__predecessor=None)
ORDER = (Case(When(_UNKNOWN, then=1), default=0), F("rated__rating__rating").desc(), F("pk").asc())
NEAR = 5  # better bots to consider, because some may be provisional


@dataclass(frozen=True)
class Row:
    """One active submission. A provisional one has no rank; one without any result is listed apart, at the
    end.

    best, worst: the range of its rank, 0 if it has none. low, high: the ends of the 95 % interval of its
    rating. known: whether it, or the version before it, has a result.
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
    drawn: int
    faults: int

    @property
    def points(self) -> int:
        """The rating, rounded."""
        return round(self.rating)

    @property
    def least(self) -> int:
        """The lower end of the rating's interval, rounded."""
        return round(self.low)

    @property
    def most(self) -> int:
        """The upper end of the rating's interval, rounded."""
        return round(self.high)

    @property
    def lost(self) -> int:
        """The rated matches in which another bot was ahead."""
        return self.played - self.won - self.drawn

    @property
    def is_decided(self) -> bool:
        """Whether its rank range is one rank."""
        return 0 < self.best == self.worst

    @property
    def rank(self) -> str:
        """The rank as shown: "2", "2–4" if results cannot separate it from others, "?" while provisional."""
        if not self.known:
            return "–"
        if not self.best:
            return "?"
        return str(self.best) if self.is_decided else f"{self.best}–{self.worst}"


def rows(competition: Competition, **only: object) -> list[Row]:
    """All active submissions of a competition, or those with the fields `only`, in one query."""
    return [_row(version) for version in _active(bot__competition=competition, **only).order_by(*ORDER)]


def row_of(versions: Iterable[Submission]) -> Row | None:
    """The row of a bot, given its versions with their ratings; None if none of them is on the leaderboard."""
    active = (version for version in versions if version.state == State.ACTIVE and hasattr(version, "rated"))
    return next(map(_row, active), None)


def rows_of(bots: Iterable[Bot]) -> list[Row]:
    """The rows of the active submissions of these bots, in any competition, in one query."""
    return [_row(version) for version in _active(bot__in=bots)]


def best(competitions: Iterable[Competition], most: int) -> dict[int, list[Row]]:
    """The first rows of each of these competitions, in one query that reads no others."""
    place = Window(RowNumber(), partition_by=F("bot__competition"), order_by=ORDER)
    active = _active(bot__competition__in=competitions).annotate(place=place)
    result: dict[int, list[Row]] = {}
    for version in active.filter(place__lte=most).order_by("bot__competition", "place"):
        result.setdefault(version.bot.competition_id, []).append(_row(version))
    return result


def above(competition: Competition, row: Row) -> Row | None:
    """The row of the next better bot that has a rank; None if there is none."""
    above = {"rated__rating__rating__gt": row.rating, "rated__rating__best__gt": 0}
    better = _active(bot__competition=competition, **above)
    rows = (_row(submission) for submission in better.order_by("rated__rating__rating", "pk")[:NEAR])
    return next((own_row for own_row in rows if own_row.best), None)


def near(competition: Competition, row: Row, number: int) -> list[Row]:
    """The rows next to one, without house bots: so many better ones, and so many that are not better."""
    others = _active(bot__competition=competition, bot__house=False)
    others = others.exclude(pk=row.submission_id).exclude(_UNKNOWN)
    better = others.filter(rated__rating__rating__gt=row.rating).order_by("rated__rating__rating", "pk")
    worse = others.filter(rated__rating__rating__lte=row.rating).order_by("-rated__rating__rating", "pk")
    return [_row(submission) for submission in [*better[:number], *worse[:number]]]


def of_owner(owner: User, most: int) -> list[tuple[Submission, Row]]:
    """The active submissions of an owner and their teams in all competitions, the newest first."""
    active = _active(bot__owner__in=acting_accounts(owner)).select_related("bot__competition")
    return [(submission, _row(submission)) for submission in active.order_by("-pk")[:most]]


def count(competition: Competition) -> int:
    """The number of all rows."""
    return _active(bot__competition=competition).count()


def leader(table: list[Row]) -> Row | None:
    """The first row that has a rank."""
    return next((row for row in table if row.best), None)


def _active(**only: Any) -> QuerySet[Submission]:
    """The active submissions with these fields, with all that a row needs."""
    active = Submission.objects.filter(state=State.ACTIVE, rated__isnull=False, **only)
    return active.select_related("bot__owner", "rated__rating")


def _row(submission: Submission) -> Row:
    rating = submission.rated.rating
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
        drawn=rating.drawn,
        faults=rating.faults,
    )
