"""Tournaments: what everyone may read of them."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Query, Router
from pydantic import Field

from agon.contest.formats.trf import to_trf
from agon.site.accounts.models import User
from agon.site.api import cursors, lookup
from agon.site.api.access import reader, shown
from agon.site.api.cursors import USUAL, Limit
from agon.site.api.problems import Problem
from agon.site.api.shapes import Page, Shape, choice_of, file_of_type, link
from agon.site.archives import storing
from agon.site.archives.models import Download
from agon.site.audit.models import Act
from agon.site.tournaments import outlook, rights, scheduling, services
from agon.site.tournaments.deciding import next_to_decide, round_in_play
from agon.site.tournaments.match_access import may_see_records
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.running import prizes_of, revealed_rows, sees_results
from agon.site.tournaments.standings import recent_standings
from agon.site.tournaments.states import State
from agon.site.web.core.downloads import ranged
from agon.site.web.tournaments.descriptions import describe_ties, follows
from agon.site.web.tournaments.matrix import to_csv
from games.core.wording import exact

router = Router(tags=["tournaments"])
BEING_MADE = "It is being made; try again."


class EntrantShape(Shape):
    number: int = Field(description="In the order of entry, from 0.")
    bot: int
    name: str
    submission: int | None = Field(description="Frozen at the start.")
    left: str = Field(description="withdrawn, disqualified or stopped; empty if it has not left.")
    reason: str


class ProgressShape(Shape):
    """Numbers of matches. void: how many of those that are over have no result."""

    total: int
    done: int
    void: int
    running: int
    is_estimate: bool = Field(description="Whether there may be more or fewer than `total`.")
    seconds_left: float | None = Field(description="At the mean time of a match. See `ends_from`, `ends_to`.")
    round: int | None = Field(
        description="The one in play, from 1; null where the format does not count them."
    )
    ends_from: datetime | None = Field(
        description="It is likely to be over between this and `ends_to`, at the pace of its latest matches."
        " Null if that cannot be said."
    )
    ends_to: datetime | None


class CostShape(Shape):
    """What a draft takes if it starts now."""

    entrants: int
    matches: int = Field(description="Exactly, or at most where `likely` is not null.")
    likely: int | None
    rounds: int
    worker_seconds: float | None = Field(description="Null if no match of the competition was measured.")
    workers: int = Field(description="That have played in the last hour.")
    seconds: float | None = Field(description="If these workers play nothing else. Null without any.")


class MeetingShape(Shape):
    """Entrants that meet. points: in this pairing so far, exact; empty where they do not matter."""

    entrants: list[int]
    names: list[str]
    points: list[str]
    matches: int = Field(description="How many of their matches are open.")


class StageShape(Shape):
    """A stage of a bracket that is in play. of: null if later stages are not known."""

    bracket: str
    title: str
    number: int
    of: int | None


class NextShape(Shape):
    """What decides next in a running tournament."""

    stages: list[StageShape]
    top: int | None = Field(description="Among how many first places `open` is; null: all that is in play.")
    open: list[MeetingShape]
    more: int = Field(description="How many meetings are open besides.")
    follows: str = Field(description="What happens when they are over, in the language of the request.")


class TournamentItemShape(Shape):
    """A tournament in a list."""

    id: int
    name: str
    competition: str
    format: str
    state: str
    organizer: str
    starts_at: datetime | None
    started: datetime | None
    finished: datetime | None
    url: str


class TournamentShape(TournamentItemShape):
    rounds: int
    seats: int
    settings: dict[str, Any]
    seed: str
    commitment: str = Field(description="The digest of the salt that seeds of matches are derived from.")
    salt: str | None = Field(description="Null while it is secret.")
    prize: str
    awards: bool = Field(description="Whether the competition’s prizes go to its ranks.")
    sources_open: bool
    release: str = Field(description="Who sees the results: organizers, entrants or public.")
    entrants: list[EntrantShape]
    rules: str = Field(description="How it is played, in the language of the request.")
    ties: str = Field(description="What decides the ranks, and between equals.")
    progress: ProgressShape
    cost: CostShape | None = Field(description="Of a draft that could start now; else null.")
    next: NextShape | None = Field(description="While it runs, if the account sees its results; else null.")
    downloads: list[str] = Field(description="What can be had of /tournaments/{id}/{download}.")


class StandingShape(Shape):
    """points: exact, as 12 or 7/2. tie_breaks: what decides besides, the most important first."""

    rank: int
    entrant: int
    name: str
    points: str
    played: int
    won: int
    drawn: int
    faults: int
    disqualified: str
    tie_breaks: dict[str, str]
    prizes: list[str] = Field(description="What it has won of the competition’s prizes, once that is final.")


class ActShape(Shape):
    at: datetime
    by: str | None = Field(description="Null for the site itself.")
    act: str
    subject: str
    reason: str
    details: dict[str, Any]


class TournamentFilter(Shape):
    competition: str | None = None
    state: Annotated[State, choice_of(State)] | None = None
    cursor: str | None = None
    limit: Limit = USUAL


def item_shape(tournament: Tournament) -> dict[str, Any]:
    return TournamentItemShape.from_row(
        tournament,
        competition=tournament.competition.slug,
        organizer=tournament.organizer.shown_name,
        finished=tournament.finished_at,
        url=link(tournament.get_absolute_url()),
    )


def shape_of(tournament: Tournament, user: Any) -> dict[str, Any]:
    sees = sees_results(user, tournament)
    return TournamentShape.from_row(
        tournament,
        **item_shape(tournament),
        settings=tournament.format_settings,
        seed=str(tournament.seed),
        salt=tournament.salt if tournament.is_over and sees else None,
        entrants=[
            EntrantShape.from_row(
                entrant,
                bot=entrant.bot_id,
                name=entrant.name or entrant.bot.name,
                submission=entrant.submission_id,
                reason=entrant.stopped,
            )
            for entrant in tournament.entrants.select_related("bot")
        ],
        rules=f"{_(tournament.chosen_format.title)}. {_(tournament.chosen_format.guarantee)}",
        ties=describe_ties(tournament),
        progress=_progress_shape(tournament),
        cost=_cost_shape(tournament),
        next=_next_shape(tournament) if sees and tournament.state in (State.RUNNING, State.PAUSED) else None,
        downloads=sorted(tournament.downloads.values_list("kind", flat=True))
        if tournament.is_over and sees
        else [],
    )


def _progress_shape(tournament: Tournament) -> dict[str, Any]:
    progress = services.progress(tournament)
    end = outlook.end(tournament, progress)
    return ProgressShape.from_row(
        progress,
        round=round_in_play(tournament)[0] if tournament.started else None,
        ends_from=end.earliest if end else None,
        ends_to=end.latest if end else None,
    )


def _cost_shape(tournament: Tournament) -> dict[str, Any] | None:
    if tournament.state != State.DRAFT:
        return None
    cost = outlook.cost(tournament, outlook.entrants_now(tournament).number)
    return None if cost is None else CostShape.from_row(cost)


def _next_shape(tournament: Tournament) -> dict[str, Any]:
    decides = next_to_decide(tournament)
    return {
        "stages": [stage._asdict() for stage in decides.stages],
        "top": decides.top,
        "open": [
            {
                "entrants": [who.number for who in meeting.entrants],
                "names": [who.name for who in meeting.entrants],
                "points": [exact(who.points) for who in meeting.entrants if who.points is not None],
                "matches": meeting.matches,
            }
            for meeting in decides.open
        ],
        "more": decides.more,
        "follows": follows(tournament),
    }


@router.get("", response=Page[TournamentItemShape])
def tournaments(request: Any, wanted: Query[TournamentFilter]) -> dict[str, Any]:
    """The tournaments that the account may see, the newest first."""
    tournaments = shown(request, _visible)
    if wanted.competition is not None:
        tournaments = tournaments.filter(competition=lookup.competition(wanted.competition))
    if wanted.state is not None:
        tournaments = tournaments.filter(state=wanted.state)
    tournaments = tournaments.select_related("competition", "organizer")
    return cursors.newest_first("tournaments", tournaments, wanted.cursor, wanted.limit, item_shape)


@router.get("/{id}", response=TournamentShape)
def tournament(request: Any, id: int) -> dict[str, Any]:
    """One tournament."""
    tournament = get(request, id)
    return shape_of(tournament, reader(request, tournament.competition))


@router.get("/{id}/standings", response=list[StandingShape])
def standings(request: Any, id: int) -> list[dict[str, Any]]:
    """The standings as of now, best first; before the release, the places that were revealed."""
    tournament = get(request, id)
    if tournament.started is None:
        return []
    rows = (
        recent_standings(tournament)
        if sees_results(reader(request, tournament.competition), tournament)
        else revealed_rows(tournament)
    )
    house = set(tournament.entrants.filter(bot__house=True).values_list("number", flat=True))
    won = prizes_of(tournament, rows, house)
    return [
        StandingShape.from_row(
            row,
            name=row.bot,
            points=exact(row.points),
            tie_breaks={name: exact(value) for name, value in row.tie_breaks},
            prizes=[prize.text for prize in won.get(row.entrant, ())],
        )
        for row in rows
    ]


@router.get("/{id}/acts", response=list[ActShape])
def acts(request: Any, id: int) -> list[dict[str, Any]]:
    """What organizers and the site did to it, and why, in order. Acts are never changed."""
    acts_of_it = Act.objects.filter(tournament=get(request, id)).select_related("actor").order_by("pk")
    return [
        ActShape.from_row(
            act,
            by=None if act.actor is None else act.actor.shown_name,
            act=act.verb,
        )
        for act in acts_of_it
    ]


@router.get("/{id}/matrix", openapi_extra=file_of_type("text/csv"))
def matrix(request: Any, id: int) -> HttpResponse:
    """The results of each pair of entrants, as CSV."""
    return HttpResponse(to_csv(_with_results(request, id)), content_type="text/csv; charset=utf-8")


@router.get("/{id}/trf", openapi_extra=file_of_type("text/plain"))
def trf(request: Any, id: int) -> HttpResponse:
    """A tournament by the Swiss system as FIDE's tournament report file (TRF16)."""
    tournament = _with_results(request, id)
    if not tournament.chosen_format.has_trf or tournament.seats != 2:
        raise Problem("not_found", _("Only tournaments by the Swiss system for two have such a file."))
    text = to_trf(
        tournament.name,
        request.get_host(),
        (tournament.started or timezone.now()).date(),
        (tournament.finished_at or timezone.now()).date(),
        scheduling.plan(tournament),
        scheduling.history(tournament),
        list(tournament.entrants.values_list("name", flat=True)),
    )
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


