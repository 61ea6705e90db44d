"""Parks a worker that fails whatever it is given (agon.statistics.failing_workers).

The finding names the matches. An operator releases it, as one that plays differently (watching.py). As there,
at least half of all workers keep playing. What a worker failed before it was released is no evidence.
"""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta

from agon.contest.attempts import FailureKind
from agon.site.competitions.models import Competition
from agon.site.core.db.leases import now
from agon.site.core.isolation import for_each_isolated
from agon.site.core.texts.reasons import StoredReason
from agon.site.fleet import parking
from agon.site.matches.models import FailedAttempt, Match, Seat
from agon.site.matches.states import State
from agon.site.matches.worker_names import place_of
from agon.site.teams.queries import groups
from agon.statistics.failing_workers import LEAST_MATCHES, is_failing

WITHIN = timedelta(hours=1)
MOST_ATTEMPTS = 1000  # attempts that are looked at
# Failures of a match, wherever it is played.
NOT_OF_THE_MACHINE = (FailureKind.ARTIFACT, FailureKind.REFEREE, FailureKind.OVERTIME)

log = logging.getLogger(__name__)


def tick() -> None:
    """Park each worker that failed at LEAST_MATCHES in a row. Called every few seconds; mostly one query."""
    lately = FailedAttempt.objects.filter(ended__gt=now() - WITHIN).exclude(kind__in=NOT_OF_THE_MACHINE)
    rows = list(lately.order_by("-ended").values_list("worker", "match", "started")[:MOST_ATTEMPTS])
    runs: dict[str, dict[int, datetime]] = {}
    for worker, match, started in rows:
        runs.setdefault(place_of(worker), {})[match] = started
    suspects = [place for place, run in runs.items() if len(run) >= LEAST_MATCHES]
    if suspects:
        unreleased = set(parking.unreleased().values_list("worker", flat=True))
        for_each_isolated(
            [place for place in suspects if place not in unreleased],
            lambda place: _examine(place, runs[place]),
        )


def _examine(place: str, run: Mapping[int, datetime]) -> None:
    """run: the matches that it failed lately, and when it began them."""
    ended = Match.objects.filter(state=State.FINISHED, finished_at__gt=now() - WITHIN)
    latest = (
        ended.filter(worker__startswith=f"{place}:")
        .order_by("-finished_at")
        .values_list("finished_at", flat=True)
    )
    since = max([at for at in (latest.first(), parking.release_times().get(place)) if at], default=None)
    failed = {match: began for match, began in run.items() if since is None or began > since}
    if len(failed) < LEAST_MATCHES:
        return
    others = ended.filter(finished_at__gt=min(failed.values())).exclude(worker__startswith=f"{place}:")
    if not is_failing(_authors(failed), others.exclude(worker="")[:LEAST_MATCHES].count()):
        return
    finding = StoredReason("worker_fails", ids=tuple(sorted(failed)), matches=len(failed))
    competition = Competition.objects.filter(matches__in=failed).order_by("pk").first()
    assert competition is not None
    parking.record_finding(place, competition, finding, park=parking.can_park(place))


def _authors(matches: Mapping[int, datetime]) -> dict[int, set[int | None]]:
    rows = Seat.objects.filter(match__in=matches).values_list(
        "match", "submission__bot__house", "submission__bot__owner"
    )
    authors: dict[int, set[int | None]] = {match: set() for match in matches}
    seats = list(rows)
    one_of = groups({owner for _, _, owner in seats})
    for match, house, owner in seats:
        authors[match].add(None if house else one_of[owner])
    return authors
