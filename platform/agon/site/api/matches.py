"""Matches: lists with filters, results, and the files of each."""

import hashlib
import json
from datetime import datetime
from functools import partial
from io import BytesIO
from typing import Annotated, Any

from django.db.models import Prefetch
from django.http import HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _
from ninja import Query, Router
from pydantic import Field

from agon.site.api import cursors, file_schemas, lookup
from agon.site.api.access import READ, reader, shown
from agon.site.api.cursors import MOST_ROWS, USUAL
from agon.site.api.problems import Problem
from agon.site.api.shapes import Page, Shape, choice_of, file_of_type, link
from agon.site.archives import services as archives
from agon.site.archives.seals import NotSigned
from agon.site.matches import records, transcript
from agon.site.matches.models import Fault, Match, Seat
from agon.site.matches.seated import SUBMISSION
from agon.site.matches.secret_names import may_know, without_secret
from agon.site.matches.states import OVER, State
from agon.site.tournaments.match_access import may_see_stderr, visible
from agon.site.web.core.downloads import download, ranged
from games.core import match_log_json
from games.core.record import BadRecord

router = Router(tags=["matches"])
RECORDED = "Not finished yet, or no longer kept."
# As attributes: a query set for the seats and faults of each match takes longer than the rest of a list.
FAULTS = Prefetch("faults", to_attr="all_faults")
SEATS = Prefetch("seats", Seat.objects.prefetch_related(FAULTS, SUBMISSION), to_attr="all_seats")


class FaultShape(Shape):
    kind: str = Field(description="start, timeout, crash, illegal, flood or memory")
    step: int = Field(description="The number of the ask, from 0.")
    reason: str


class SeatShape(Shape):
    """bot, version, submission: null while it is secret who plays here."""

    number: int = Field(description="From 0.")
    name: str | None
    bot: int | None
    submission: int | None
    version: int | None
    at_home: bool = Field(description="Its bot ran on its author's machine.")
    score: str | None = Field(description="A whole number or a fraction, as 12 or 7/2; null until finished.")
    rank: int | None = Field(description="1 is best, equal scores share a rank; null until finished.")
    faults: list[FaultShape]


class MatchShape(Shape):
    id: int
    competition: str
    kind: str
    state: str
    tournament: int | None
    round: int | None = Field(description="Of its tournament, from 0.")
    seats: list[SeatShape]
    seed: str | None = Field(description="Null while it is secret.")
    commitment: str = Field(description="The digest that commits to the seed.")
    steps: int
    seconds: float | None
    reason: str = Field(description="Why it is void or withdrawn; empty if it is not.")
    created: datetime
    finished: datetime | None
    url: str


def shape_of(match: Any, user: Any) -> dict[str, Any]:
    """match: with its competition and SEATS."""
    return MatchShape.from_row(
        match,
        competition=match.competition.slug,
        tournament=match.tournament_id,
        round=match.round if match.tournament_id else None,
        seats=[_seat(match, seat, user) for seat in match.all_seats],
        seed=str(match.seed) if match.seed_is_public else None,
        reason=str(match.reason),
        finished=match.finished_at,
        url=link(match.get_absolute_url()),
    )


def fault_shape(fault: Fault) -> dict[str, Any]:
    return {"kind": fault.kind, "step": fault.step, "reason": str(fault.reason)}


def _seat(match: Match, seat: Any, user: Any) -> dict[str, Any]:
    known = may_know(match, seat, user)
    return {
        "number": seat.number,
        "name": seat.name if known else None,
        "bot": seat.submission.bot_id if known else None,
        "submission": seat.submission_id if known else None,
        "version": seat.submission.number if known else None,
        "at_home": seat.submission.is_home,
        "score": seat.score or None,
        "rank": seat.rank,
        "faults": [fault_shape(fault) for fault in seat.all_faults],
    }


class MatchFilter(Shape):
    competition: str | None = None
    bot: int | None = Field(None, description="Matches in which this bot has a seat.")
    against: int | None = Field(None, description="And this one.")
    tournament: int | None = None
    state: Annotated[State, choice_of(State)] | None = None
    kind: Annotated[Match.Kind, choice_of(Match.Kind)] | None = None
    cursor: str | None = None
    limit: int = Field(USUAL, ge=1, le=MOST_ROWS)


