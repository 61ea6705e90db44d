"""Seasons: boards over several tournaments, and what their organizers do."""

from typing import Annotated, Any, Literal

from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext as _
from ninja import Router
from ninja.responses import Status
from pydantic import Field

from agon.site.accounts.models import User
from agon.site.api import cursors, lookup
from agon.site.api.access import ORGANIZE, check_whole_account
from agon.site.api.cursors import USUAL, Limit
from agon.site.api.problems import Problem, invalid
from agon.site.api.shapes import Page, Shape, link
from agon.site.seasons import queries, services
from agon.site.seasons.models import Season
from agon.site.seasons.services import (
    LONGEST_TITLE,
    MOST_PLACES,
    MOST_POINTS,
    MOST_TOURNAMENTS,
    Wanted,
)
from agon.site.tournaments.models import Tournament

router = Router(tags=["seasons"])


class SeasonShape(Shape):
    """table: the points of the first place, the second, and so on. best: how many count; null for all.

    tournaments: in the order of the season, as far as you may know of them: all, if you may change it.
    """

    id: int
    title: str
    organizer: str
    kind: str
    table: list[int]
    best: int | None
    tournaments: list[int]
    revision: int
    url: str


class NewSeason(Shape):
    title: str = Field(min_length=1, max_length=LONGEST_TITLE)
    kind: Literal["table", "mean"]
    table: list[int] = Field(default_factory=list, max_length=MOST_PLACES)
    best: int | None = Field(None, ge=1, le=MOST_TOURNAMENTS)
    tournaments: list[int] = Field(min_length=1, max_length=MOST_TOURNAMENTS)


class ChangedSeason(NewSeason):
    revision: int = Field(ge=1, description="Of the season that is changed.")
    reason: str = Field("", max_length=1000, description="Required: everyone reads it.")


class RuleShape(Shape):
    kind: str
    table: list[int]
    best: int | None


class CountedShape(Shape):
    id: int
    name: str
    competition: str


class ResultShape(Shape):
    """place: the first of those that are shared by so many. counts: whether it is among the best."""

    competitor: int
    tournament: int
    place: int
    shared: int
    entrants: int
    points: str = Field(description="Exact, such as 7/2.")
    counts: bool


class BoardRowShape(Shape):
    rank: int
    competitor: int
    name: str
    total: str = Field(description="Exact, such as 7/2.")


class BoardShape(Shape):
    """What the board follows from, and the board: anyone can compute it again."""

    title: str
    rule: RuleShape
    tournaments: list[CountedShape]
    results: list[ResultShape]
    board: list[BoardRowShape]


@router.get("/seasons", response=Page[SeasonShape])
def seasons(request: Any, cursor: str | None = None, limit: Limit = USUAL) -> dict[str, Any]:
    """All seasons, the newest first."""
    seasons = Season.objects.select_related("organizer")
    return cursors.newest_first(
        "seasons", seasons, cursor, limit, lambda season: _shape(season, _reader(request))
    )


@router.post("/seasons", auth=ORGANIZE, tags=["organizing"], response={201: SeasonShape})
def create(request: Any, wanted: NewSeason) -> Status[Any]:
    """One board for several tournaments."""
    check_whole_account(request)
    if not services.may_make(request.user):
        raise Problem("not_allowed", _("Only organizers make seasons."))
    return Status(201, _shape(services.create(request.user, _wanted(wanted)), request.user))


@router.get("/seasons/{id}", response=SeasonShape)
def season(request: Any, id: int) -> dict[str, Any]:
    """A season: its rule and the tournaments that count."""
    return _shape(_get(id), _reader(request))


@router.get("/seasons/{id}/board", response=BoardShape)
def board(request: Any, id: int) -> dict[str, Any]:
    """The board of a season, with every place that it follows from."""
    season = _get(id)
    return queries.to_data(season, queries.board(season))


@router.put("/seasons/{id}", auth=ORGANIZE, tags=["organizing"], response=SeasonShape)
def change(request: Any, id: int, wanted: ChangedSeason) -> dict[str, Any]:
    """Change all of a season. 409 if it was changed since that revision."""
    season = _to_change(request, id)
    services.change(season, request.user, _wanted(wanted), wanted.revision, wanted.reason)
    return _shape(_get(id), request.user)


@router.delete("/seasons/{id}", auth=ORGANIZE, tags=["organizing"], response={204: None})
def delete(request: Any, id: int, reason: Annotated[str, Field(max_length=1000)] = "") -> Status[None]:
    """Delete a season, for a reason. Its tournaments stay."""
    services.delete(_to_change(request, id), request.user, reason)
    return Status(204, None)


def _reader(request: Any) -> User | AnonymousUser:
    """Whose view is shown. A token for one competition sees what anyone sees: a season is of several."""
    is_whole = request.token is None or request.token.competition_id is None
    return request.user if is_whole else AnonymousUser()


def _get(id: int) -> Season:
    return lookup.one(Season.objects.select_related("organizer"), id)


def _to_change(request: Any, id: int) -> Season:
    check_whole_account(request)
    result = _get(id)
    if not services.may_change(request.user, result):
        raise Problem("not_allowed", _("Only its organizers may do this."))
    return result


def _wanted(given: NewSeason) -> Wanted:
    """Raises Problem for a table that no column could store, and for tournaments that are not there."""
    if any(not 0 <= points <= MOST_POINTS for points in given.table):
        words = _("Expected whole numbers from 0 to %(most)d, none larger than the one before.")
        raise invalid("/table", words % {"most": MOST_POINTS})
    numbers = [tournament for tournament in given.tournaments if 0 < tournament < 2**63]
    known = Tournament.objects.in_bulk(numbers)
    if any(tournament not in known for tournament in given.tournaments):
        raise invalid("/tournaments", _("There is no such tournament."))
    return Wanted(
        given.title,
        given.kind,
        given.table,
        given.best,
        [known[tournament] for tournament in given.tournaments],
    )


def _shape(season: Season, user: User | AnonymousUser) -> dict[str, Any]:
    numbers = list(season.entries.order_by("number").values_list("tournament", flat=True))
    if not services.may_change(user, season):
        shown = [*queries.counted(season), *queries.uncounted(season, user)]
        known = {tournament.pk for tournament in shown}
        numbers = [number for number in numbers if number in known]
    return SeasonShape.from_row(
        season,
        organizer=season.organizer.shown_name,
        tournaments=numbers,
        url=link(season.get_absolute_url()),
    )
