"""Keeps the published ratings of a competition up to date with its results.

Theory of operation.

Processes:
- The worker that has written a result fits once the result is committed (`keep_up`), between two matches. If
  a fit began a moment ago, it sends the notice `agon.site.workers.tasks.rate` instead, and a free worker fits
  as soon as another fit may begin.
- Fits use a twentieth of one core's time, or half of it if they are long: the pause between two is PAUSES
  times the last one's duration, at most MOST_PAUSE, and never less than twice that duration.
- A fit reads the counts without a lock: results that arrive meanwhile are in the next fit. It is written only
  if no other fit has begun since.

Failure:
- The leaderboard's row has the watermark of the last fit: the sum of all ratings' matches, which every result
  raises, and the number of changes of its bots. If these have grown since, the sweeper fits (`tick`). So a
  process that dies, or a notice that is lost, delays a fit by a few seconds.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction
from django.db.models import F, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from agon.site.bots.models import Submission
from agon.site.bots.reasons import STOPPED
from agon.site.bots.states import State
from agon.site.core.db.bulk import update_rows
from agon.site.core.db.leases import now
from agon.site.core.isolation import for_each_isolated
from agon.site.core.queue.notify import request_task
from agon.site.leaderboards import history
from agon.site.leaderboards.models import Leaderboard, PairCount, Rated, Rating
from agon.site.teams.queries import groups
from agon.statistics.ratings.counts import Pair

PAUSES = 20.0
MOST_PAUSE = 0.5  # seconds
MOST_RATINGS = 1500  # ratings that are fitted, unless more are on the leaderboard: time grows with their cube
TASK = "agon.site.workers.tasks.rate"
CHUNK = 500  # ratings written by one statement

log = logging.getLogger(__name__)
_notified: dict[int, float] = {}  # when this process last sent a notice, by competition; monotonic seconds


class Watermark(NamedTuple):
    """The amount of data to fit: it grows with every result and every change of the leaderboard's bots."""

    changes: int
    played: int


class Digits(NamedTuple):
    """The published values of a rating: the fields that a fit writes."""

    rating: float
    low: float | None
    high: float | None
    best: int
    worst: int


def keep_up(competition: int) -> None:
    """Fit now, or ask a worker to do it in a moment, if there is anything new."""
    if not is_behind(competition):
        return
    reserved_until = _reserve(competition)
    if reserved_until is not None:
        _fit(competition, reserved_until)
    elif time.monotonic() > _notified.get(competition, 0.0) + MOST_PAUSE / 2:
        _notified[competition] = time.monotonic()
        request_task(TASK, "interactive", competition)


def catch_up(competition: int) -> None:
    """Wait until the next fit may begin, at most twice MOST_PAUSE, and fit unless another process did."""
    end = time.monotonic() + 2 * MOST_PAUSE
    while is_behind(competition) and time.monotonic() < end:
        reserved_until = _reserve(competition)
        if reserved_until is not None:
            _fit(competition, reserved_until)
        else:
            time.sleep(MOST_PAUSE / 10)


@transaction.atomic
def fit_now(competition: int) -> None:
    """Fit even if nothing is new, or another process is about to fit."""
    Leaderboard.objects.get_or_create(competition_id=competition)
    reserved_until = now()
    Leaderboard.objects.filter(competition=competition).update(next_fit=reserved_until)
    _fit(competition, reserved_until)


def tick() -> None:
    """Fit what fell behind. Called by the sweeper."""
    for_each_isolated(list(_behind().values_list("competition", flat=True)), keep_up)


def is_behind(competition: int) -> bool:
    """Whether there are results, or changes of the leaderboard's bots, that the last fit did not know."""
    return _behind().filter(competition=competition).exists()


def _behind() -> QuerySet[Leaderboard]:
    """The leaderboards whose last fit had another watermark than their data now."""
    counted = Leaderboard.objects.annotate(played=Coalesce(Sum("competition__ratings__played"), 0))
    return counted.exclude(changes=F("fitted_changes"), played=F("fitted_played"))


def compute(competition: int, pairs: Sequence[Pair] | None = None, warm: bool = True) -> dict[int, Digits]:
    """Fit the ratings to `pairs`, or to the stored counts; returns what to publish, by rating.

    warm: start from the current ratings, which takes less time.
    """
    # Only here: numpy takes long to import, and few processes of a site ever fit.
    from agon.statistics.ratings.fit import fit
    from agon.statistics.ratings.published import publish, strengths

    if pairs is None:
        pairs = stored_pairs(competition)
    shown = _active_ratings(competition)
    start, predecessors = _ratings_to_fit(competition, {rating.pk for _, rating in shown})
    counting = start.keys() - _barred(competition)
    pairs = [pair for pair in pairs if pair.first in counting and pair.second in counting]
    fitted = fit(start, pairs, predecessors, strengths(start) if warm else None, authors_of(competition))
    digits = publish(fitted, *_anchors_and_ranked(shown))
    return {pk: Digits(*published) for pk, published in digits.items()}