def _download(kind: storing.Kind) -> Callable[[Any, int], HttpResponseBase]:
    def view(request: Any, id: int) -> HttpResponseBase:
        tournament = _with_results(request, id)
        if not tournament.is_over:
            raise Problem("conflict", _("The tournament is not over yet."))
        competition = tournament.competition
        if kind == Download.Kind.ARCHIVE and not may_see_records(reader(request, competition), competition):
            raise Problem("not_found", _("The matches of this competition are not for everyone."))
        if kind == Download.Kind.SOURCES and not tournament.sources_open:
            raise Problem("not_found", _("The sources of this tournament are not open."))
        download = tournament.downloads.filter(kind=kind).first()
        if download is None or storing.predates_closing(download) or storing.is_lost(download):
            raise Problem("unavailable", _("This file is being made."), retry_after=5)
        name, content_type = storing.filename(tournament, kind), storing.NAMES[kind][1]
        return ranged(request, download.file.open, download.size, download.sha256, name, content_type)

    return view


DOWNLOADS = {
    Download.Kind.ARCHIVE: "The signed archive that `agon verify` checks.",
    Download.Kind.CSV: "A row for each seat of each match, as CSV.",
    Download.Kind.JSONL: "A row for each seat of each match, as lines of JSON.",
    Download.Kind.PARQUET: "A row for each seat of each match, as Parquet.",
    Download.Kind.SOURCES: "The programs, where they are open.",
}
for _kind, _text in DOWNLOADS.items():
    router.get(
        f"/{{id}}/{_kind.value}",
        operation_id=f"tournaments_{_kind.value}",
        summary=_text,
        description=_text,
        openapi_extra=file_of_type(
            storing.NAMES[_kind][1].partition(";")[0], status_206="A range of it.", status_503=BEING_MADE
        ),
    )(_download(_kind))


def get(request: Any, id: int) -> Tournament:
    """The tournament, if the account may see it. Raises Problem."""
    return lookup.one(shown(request, _visible).select_related("competition", "organizer"), id)


def _visible(user: User | AnonymousUser) -> QuerySet[Tournament]:
    return Tournament.objects.filter(rights.visible(user))


def _with_results(request: Any, id: int) -> Tournament:
    result = get(request, id)
    if result.started is None or not sees_results(reader(request, result.competition), result):
        raise Problem("not_found", _("It has no results yet, or they are not released to you."))
    return result
