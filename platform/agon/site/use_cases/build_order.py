"""The order of the submissions that wait to be built, and how long one usually takes."""

from datetime import datetime, timedelta
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

LONGEST_BETWEEN = 30.0  # seconds between two builds; else the author's worker time was used up
MEAN_KEY = "build-seconds"  # in the cache: the mean time of the last builds
COUNT_KEY = "builds-in-mean"  # in the cache: the first of them count equally
MEMORY = 8  # builds
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
    """The time that a builder takes for one of those that wait: an exponential moving average.

    None if there were none today.
    """
    mean: float | None = cache.get(MEAN_KEY)
    return mean


def note_build(seconds: float, waited_since: datetime, former: datetime | None, ended: datetime) -> None:
    """Add a build to the mean: the time since the builder's former build ended, if this one waited then.

    Between two builds a builder plays qualifications and trials. former: when its former build ended.
    """
    if former is not None and waited_since < former:
        seconds = min((ended - former).total_seconds(), seconds + LONGEST_BETWEEN)
    mean, count = cache.get(MEAN_KEY, seconds), cache.get(COUNT_KEY, 0) + 1
    cache.set(MEAN_KEY, mean + (seconds - mean) / min(count, MEMORY), MEAN_KEPT)
    cache.set(COUNT_KEY, count, MEAN_KEPT)