@router.get("", response=Page[MatchShape])
def matches(request: Any, wanted: Query[MatchFilter]) -> dict[str, Any]:
    """The matches that the account may see, the newest first."""
    matches = shown(request, visible)
    if wanted.competition is not None:
        matches = matches.filter(competition=lookup.competition(wanted.competition))
    if wanted.bot is not None or wanted.against is not None:
        matches = without_secret(matches)  # a list by bot would say who plays
    for bot in (wanted.bot, wanted.against):
        if bot is not None:
            matches = matches.filter(
                pk__in=Seat.objects.filter(submission__bot=lookup.shown_bot(request, bot)).values("match")
            )
    if wanted.tournament is not None:
        matches = matches.filter(tournament=lookup.within(wanted.tournament))
    if wanted.state is not None:
        matches = matches.filter(state=wanted.state)
    if wanted.kind is not None:
        matches = matches.filter(kind=wanted.kind)
    matches = matches.prefetch_related("competition", "tournament", "comparison", SEATS)
    return cursors.newest_first(
        "matches",
        matches,
        wanted.cursor,
        wanted.limit,
        lambda match: shape_of(match, reader(request, match.competition)),
    )


@router.get("/{id}", response=MatchShape)
def match(request: Any, id: int) -> dict[str, Any]:
    """One match."""
    match = _match(request, id)
    return shape_of(match, reader(request, match.competition))


@router.get(
    "/{id}/record", openapi_extra=file_of_type("application/json", file_schemas.RECORD, status_409=RECORDED)
)
def record(request: Any, id: int) -> HttpResponse:
    """Its record, as canonical JSON: what `agon verify` replays."""
    match = _match(request, id)
    try:
        data = records.public_json(match)
    except (FileNotFoundError, ValueError):
        raise _no_record(match) from None
    return download(data, f"match-{id}.json", "application/json")


@router.get("/{id}/log", openapi_extra=file_of_type("application/json", status_409=RECORDED))
def log(request: Any, id: int) -> HttpResponse:
    """What the bots were sent and answered, and how long it took, as JSON."""
    match = _match(request, id)
    if match.state != Match.State.FINISHED:
        raise _no_record(match)
    try:
        data = match_log_json.to_data(records.public_log(match))
    except (FileNotFoundError, BadRecord):
        raise _no_record(match) from None
    if not match.seed_is_public:
        data["seed"] = None
    return HttpResponse(json.dumps(data), content_type="application/json")


@router.get("/{id}/archive", openapi_extra=file_of_type("application/zip", status_206="A range of it."))
def archive(request: Any, id: int) -> HttpResponseBase:
    """The match as a zip that `agon verify` checks. Standard error is in it if the account may see it."""
    match = _match(request, id)
    if not match.seed_is_public:
        raise _no_record(match)
    try:
        data = archives.of_match(match, partial(may_see_stderr, reader(request, match.competition)))
    except FileNotFoundError:
        raise _no_record(match) from None
    except NotSigned:
        raise Problem("unavailable", _("This file is being made."), retry_after=5) from None
    digest = hashlib.sha256(data).hexdigest()
    return ranged(request, lambda: BytesIO(data), len(data), digest, f"match-{id}.zip", "application/zip")


@router.get("/{id}/stderr/{seat}", auth=READ, openapi_extra=file_of_type("text/plain"))
def stderr(request: Any, id: int, seat: int) -> HttpResponse:
    """What the bot in a seat (from 0) wrote to standard error. For its owner, and organizers."""
    match = _match(request, id)
    user = reader(request, match.competition)
    chosen = next((seat_row for seat_row in match.all_seats if seat_row.number == seat), None)
    if chosen is None or not may_see_stderr(user, chosen) or not transcript.stderr(chosen):
        raise Problem("not_found", _("There is no standard error of this seat, or you may not see it."))
    return download(records.stderr(chosen), f"match-{id}-{seat}.stderr.txt", "text/plain; charset=utf-8")


def _match(request: Any, id: int) -> Any:
    """The match with its SEATS, if the account may see it."""
    matches = shown(request, visible)
    matches = matches.select_related("competition", "tournament", "comparison", "recording")
    return lookup.one(matches.prefetch_related(SEATS), id)


def _no_record(match: Match) -> Problem:
    if match.state not in OVER:
        return Problem("conflict", _("The match is not over yet: it is %(state)s.") % {"state": match.state})
    return Problem("not_found", _("The record of this match is not kept any more, or is still secret."))
