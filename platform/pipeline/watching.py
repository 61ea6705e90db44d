"""Watches the workers: compares them once an hour, and parks one that plays differently from the others.

What is compared, and when a difference counts, is described in contest.worker_watch. Each competition is
looked at by itself. Matches of workers that are parked are left out, and so are those that a worker played
before it was released.

A worker is parked only if LEFT others go on, which claimed a match within the last hour on a core of their
own: of two workers that differ it is unknown which is the odd one, and a site with one goes on. At most half
of the workers are parked, in case several authors make their bots fail on some. Otherwise a worker is only
reported. Times of workers without a core of their own are not compared, since these play beside
others on the same cores.
"""

import logging
import zlib
from datetime import datetime, timedelta
from itertools import chain, groupby, repeat
from operator import itemgetter

from django.db.models import F, QuerySet
from django.utils.translation import gettext_noop

from agon.db.leases import now
from agon.db.reasons import StoredReason, reason
from agon.isolation import for_each_isolated
from competitions.models import Competition
from contest.worker_watch import WINDOWS, Finding, Kind, MatchSeen, SeatSeen, find_odd_worker, typical_seconds
from games.core import timing
from games.core.record import BadRecord
from matches import parking
from matches.models import Fault, Match, Seat, Watch
from matches.states import State

EVERY = timedelta(hours=1)
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
    changes = {"looked": now(), "latest": latest, "looks": F("looks") + int(latest > watch.latest)}
    if not Watch.objects.filter(pk=watch.pk, looked=watch.looked).update(**changes):
        return None  # another process looks
    if latest <= watch.latest:
        return None
    finding = find_odd_worker(observations(competition), watch.looks + 1)
    if finding is not None:
        parking.note(finding.worker, competition, in_words(finding), park=_can_park(finding.worker))
    return finding


def observations(competition: Competition) -> list[MatchSeen]:
    """The matches that can be compared, in no order."""
    matches = _to_compare(competition)
    late = set(
        Fault.objects.filter(seat__match__in=matches, kind="timeout").values_list(
            "seat__match", "seat__number"
        )
    )
    fields = ("match", "number", "submission", "won", "submission__bot__house", "submission__bot__owner")
    rows = Seat.objects.filter(match__in=matches).order_by("match", "number").values_list(*fields)
    found = []
    for number, seats in groupby(rows, itemgetter(0)):
        place, times = matches[number]
        seconds = _seconds(times) if parking.has_a_core(place) else []
        of_seats = tuple(
            SeatSeen(submission, typical, won, (number, seat) in late, None if house else owner)
            for (_, seat, submission, won, house, owner), typical in zip(
                seats, chain(seconds, repeat(None)), strict=False
            )
        )
        found.append(MatchSeen(number, place, of_seats))
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
    rows = _finished(competition).values_list("pk", "worker", "finished_at", "recording__times")[
        : max(WINDOWS)
    ]
    found: dict[int, tuple[str, _Times]] = {}
    for match, worker, ended, times in rows:
        place = parking.place_of(worker)
        if place is not None and place not in out and not _is_settled(settled.get(place), ended):
            found[match] = place, times
    return found


def _is_settled(until: datetime | None, ended: datetime | None) -> bool:
    return until is not None and ended is not None and ended <= until


def _seconds(times: _Times) -> list[float | None]:
    """The typical time of each seat's answers; [] where no times are stored."""
    try:
        seats = timing.from_json(zlib.decompress(times or b"")).seats
    except (zlib.error, BadRecord):
        return []
    return [typical_seconds([wall_us / 1e6 for wall_us in seat.wall_us]) for seat in seats]


def _can_park(place: str) -> bool:
    others = parking.playing_since(now() - EVERY) - {place}
    return len(others) >= max(LEFT, 1 + parking.parked().count())
