"""Shares worker time among running tournaments, so that none waits until another is over.

The tournament whose matches took the least time lately, for its priority, is played next. So each has one
share of the workers, a final of a higher priority several, and one that needs less than its share is played
as if it were alone: a round of a few matches is not held up by thousands of another organizer. Among equals
the rounds of formats that need results come first, since the workers have nothing else of them to play until
they are over. Matches that are run again have a share of their own.

"Lately" is WINDOW: long enough for several matches, short enough that what a tournament took before the
others began does not count against it for long.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from django.db.models import Count, Min, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from agon.contest.formats import FORMATS
from agon.site.core.db.leases import now
from agon.site.matches.models import Match
from agon.site.matches.states import State

WINDOW = timedelta(seconds=20)
KINDS = (Match.Kind.TOURNAMENT, Match.Kind.RERUN)
OF_TOURNAMENTS = Q(tournament__isnull=False) | Q(kind=Match.Kind.RERUN)


class Key(NamedTuple):
    """A tournament, or the matches of it that are run again."""

    tournament: int
    is_rerun: bool


class Share(NamedTuple):
    """What decides when a tournament is next.

    seconds: worker time within WINDOW, running matches included. priority: how many shares it has.
    is_adaptive: whether its rounds follow from results. oldest: the number of its match that is next.
    """

    key: Key
    seconds: float
    priority: int
    is_adaptive: bool
    oldest: int


def in_turn(shares: Iterable[Share]) -> list[Share]:
    """The tournaments in the order in which they are to be played now."""
    return sorted(shares, key=lambda each: (each.seconds / each.priority, not each.is_adaptive, each.oldest))


def of_tournaments(queued: QuerySet[Match]) -> list[QuerySet[Match]]:
    """The matches of each tournament among the queued ones; the tournament that is next comes first."""
    found = _waiting(queued)
    if len(found) > 1:
        found = in_turn(_with_seconds(found))
    return [queued.filter(_belongs_to(each.key)).order_by("id") for each in found]


def ahead_of(match: Match, queued: QuerySet[Match]) -> int:
    """About how many of the queued matches are played before this one of a tournament.

    While those of its own tournament are played, each other one has as many, for its priority.
    """
    key = _key(match.kind, match.tournament_id or match.rerun.rerun.tournament_id)
    own = queued.filter(_belongs_to(key), pk__lt=match.pk).count()
    rows = _keyed(queued).order_by().values_list("kind", "contest", "priority").annotate(waiting=Count("id"))
    found: dict[Key, tuple[int, int]] = {
        _key(kind, contest): (priority, waiting) for kind, contest, priority, waiting in rows
    }
    mine, _ = found.pop(key, (1, 0))
    return sum((min(waiting, own * priority // mine) for priority, waiting in found.values()), own)


def _belongs_to(key: Key) -> Q:
    if key.is_rerun:
        return Q(kind=Match.Kind.RERUN, rerun__rerun__tournament=key.tournament)
    return Q(tournament=key.tournament)


def _waiting(queued: QuerySet[Match]) -> list[Share]:
    """A share for each tournament with queued matches, without the seconds."""
    rows = _keyed(queued).order_by().values_list("kind", "contest", "priority", "format")
    return [
        Share(_key(kind, contest), 0.0, priority, FORMATS[format].needs_results, oldest)
        for kind, contest, priority, format, oldest in rows.annotate(oldest=Min("id"))
    ]


def _with_seconds(shares: Sequence[Share]) -> list[Share]:
    used: dict[Key, float] = defaultdict(float)
    time = now()
    ended = Match.objects.filter(state=State.FINISHED, kind__in=KINDS, finished_at__gt=time - WINDOW)
    by_contest = _keyed(ended).order_by().values_list("kind", "contest")
    for kind, contest, seconds in by_contest.annotate(total=Sum("seconds")):
        used[_key(kind, contest)] += seconds or 0.0
    # Those that a worker claimed together began at once, and are played one after the other.
    running = _keyed(Match.objects.filter(state=State.RUNNING)).order_by()
    by_worker = running.values_list("kind", "contest", "worker").annotate(since=Min("started"))
    for kind, contest, _worker, since in by_worker:
        used[_key(kind, contest)] += (time - since).total_seconds()
    return [each._replace(seconds=used[each.key]) for each in shares]


def _key(kind: str, contest: int) -> Key:
    return Key(contest, kind == Match.Kind.RERUN)


def _keyed(matches: QuerySet[Match]) -> QuerySet[Any]:
    return matches.filter(OF_TOURNAMENTS).annotate(
        contest=Coalesce("tournament", "rerun__rerun__tournament"),
        priority=Coalesce("tournament__priority", "rerun__rerun__tournament__priority"),
        format=Coalesce("tournament__format", "rerun__rerun__tournament__format"),
    )
