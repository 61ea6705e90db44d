"""What pages compute from all results of a tournament: kept for a while, and shared by all readers."""

import time
from collections.abc import Callable
from typing import TypeVar

from django.core.cache import cache
from django.db.models import Max

from tournaments.models import Tournament

FRESH = 3.0  # seconds
SHARE = 0.05  # of a processor, at most, for computing one of them
LONGEST = 24 * 3600  # seconds for which they are cached

T = TypeVar("T")


def recent(tournament: Tournament, what: str, compute: Callable[[], T]) -> T:
    """What `compute` returned a moment ago, for pages that anyone may open and that ask repeatedly.

    The longer it takes, the less often it is done, and by one process at a time, while others get the
    previous value. That of a tournament that is over is kept until an organizer acts on it. what: the name of
    the value.
    """
    key = cache_key(tournament, what)
    kept: tuple[T] | None
    kept, fresh_until = cache.get(key, (None, 0.0))
    if kept is not None and time.time() < fresh_until:
        return kept[0]
    if not cache.add(f"{key}-computing", True, 60) and kept is not None:
        return kept[0]
    began = time.time()
    found = compute()
    pause = LONGEST if tournament.is_over else max(FRESH, (time.time() - began) / SHARE)
    cache.set(key, ((found,), time.time() + pause), LONGEST)
    cache.delete(f"{key}-computing")
    return found


def cache_key(tournament: Tournament, what: str) -> str:
    """It names the latest act and how many entrants are out. So what was computed before either changed is
    never shown afterwards, even where a process began to compute before the change and ended after it.
    """
    last_act = tournament.acts.aggregate(last=Max("pk"))["last"]
    out = tournament.entrants.exclude(stopped="").count()
    return f"{what}-{tournament.pk}-{tournament.state}-{last_act}-{out}"
