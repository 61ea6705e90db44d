"""Compares the workers once an hour, and parks one that plays differently from the others.

agon.statistics.worker_watch says what is compared, and when a difference counts. Each competition is examined
by itself. Matches of parked workers are left out, and so are those that a worker played before it was
released.

A worker is parked only if enough others keep playing (parking.can_park). Of two workers that differ, either
may be the odd one; and at most half may be parked, in case authors make their bots fail on some. Otherwise a
worker is only reported. The times of a worker without a core of its own are not compared, since it shares its
cores with others.
"""

import logging
from datetime import datetime, timedelta
from itertools import chain, groupby, repeat
from operator import itemgetter

from django.db.models import F, QuerySet

from agon.site.competitions.models import Competition
from agon.site.core.db.leases import now
from agon.site.core.isolation import for_each_isolated
from agon.site.core.texts.reasons import StoredReason
from agon.site.fleet import parking
from agon.site.fleet.models import Watch
from agon.site.matches import records
from agon.site.matches.models import Fault, Match, Seat
from agon.site.matches.states import State
from agon.site.matches.worker_names import has_a_core, place_of
from agon.statistics.worker_watch import (
    WINDOWS,
    Finding,
    Kind,
    MatchSeen,
    SeatSeen,
    find_odd_worker,
    typical_seconds,
)
from games.core import timing
from games.core.record import BadRecord

EVERY = timedelta(hours=1)
AT_ONCE = 2  # competitions; one takes half a second, and other work of the sweep waits meanwhile

CODES = {
    Kind.SLOWER: "worker_slower",
    Kind.TIMEOUTS: "worker_timeouts",
    Kind.WINS_MORE: "worker_wins",
    Kind.WINS_LESS: "worker_wins",
}

log = logging.getLogger(__name__)


def tick() -> None:
    """Examine a few competitions that were not examined within the last hour. Called every few seconds."""
    watched = Watch.objects.filter(looked__gt=now() - EVERY)
    due = Competition.objects.exclude(pk__in=watched.values("competition"))
    for_each_isolated(list(due.order_by("?")[:AT_ONCE]), examine)  # of very many none is always the last


def examine(competition: Competition) -> Finding | None:
    """Compare the competition's workers, and park or report the odd one, which is returned.

    Does nothing if no match has ended since the last time.
    """
    watch, _ = Watch.objects.get_or_create(competition=competition)
    latest = _finished(competition).values_list("pk", flat=True).first() or 0
    changes = {"looked": now(), "latest": latest, "looks": F("looks") + int(latest > watch.latest)}
    if not Watch.objects.filter(pk=watch.pk, looked=watch.looked).update(**changes):
        return None  # another process is examining it
    if latest <= watch.latest:
        return None
    finding = find_odd_worker(observations(competition), watch.looks + 1)
    if finding is not None:
        parking.record_finding(
            finding.worker, competition, reason_of(finding), park=parking.can_park(finding.worker)
        )
    return finding


def observations(competition: Competition) -> list[MatchSeen]:
    """The latest finished matches whose workers can be compared, in no order."""
    matches = _to_compare(competition)
    timeouts = set(
        Fault.objects.filter(seat__match__in=matches, kind="timeout").values_list(
            "seat__match", "seat__number"
        )
    )
    fields = ("match", "number", "submission", "won", "submission__bot__house", "submission__bot__owner")
    rows = Seat.objects.filter(match__in=matches).order_by("match", "number").values_list(*fields)
    observations = []
    for number, seats in groupby(rows, itemgetter(0)):
        place, times = matches[number]
        seconds = _seconds(times) if has_a_core(place) else []
        of_seats = tuple(
            SeatSeen(submission, typical, won, (number, seat) in timeouts, None if house else owner)
            for (_, seat, submission, won, house, owner), typical in zip(
                seats, chain(seconds, repeat(None)), strict=False
            )
        )
        observations.append(MatchSeen(number, place, of_seats))
    return observations


def reason_of(finding: Finding) -> StoredReason:
    """The finding as a sentence, for the administrators' page."""
    slower = finding.kind is Kind.SLOWER
    return StoredReason(
        CODES[finding.kind],
        ids=tuple(finding.matches),
        own=round(finding.own, 2) if slower else int(finding.own),
        others=round(finding.others, 1),
        matches=len(finding.matches),
    )


def _finished(competition: Competition) -> QuerySet[Match]:
    """Without those with a bot at home, whose times are not the workers'."""
    finished = Match.objects.filter(competition=competition, state=State.FINISHED)
    return finished.exclude(queue=Match.Queue.HOME).order_by("-pk")


def _to_compare(competition: Competition) -> dict[int, tuple[str, bytes]]:
    """For each match the place of its worker, and its times."""
    unreleased = set(parking.unreleased().values_list("worker", flat=True))
    release_times = parking.release_times()
    of_recording = ("recording__record", "recording__files", "recording__log")
    matches = _finished(competition).select_related("recording").defer(*of_recording)[: max(WINDOWS)]
    to_compare: dict[int, tuple[str, bytes]] = {}
    for match in records.of_many(matches):
        place = place_of(match.worker)
        if place not in unreleased and not _is_settled(release_times.get(place), match.finished_at):
            to_compare[match.pk] = place, records.times_json(match)
    return to_compare


def _is_settled(until: datetime | None, ended: datetime | None) -> bool:
    return until is not None and ended is not None and ended <= until


def _seconds(times: bytes) -> list[float | None]:
    """The typical time of each seat's answers; [] where no times are stored."""
    try:
        seats = timing.from_json(times).seats
    except BadRecord:
        return []
    return [typical_seconds([wall_us / 1e6 for wall_us in seat.wall_us]) for seat in seats]
