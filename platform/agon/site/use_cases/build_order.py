"""The order of the submissions that wait to be built, and how long a build usually takes."""

from datetime import timedelta
from typing import Any

from django.core.cache import cache
from django.db.models import Case, Count, OuterRef, Q, QuerySet, When
from django.db.models.functions import Coalesce

from agon.site.bots.models import Submission
from agon.site.bots.states import State
from agon.site.core.db.leases import now
from agon.site.matches import usage
from games.core.broken import working_games

UPLOAD_WINDOW = timedelta(hours=1)  # within which uploads count for the order

MEAN_KEY = "build-seconds"  # in the cache: the mean time of the last builds
MEAN_KEPT = 24 * 3600.0  # seconds


def waiting() -> QuerySet[Submission]:
    """The submissions that may be built now, in order."""
    due = Q(lease_until=None) | Q(lease_until__lt=now())
    same_author = Submission.objects.filter(
        bot__owner=OuterRef("bot__owner"), created__gt=now() - UPLOAD_WINDOW
    )
    uploaded = same_author.order_by().values("bot__owner").annotate(count=Count("pk")).values("count")
    working = [info.slug for info in working_games()]
    received = Submission.objects.filter(due, state=State.RECEIVED, bot__competition__game__in=working)
    received = received.annotate(uploaded=Coalesce(uploaded, 0))
    return _with_minutes(received, usage.current_usage()).order_by("bot__house", "minutes", "uploaded", "id")


def _with_minutes(received: QuerySet[Any], used: usage.Usage) -> QuerySet[Any]:
    """Select the submissions that may be built now, annotated with their authors' minutes of worker time."""
    held_up = Q(bot__owner__in=used.authors_waiting) | Q(bot__in=used.bots_waiting)
    # At least one case, since PostgreSQL takes a number alone in ORDER BY for the position of a column.
    minutes = [When(bot__owner=None, then=0)]
    minutes += [When(bot__owner=owner, then=int(used.minutes(owner))) for owner in used.authors]
    eligible: QuerySet[Any]
    eligible = received.exclude(held_up, bot__house=False).annotate(minutes=Case(*minutes, default=0))
    return eligible


def usual_seconds() -> float | None:
    """The duration of the last builds, as an exponential moving average; None if there were none today."""
    mean: float | None = cache.get(MEAN_KEY)
    return mean


def note_seconds(seconds: float) -> None:
    """Add the duration of a build to the mean."""
    mean = cache.get(MEAN_KEY, seconds)
    cache.set(MEAN_KEY, mean + (seconds - mean) / 8, MEAN_KEPT)