def stored_pairs(competition: int) -> list[Pair]:
    stored = PairCount.objects.filter(competition=competition)
    return [Pair(*row) for row in stored.values_list("first", "second", *Pair._fields[2:])]


def authors_of(competition: int) -> dict[int, int]:
    """The author of each rating; house bots have none. Teams and people who share a member are one."""
    rated = Rated.objects.filter(rating__competition=competition, submission__bot__house=False)
    owners = dict(rated.values_list("rating", "submission__bot__owner"))
    shared = groups(owners.values())
    return {rating: shared[owner] for rating, owner in owners.items()}


def _barred(competition: int) -> set[int]:
    """The ratings whose results do not count: an administrator stopped all bots that share them.

    A bot that the rule for void matches stopped keeps its results: its owner could bring that about.
    """
    rated = Rated.objects.filter(rating__competition=competition)
    bots = list(rated.values_list("rating", "submission__bot__reason"))
    return {rating for rating, _ in bots} - {rating for rating, why in bots if why.code != STOPPED}


def _ratings_to_fit(competition: int, shown: set[int]) -> tuple[dict[int, float], dict[int, int]]:
    """The current values of the ratings to fit, and for each the nearest earlier version that is fitted, too.

    Those on the leaderboard are fitted, and up to MOST_RATINGS altogether of those that played most.
    """
    rows = Rating.objects.filter(competition=competition).values_list("pk", "predecessor", "rating", "played")
    before = {pk: predecessor for pk, predecessor, _, _ in rows}
    in_order = sorted(rows, key=lambda row: (row[0] not in shown, -row[3], row[0]))
    start = {pk: rating for pk, _, rating, _ in in_order[: max(MOST_RATINGS, len(shown))]}
    predecessors: dict[int, int] = {}
    for pk in start:
        earlier = before[pk]
        while earlier is not None and earlier not in start:
            earlier = before[earlier]
        if earlier is not None:
            predecessors[pk] = earlier
    return start, predecessors


def _active_ratings(competition: int) -> list[tuple[bool, Rating]]:
    """The ratings of all active submissions, each with whether it is a house bot's."""
    active = Submission.objects.filter(bot__competition=competition, state=State.ACTIVE, rated__isnull=False)
    return [
        (submission.bot.house, submission.rated.rating)
        for submission in active.select_related("bot", "rated__rating")
    ]


def _anchors_and_ranked(shown: Sequence[tuple[bool, Rating]]) -> tuple[list[int], list[int]]:
    """The ratings that anchor the scale, the house bots' or else all, and those that are ranked."""
    house = [rating.pk for is_house, rating in shown if is_house and rating.is_known]
    known = [rating.pk for _, rating in shown if rating.is_known]
    ranked = [rating.pk for _, rating in shown if not rating.is_provisional]
    return sorted(house or known), sorted(ranked)


def _watermark(competition: int) -> Watermark:
    changes = Leaderboard.objects.filter(competition=competition).values_list("changes", flat=True).first()
    played = Rating.objects.filter(competition=competition).aggregate(all=Sum("played"))["all"]
    return Watermark(changes or 0, played or 0)


def _reserve(competition: int) -> datetime | None:
    """Reserve the right to fit; None if a fit began a moment ago.

    Returns the time before which no other fit may begin. It also identifies the reservation.
    """
    moment = now()
    board = Leaderboard.objects.filter(competition=competition)
    seconds = board.values_list("fit_seconds", flat=True).first() or 0.0
    pause = max(min(PAUSES * seconds, MOST_PAUSE), 2 * seconds)
    reserved_until = moment + timedelta(seconds=pause)
    free = board.filter(Q(next_fit=None) | Q(next_fit__lte=moment))
    return reserved_until if free.update(next_fit=reserved_until) else None


def _fit(competition: int, reserved_until: datetime) -> None:
    start = time.monotonic()
    watermark = _watermark(competition)  # before the counts: what is counted in between is fitted again
    published = compute(competition)
    _write(competition, reserved_until, watermark, published, start)


@transaction.atomic
def _write(
    competition: int,
    reserved_until: datetime,
    watermark: Watermark,
    published: dict[int, Digits],
    start: float,
) -> None:
    board = Leaderboard.objects.select_for_update(no_key=True).get(competition=competition)
    if board.next_fit != reserved_until:  # another fit has begun: let the next ones have more time
        board.fit_seconds = max(board.fit_seconds, time.monotonic() - start)
        board.save(update_fields=["fit_seconds"])
        return
    stored = Rating.objects.select_for_update(no_key=True).filter(competition=competition).order_by("pk")
    before = {pk: Digits(*rest) for pk, *rest in stored.values_list("pk", *Digits._fields)}
    changed = [(pk, *digits) for pk, digits in published.items() if pk in before and before[pk] != digits]
    for first in range(0, len(changed), CHUNK):
        update_rows(Rating, ["id"], Digits._fields, changed[first : first + CHUNK])
    board.version += 1
    board.fitted_changes, board.fitted_played = watermark
    board.fit_seconds = time.monotonic() - start
    history.record(board, now())
    board.save(update_fields=["version", "fitted_changes", "fitted_played", "fit_seconds", "recorded"])
