"""Caches what pages compute from all results of a tournament, for all readers. See agon.site.core.cached."""

from collections.abc import Callable
from typing import TypeVar

from django.db.models import Max

from agon.site.core import cached as shared
from agon.site.tournaments.models import Tournament

FRESH = 3.0  # seconds

T = TypeVar("T")


def cached(tournament: Tournament, what: str, compute: Callable[[], T], fresh: float = FRESH) -> T:
    """The value of `compute()`, computed within the last `fresh` seconds or, if it is costly, somewhat more.

    If the tournament is over, it is cached until an organizer acts on it. what: the name of the value.
    """
    least = shared.LONGEST if tournament.is_over else fresh
    return shared.cached(cache_key(tournament, what), compute, least)


def cache_key(tournament: Tournament, what: str) -> str:
    """The key for a value. It contains the latest act and how many entrants were stopped.

    So a value computed before either changed is never shown afterwards, not even if a process began to
    compute it before the change and ended after it.
    """
    last_act = tournament.acts.aggregate(last=Max("pk"))["last"]
    stopped_entrants = tournament.entrants.exclude(stopped="").count()
    return f"{what}-{tournament.pk}-{tournament.state}-{last_act}-{stopped_entrants}"
