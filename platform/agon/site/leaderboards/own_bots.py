"""The bots of one author in all competitions: ranks, ratings, and what the last day changed."""

from datetime import timedelta
from typing import NamedTuple

from django.db.models import OuterRef, Subquery
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.competitions.models import Competition
from agon.site.leaderboards import table
from agon.site.leaderboards.models import Rating, RatingPoint

RECENT = timedelta(days=1)


class OwnStanding(NamedTuple):
    """change: of its rating within RECENT; None if it had none then."""

    competition: Competition
    row: table.Row
    change: int | None


def own_bots(owner: User, most: int) -> list[OwnStanding]:
    """At most `most` bots of an owner: those with the newest active versions."""
    owned = table.of_owner(owner, most)
    before = _before([submission.rated.rating_id for submission, _ in owned])
    return [
        OwnStanding(submission.bot.competition, row, _change(row, before.get(submission.rated.rating_id)))
        for submission, row in owned
    ]


def _change(row: table.Row, before: float | None) -> int | None:
    return None if before is None else row.points - round(before)


def _before(ratings: list[int]) -> dict[int, float | None]:
    """The first value of each rating within RECENT."""
    since = RatingPoint.objects.filter(rating=OuterRef("pk"), at__gte=timezone.now() - RECENT).order_by("at")
    with_before = Rating.objects.filter(pk__in=ratings).annotate(before=Subquery(since.values("value")[:1]))
    return dict(with_before.values_list("pk", "before"))
