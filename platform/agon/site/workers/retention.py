"""Removes the records and standard error of matches that a competition keeps no longer.

A competition keeps those of its last `keep_days` days, and `keep_mib` MiB at most. Tournaments, their
re-runs, and assessments for milestones do not count, and theirs are never removed: an archive may have to be
made again, and a grade be shown.

Each match counts for the accounts in its seats: for each its standard error and an equal share of the
recording (Seat.stored_bytes). If there is too much, the account that takes the most room loses its oldest
first, so no account can crowd out what others keep. House bots play everyone and count for no account.
What a competition keeps is summed once a day, and else only what came since: most keep less than they may.

Results stay, and so does the digest of the record, from which the chain of results is made.
"""

import logging
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import NamedTuple

from django.core.cache import cache
from django.db import transaction
from django.db.models import Max, Min, QuerySet, Sum

from agon.site.competitions.models import Competition
from agon.site.core.db.leases import now
from agon.site.core.isolation import for_each_isolated
from agon.site.matches import packing, records
from agon.site.matches.models import Match, RemovedRecord, Seat, Stderr
from agon.site.matches.states import OVER, State

_KEPT = (Match.Kind.TOURNAMENT, Match.Kind.RERUN, Match.Kind.ASSESSMENT)
_COUNTED = [kind for kind in Match.Kind if kind not in _KEPT]
_AT_ONCE = 100  # matches in one transaction
_HOUSE = 0  # in place of the account of house bots
_SUMMED_AGAIN = 24 * 3600.0  # seconds
_ALL_DAYS = 36_500  # more of them may lead to before the calendar begins

log = logging.getLogger(__name__)


class _Sum(NamedTuple):
    """What the matches of a competition keep, up to the one with this number. until: in seconds of time()."""

    last: int = 0
    total: int = 0
    until: float = 0.0


def remove_expired() -> int:
    """Remove what each competition keeps no longer; returns the number of competitions that lost records."""
    return for_each_isolated(Competition.objects.all(), _remove_expired)


def _remove_expired(competition: Competition) -> bool:
    removed = _remove_old(competition) + _remove_excess(competition)
    if removed:
        log.info("%s: the records of %s matches were removed", competition.slug, removed)
    return removed > 0


def _remove_old(competition: Competition) -> int:
    if competition.keep_days is None:
        return 0
    begin = now() - timedelta(days=min(competition.keep_days, _ALL_DAYS))
    removed = 0
    while matches := list(_recorded(competition).filter(finished_at__lt=begin)[:_AT_ONCE]):
        _remove(matches)
        removed += len(matches)
    return removed


def _remove_excess(competition: Competition) -> int:
    known = _summed(competition)
    if known.total <= competition.keep_mib << 20:
        return 0
    used = _by_account(_counted(competition).filter(stored_bytes__gt=0))
    removed = 0
    for matches in _excess(competition, used):
        used -= _remove(matches)
        removed += len(matches)
    _remember(competition, known._replace(total=sum(used.values())))
    return removed


def _excess(competition: Competition, used: Counter[int]) -> Iterator[Sequence[Match]]:
    """Matches to remove, while the competition keeps too much. The caller updates `used`, by account."""
    while sum(used.values()) > competition.keep_mib << 20:
        account = max(used, key=lambda owner: (owner != _HOUSE, used[owner]))
        matches = _recorded(competition).distinct()
        if account != _HOUSE:
            matches = matches.filter(
                seats__submission__bot__owner=account, seats__submission__bot__house=False
            )
        oldest = list(matches[:_AT_ONCE])
        if not oldest:
            return
        yield oldest


def _recorded(competition: Competition) -> QuerySet[Match]:
    """The matches whose recordings may be removed, the oldest first."""
    finished = Match.objects.filter(competition=competition, state=State.FINISHED, kind__in=_COUNTED)
    return finished.filter(removed_record=None).select_related("recording").order_by("id")


def _summed(competition: Competition) -> _Sum:
    """What the competition keeps: the sum of an earlier look, and what came since."""
    known: _Sum = cache.get(_key(competition), _Sum())
    if known.until < time.time():
        known = _Sum(until=time.time() + _SUMMED_AGAIN)
    last = _last_over(competition)
    since = _counted(competition).filter(match__gt=known.last, match__lte=last)
    stored = since.aggregate(bytes=Sum("stored_bytes", default=0))["bytes"]
    known = known._replace(last=last, total=known.total + stored)
    _remember(competition, known)
    return known


def _remember(competition: Competition, known: _Sum) -> None:
    cache.set(_key(competition), known, _SUMMED_AGAIN)


def _key(competition: Competition) -> str:
    return f"kept-bytes:{competition.pk}"


def _last_over(competition: Competition) -> int:
    """The number of the last match before the first one that is not over, of those that count."""
    matches = Match.objects.filter(competition=competition)
    not_over = matches.filter(kind__in=_COUNTED, state__in=[state for state in State if state not in OVER])
    first: int | None = not_over.aggregate(first=Min("pk"))["first"]
    if first is not None:
        return first - 1
    last: int | None = matches.aggregate(last=Max("pk"))["last"]
    return last or 0


def _counted(competition: Competition) -> QuerySet[Seat]:
    """The seats of matches that count."""
    return Seat.objects.filter(match__competition=competition, match__kind__in=_COUNTED)


def _by_account(seats: QuerySet[Seat]) -> Counter[int]:
    """The bytes that are stored for these seats, by account; those of house bots under _HOUSE."""
    bot = "submission__bot__"
    rows = seats.order_by().values_list(f"{bot}owner", f"{bot}house").annotate(bytes=Sum("stored_bytes"))
    used: Counter[int] = Counter()
    for owner, house, stored in rows:
        used[_HOUSE if house else owner] += stored
    return used


@transaction.atomic
def _remove(matches: Sequence[Match]) -> Counter[int]:
    """Remove recordings and standard error of these matches of one competition.

    Returns what they took, by account.
    """
    pks = [match.pk for match in matches]
    seats = Seat.objects.filter(match__in=pks)
    freed = _by_account(seats)
    at = now()
    RemovedRecord.objects.bulk_create(
        (
            RemovedRecord(match=match, digest=records.digest(match), at=at)
            for match in records.of_many(matches)
        ),
        ignore_conflicts=True,
    )
    packing.remove(matches[0].competition_id, pks)
    Stderr.objects.filter(seat__match__in=pks).delete()
    seats.update(stored_bytes=0)
    return freed
