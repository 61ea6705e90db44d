"""How many matches of each competition were played to their ends.

To count a million takes a server 0.17 s, and the home page shows all these numbers. But matches stay: those
that are older than LATEST_COMMIT are counted once a day, and else only later ones. From all that there are,
the few that are not finished are taken away.
"""

import time
from collections import Counter
from datetime import timedelta
from typing import Any, NamedTuple

from django.core.cache import cache
from django.db.models import Count, QuerySet
from django.utils import timezone

from agon.site.competitions.models import Competition
from agon.site.matches.models import Match
from agon.site.matches.states import State

LATEST_COMMIT = timedelta(minutes=10)  # after a match was created, at most: until then it is not seen
_COUNTED_AGAIN = 24 * 3600.0  # seconds
_KEY = "matches-by-competition"


class _Counted(NamedTuple):
    """The matches with numbers up to `last`, by competition. until: in seconds of time()."""

    last: int
    matches: Counter[int]
    until: float


def by_competition() -> Counter[int]:
    """The number of finished matches, by competition."""
    old = Match.objects.filter(created__lt=timezone.now() - LATEST_COMMIT)
    counted = _counted(old.order_by("-pk").values_list("pk", flat=True).first() or 0)
    every = counted.matches + _count(Match.objects.filter(pk__gt=counted.last))
    return every - _count(_unfinished())


def _counted(last: int) -> _Counted:
    """All matches up to this number: those of an earlier count, and what came since."""
    known: _Counted = cache.get(_KEY, _Counted(0, Counter(), 0.0))
    if known.until < time.time() or known.last > last:
        known = _Counted(0, Counter(), time.time() + _COUNTED_AGAIN)
    since = _count(Match.objects.filter(pk__gt=known.last, pk__lte=last))
    known = known._replace(last=last, matches=known.matches + since)
    cache.set(_KEY, known, _COUNTED_AGAIN)
    return known


def _unfinished() -> QuerySet[Match]:
    """Found by the index `match_of_ladder`, of which it says all columns."""
    competitions = list(Competition.objects.values_list("pk", flat=True))
    others = [state for state in State if state != State.FINISHED]
    return Match.objects.filter(competition__in=competitions, kind__in=Match.Kind.values, state__in=others)


def _count(matches: QuerySet[Any]) -> Counter[int]:
    return Counter(dict(matches.order_by().values_list("competition").annotate(Count("pk"))))
