"""For operators: workers that are parked or paused, and attempts at matches that failed."""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Router
from pydantic import Field

from agon.site.api import cursors, lookup
from agon.site.api.access import OPERATE, check_competition, check_whole_account
from agon.site.api.cursors import USUAL, Limit
from agon.site.api.problems import Problem, invalid
from agon.site.api.shapes import Page, Shape
from agon.site.core.db.transitions import IllegalTransition
from agon.site.fleet import parking
from agon.site.fleet.models import OddWorker, PausedWorker
from agon.site.matches import leases
from agon.site.matches.models import FailedAttempt, Match
from agon.site.matches.states import OVER

router = Router(tags=["fleet"], auth=OPERATE)
PLAYING = timedelta(minutes=5)
PERMISSION = "fleet.change_oddworker"


class OddWorkerShape(Shape):
    """A worker that played differently from the others. A parked one claims no matches."""

    id: int
    worker: str
    competition: str | None = Field(description="None if it was parked before it had played.")
    state: str
    finding: str
    evidence: list[int] = Field(description="Matches.")
    found: datetime
    seen: datetime | None


class PausedWorkerShape(Shape):
    """A worker whose machine can fetch no programs, or has not proven itself; it tries again by itself."""

    worker: str
    details: str
    since: datetime


class WorkersShape(Shape):
    odd: list[OddWorkerShape]
    paused: list[PausedWorkerShape]
    playing: list[str] = Field(description="Those that claimed a match within 5 minutes.")


class FailedAttemptShape(Shape):
    id: int
    match: int
    kind: str
    details: str
    worker: str
    started: datetime
    ended: datetime


class Reason(Shape):
    reason: str = Field(min_length=1, max_length=500, description="For the log.")


class ParkedWorker(Reason):
    worker: str = Field(max_length=120, description="Its machine and its place there, as in /workers.")


class RequeuedShape(Shape):
    """state: queued again, held if its tournament is paused, or void after the third failed attempt."""

    id: int
    state: str
    attempt: int


@router.get("/workers", response=WorkersShape)
def workers(request: Any) -> dict[str, Any]:
    """The workers that play, and those that do not take part as the others do, and why."""
    _check(request)
    check_whole_account(request)
    odd = parking.unreleased().select_related("competition").order_by("found")
    return {
        "odd": [_odd(odd_worker) for odd_worker in odd],
        "paused": [
            {
                "worker": paused_worker.worker,
                "details": str(paused_worker.details),
                "since": paused_worker.since,
            }
            for paused_worker in PausedWorker.objects.order_by("worker")
        ],
        "playing": _playing(),
    }


@router.post("/workers/park", response=OddWorkerShape)
def park(request: Any, wanted: ParkedWorker) -> dict[str, Any]:
    """Let a worker claim no more matches, until it is released. It ends the match that it plays."""
    _check(request)
    check_whole_account(request)
    try:
        return _odd(parking.park(wanted.worker, request.user, wanted.reason))
    except parking.UnknownWorker:
        raise _unknown(wanted.worker) from None


@router.post("/workers/{id}/release", response=OddWorkerShape)
def release(request: Any, id: int, wanted: Reason) -> dict[str, Any]:
    """Let a parked worker claim matches again. Those that it has played are no evidence any more."""
    _check(request)
    check_whole_account(request)
    odd_worker = lookup.one(OddWorker.objects.select_related("competition"), id)
    if odd_worker.state != OddWorker.State.RELEASED:
        try:
            parking.release(odd_worker, request.user, wanted.reason)
        except IllegalTransition:
            raise Problem("conflict", _("The worker was released in this moment.")) from None
    return _odd(odd_worker)


@router.post("/matches/{id}/requeue", response=RequeuedShape)
def requeue(request: Any, id: int, wanted: Reason) -> dict[str, Any]:
    """Take a running match from its worker, which counts as a failed attempt. 200 if it waits already."""
    _check(request)
    match = lookup.one(Match.objects.select_related("competition"), id)
    check_competition(request, match.competition)
    if not leases.take_away(match, request.user, wanted.reason) and _is_over(match):
        raise Problem("conflict", _("The match is over."))
    match.refresh_from_db()
    return RequeuedShape.from_row(match)


@router.get("/failed-attempts", response=Page[FailedAttemptShape])
def failed_attempts(request: Any, cursor: str | None = None, limit: Limit = USUAL) -> dict[str, Any]:
    """Attempts at matches that the platform failed to play to their end, the newest first."""
    _check(request)
    attempts = FailedAttempt.objects.all()
    if request.token.competition is not None:
        attempts = attempts.filter(match__competition=request.token.competition)
    return cursors.newest_first("failed-attempts", attempts, cursor, limit, _failed)


def _failed(attempt: FailedAttempt) -> dict[str, Any]:
    return FailedAttemptShape.from_row(attempt, match=attempt.match_id, details=str(attempt.details))


def _odd(odd_worker: OddWorker) -> dict[str, Any]:
    return OddWorkerShape.from_row(
        odd_worker,
        competition=odd_worker.competition and odd_worker.competition.slug,
        finding=str(odd_worker.finding),
        evidence=list(odd_worker.finding.matches),
    )


def _playing() -> list[str]:
    return sorted(parking.playing_since(timezone.now() - PLAYING))


def _unknown(worker: str) -> Problem:
    detail = _("There is no worker “%(worker)s”. These play now: %(workers)s.")
    values = {"worker": worker, "workers": ", ".join(_playing()) or "–"}
    return invalid("/worker", detail % values)


def _is_over(match: Match) -> bool:
    match.refresh_from_db()
    return match.state in OVER


def _check(request: Any) -> None:
    if not request.user.has_perm(PERMISSION):
        raise Problem("not_allowed", _("Only operators may do this."))
