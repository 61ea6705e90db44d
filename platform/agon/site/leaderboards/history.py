"""The history of ratings, as points that are thinned so that they can be kept for years.

A fit adds a point for each rating that changed, at most one in EVERY. Once a day old points are thinned: of
those older than a day one per hour is kept, of those older than two weeks one per day.
"""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef
from django.db.models.functions import Trunc

from agon.site.leaderboards.models import Leaderboard, Rating, RatingPoint

EVERY = timedelta(minutes=10)
# Among points older than the second value, keep one per unit.
THINNING = (("hour", timedelta(days=1)), ("day", timedelta(days=14)))
REACH = 7  # times that age, beyond which points were thinned before


def record(board: Leaderboard, moment: datetime) -> None:
    """Add points if they are due, in the transaction that writes a fit. Changes `board` without saving it."""
    last = board.recorded
    if last is not None and moment < last + EVERY:
        return
    new = Rating.objects.filter(competition=board.competition_id, played__gt=0)
    if last is not None:
        new = new.filter(seated__gt=last)
    RatingPoint.objects.bulk_create(
        [
            RatingPoint(rating_id=pk, at=moment, value=rating, low=low, high=high, played=played)
            for pk, rating, low, high, played in new.values_list("pk", "rating", "low", "high", "played")
            if low is not None and high is not None
        ],
        batch_size=500,
    )
    if last is not None and last.date() != moment.date():
        _thin(board, moment)
    board.recorded = moment


def _thin(board: Leaderboard, moment: datetime) -> None:
    for unit, age in THINNING:
        span: Any = Trunc("at", unit)
        later = RatingPoint.objects.annotate(span=Trunc("at", unit)).filter(
            rating=OuterRef("rating"), at__gt=OuterRef("at"), span=OuterRef("span")
        )
        old = RatingPoint.objects.filter(
            rating__competition=board.competition_id, at__lt=moment - age, at__gt=moment - REACH * age
        )
        old.annotate(span=span).filter(Exists(later)).delete()
