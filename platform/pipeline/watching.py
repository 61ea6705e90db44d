"""Watches the workers: compares them once an hour, and parks one that plays differently from the others.

What is compared, and when a difference counts, is described in contest.worker_watch. Each competition is
looked at by itself: its finished matches of the last look and before, LATEST at most. Matches of workers that
are parked are left out, and so are those that a worker played before it was released.

A worker is parked only if LEFT others go on, which claimed a match within the last hour on a core of their
own: of two workers that differ nobody can say which is the odd one, and a site with one goes on. Otherwise it
is only reported. Times of workers without a core of their own are not compared, since these play beside
others on the same cores.
"""

import logging
import zlib
from collections import defaultdict
from datetime import datetime, timedelta
from statistics import median

from django.db.models import F, QuerySet
from django.utils.translation import gettext_noop

from agon.db.leases import now
from agon.db.reasons import StoredReason, reason
from agon.isolation import for_each_isolated
from competitions.models import Competition
from contest.worker_watch import Finding, Kind, Observation, find_odd_worker
from games.core import timing
from games.core.record import BadRecord
from matches import parking
from matches.models import Fault, Match, Seat, Watch
from matches.states import State

EVERY = timedelta(hours=1)
LATEST = 1000  # matches of a competition that are compared
LEFT = 2  # workers that have to go on for one to be parked

_Times = bytes | memoryview | None  # as SQLite, as PostgreSQL gives them; older sites kept them elsewhere

SENTENCES = {
    Kind.SLOWER: gettext_noop("Answers take %(own)s times as long as on other workers."),
    Kind.TIMEOUTS: gettext_noop(
        "Time-outs: %(own)s in %(matches)s matches; %(others)s are expected from other workers."
    ),
    Kind.WINS_MORE: gettext_noop(
        "Wins in the seats compared: %(own)s in %(matches)s matches; "
        "%(others)s are expected from other workers."
    ),
}
SENTENCES[Kind.WINS_LESS] = SENTENCES[Kind.WINS_MORE]

log = logging.getLogger(__name__)


def tick() -> None:
    """Look at every competition that was not looked at within the last hour. Called every few seconds."""
    watched = Watch.objects.filter(looked__gt=now() - EVERY)
    due = Competition.objects.exclude(pk__in=watched.values("competition"))
    for_each_isolated(list(due), look)


def look(competition: Competition) -> Finding | None:
    """Compare the competition's workers, if it has finished matches since the last look; act on a finding."""
    watch, _ = Watch.objects.get_or_create(competition=competition)
    latest = _finished(competition).values_list("pk", flat=True).first() or 0
    changes = {"looked": now(), "latest": latest, "looks": F("looks") + (latest > watch.latest)}
    if not Watch.objects.filter(pk=watch.pk, looked=watch.looked).update(**changes):
        return None  # another process looks
    if latest <= watch.latest:
        return None
    finding = find_odd_worker(observations(competition), watch.looks + 1)
    if finding is not None:
        parking.note(finding.worker, competition, in_words(finding), park=_can_park(finding.worker))
    return finding


def observations(competition: Competition) -> list[Observation]:
    """One seat of each match that can be compared, in no order."""
    matches = _to_compare(competition)
    seats = (
        Seat.objects.filter(match__in=matches).order_by("number").values_list("match", "submission", "won")
    )
    sat: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    for match, submission, won in seats:
        sat[match].append((submission, won))
    late = set(
        Fault.objects.filter(seat__match__in=matches, kind="timeout").values_list(
            "seat__match", "seat__number"
        )
    )
    found = []
    for match, (place, times) in matches.items():
        number = match % len(sat[match])
        submission, won = sat[match][number]
        seconds = _typical_seconds(times, number) if parking.has_a_core(place) else None
        found.append(Observation(match, place, submission, seconds, won, (match, number) in late))
    return found


def in_words(finding: Finding) -> StoredReason:
    slower = finding.kind is Kind.SLOWER
    return reason(
        SENTENCES[finding.kind],
        finding.kind.value,
        finding.matches,
        own=f"{finding.own:.2f}" if slower else int(finding.own),
        others=f"{finding.others:.1f}",
        matches=len(finding.matches),
    )


def _finished(competition: Competition) -> QuerySet[Match]:
    return Match.objects.filter(competition=competition, state=State.FINISHED).order_by("-pk")


def _to_compare(competition: Competition) -> dict[int, tuple[str, _Times]]:
    """Where each match was played, and its times."""
    out = set(parking.unreleased().values_list("worker", flat=True))
    settled = parking.settled()
    rows = _finished(competition).values_list("pk", "worker", "finished_at", "recording__times")[:LATEST]
    found: dict[int, tuple[str, _Times]] = {}
    for match, worker, ended, times in rows:
        place = parking.place_of(worker)
        if place is not None and place not in out and not _is_settled(settled.get(place), ended):
            found[match] = place, times
    return found


def _is_settled(until: datetime | None, ended: datetime | None) -> bool:
    return until is not None and ended is not None and ended <= until


def _typical_seconds(times: _Times, seat: int) -> float | None:
    """The median time of the seat's answers; None where it was never asked, or no times are stored."""
    try:
        wall_us = timing.from_json(zlib.decompress(times or b"")).seats[seat].wall_us
    except (zlib.error, BadRecord, IndexError):
        return None
    return median(wall_us) / 1e6 if wall_us else None


def _can_park(place: str) -> bool:
    return len(parking.playing_since(now() - EVERY) - {place}) >= LEFT
