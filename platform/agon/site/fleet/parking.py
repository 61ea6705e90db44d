"""Parks workers that play differently from the others (agon.site.fleet.watching): they claim no more matches.

A worker is a place on a machine (agon.site.matches.worker_names): its process may be restarted.
A parked worker finishes its match and continues to build. It passes notices of matches on to other workers.
"""

import logging
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet

from agon.site.accounts.models import User
from agon.site.audit import acts
from agon.site.audit.acts import LONGEST_REASON
from agon.site.audit.verbs import Verb
from agon.site.competitions.models import Competition
from agon.site.core.db.leases import now
from agon.site.core.texts.reasons import StoredReason, in_english
from agon.site.fleet import states
from agon.site.fleet.models import OddWorker, Process
from agon.site.fleet.states import WorkerState
from agon.site.matches.models import Match
from agon.site.matches.worker_names import has_a_core, place_of

NOTED_EVERY = timedelta(minutes=1)  # that a parked worker was seen
LATELY = timedelta(hours=1)
OTHERS = 2  # workers that must keep playing when one is parked

log = logging.getLogger(__name__)


def is_parked(worker: str) -> bool:
    """Whether a worker, named as a match stores it, is parked. If so, notes that it was seen."""
    row = parked().filter(worker=place_of(worker))
    odd_workers = row.values_list("seen", flat=True)[:1]
    if not odd_workers:
        return False
    if odd_workers[0] is None or odd_workers[0] < now() - NOTED_EVERY:
        row.update(seen=now())
    return True


def parked() -> QuerySet[OddWorker]:
    """The workers that claim no matches."""
    return OddWorker.objects.filter(state=WorkerState.PARKED)


def unreleased() -> QuerySet[OddWorker]:
    """The workers that are parked, or reported and not yet released."""
    return OddWorker.objects.exclude(state=WorkerState.RELEASED)


def record_finding(place: str, competition: Competition, finding: StoredReason, park: bool) -> None:
    """Store what was found about a worker. park: whether it claims no more matches from now on."""
    state = WorkerState.PARKED if park else WorkerState.REPORTED
    found_at = now()
    fields = {
        "competition": competition,
        "state": state,
        "finding": finding,
        "found": found_at,
        "seen": found_at,
    }
    with transaction.atomic():
        _odd, is_new = OddWorker.objects.get_or_create(
            {**fields, "worker": place}, worker=place, state__in=(WorkerState.PARKED, WorkerState.REPORTED)
        )
        if is_new and park:
            why = in_english(finding)[:LONGEST_REASON]
            acts.record(Verb.PARK, None, competition, subject=place, reason=why)
    if is_new:
        log.warning("worker %s is %s: %s (matches %s)", place, state, finding, list(finding.matches))


def can_park(place: str) -> bool:
    """Whether the site itself may park this worker: at least OTHERS others, and half of all, keep playing.

    Those are the workers that claimed a match within the last hour on a core of their own. Parked workers
    count if they wanted to play within that hour; the others are gone.
    """
    lately = now() - LATELY
    others = playing_since(lately) - {place}
    return len(others) >= max(OTHERS, 1 + parked().filter(seen__gte=lately).count())


class UnknownWorker(Exception):
    """No worker of this name has ever claimed a match, or said that it is there."""


@transaction.atomic
def park(place: str, by: User, why: str) -> OddWorker:
    """Let a worker, `machine:place`, claim no more matches. One that is parked stays as it is.

    Raises UnknownWorker.
    """
    latest = Match.objects.filter(worker__startswith=f"{place}:").select_related("competition").last()
    if latest is not None and place_of(latest.worker) != place:
        latest = None
    if latest is None and not _has_said_that_it_is_there(place):
        raise UnknownWorker
    found_at = now()
    finding = StoredReason("parked_by_staff", words=why)
    competition = None if latest is None else latest.competition
    fields = {"competition": competition, "finding": finding, "found": found_at, "seen": found_at}
    odd, is_new = OddWorker.objects.select_for_update().get_or_create(
        {**fields, "worker": place, "state": WorkerState.PARKED},
        worker=place,
        state__in=(WorkerState.PARKED, WorkerState.REPORTED),
    )
    if is_new or odd.state == WorkerState.REPORTED:
        if not is_new:
            odd.move_locked(states.PARK)
        acts.record(Verb.PARK, by, odd.competition, subject=place, reason=why)
        log.warning("worker %s is parked: %s", place, why)
    return odd


def drain(machine: str, by: User, why: str) -> list[OddWorker]:
    """Park all workers of the machine that are there to play; returns them. Each ends its match first."""
    players = Process.objects.filter(kind=Process.Kind.PLAYER, machine=machine, stopped=False)
    places = {place_of(facts.get("worker", "")) for facts in players.values_list("facts", flat=True)}
    return [park(place, by, why) for place in sorted(places - {""})]


def _has_said_that_it_is_there(place: str) -> bool:
    players = Process.objects.filter(kind=Process.Kind.PLAYER, facts__worker__startswith=f"{place}:")
    return any(place_of(facts["worker"]) == place for facts in players.values_list("facts", flat=True))


def release(odd: OddWorker, by: User | None = None, why: str = "") -> None:
    """Let a worker claim matches again. Those that it has played no longer count as evidence.

    by: None for the operator of the site, at its command line.
    """
    with transaction.atomic():
        odd.move(states.RELEASE, released=now())
        acts.record(Verb.RELEASE_WORKER, by, odd.competition, subject=odd.worker, reason=why)
    log.warning("worker %s is released", odd.worker)


def release_times() -> dict[str, datetime]:
    """When each worker was last released: its matches until then are no evidence."""
    rows = OddWorker.objects.filter(state=WorkerState.RELEASED)
    pairs = rows.order_by("released").values_list("worker", "released")
    return {worker: released for worker, released in pairs if released is not None}


def playing_since(moment: datetime) -> set[str]:
    """Workers with a core of their own that claimed a match since `moment` and are not parked."""
    claimed = Match.objects.filter(started__gte=moment).exclude(worker="")
    places = {place_of(worker) for worker in claimed.values_list("worker", flat=True).distinct()}
    parked_places = set(parked().values_list("worker", flat=True))
    return {place for place in places if has_a_core(place)} - parked_places
