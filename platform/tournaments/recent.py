"""What pages compute from all results of a tournament: kept for a while, and shared by all readers."""

from collections.abc import Callable
from typing import TypeVar

from django.db.models import Max

from agon import recent as shared
from tournaments.models import Tournament

FRESH = 3.0  # seconds

T = TypeVar("T")


def recent(tournament: Tournament, what: str, compute: Callable[[], T], fresh: float = FRESH) -> T:
    """What `compute` returned a moment ago, for pages that anyone may open and that ask repeatedly.

    That of a tournament that is over is kept until an organizer acts on it. what: the name of the value.
    fresh: seconds for which that of another one is, at least.
    """
    least = shared.LONGEST if tournament.is_over else fresh
    return shared.recent(cache_key(tournament, what), compute, least)


def cache_key(tournament: Tournament, what: str) -> str:
    """It names the latest act and how many entrants are out. So what was computed before either changed is
    never shown afterwards, even where a process began to compute before the change and ended after it.
    """
    last_act = tournament.acts.aggregate(last=Max("pk"))["last"]
    out = tournament.entrants.exclude(stopped="").count()
    return f"{what}-{tournament.pk}-{tournament.state}-{last_act}-{out}"
