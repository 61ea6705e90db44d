"""Competitions and their leaderboards."""

import json
from datetime import datetime
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from ninja import Router
from pydantic import Field

from agon.site.api import cursors, lookup
from agon.site.api.cursors import MOST_ROWS, USUAL, Limit
from agon.site.api.shapes import Page, Shape, file_of_type, link
from agon.site.competitions import prizes
from agon.site.competitions.lists import listed
from agon.site.competitions.models import Competition
from agon.site.leaderboards.table import Row, rows
from agon.site.web.core.tables import as_csv
from games.core.manifest import starters

router = Router(tags=["competitions"])


class PrizeShape(Shape):
    places: str = Field(max_length=20, description="One place or several, such as `1` or `2-3`.")
    text: str = Field(max_length=prizes.LONGEST)


class CompetitionShape(Shape):
    slug: str
    title: str
    game: str
    summary: str
    state: str = Field(description="open, closed or archived")
    entry_opens: datetime | None
    entry_closes: datetime | None
    teams: str = Field(description="Who takes part: any, one (alone or in one team), none (no teams).")
    prizes: list[PrizeShape]
    sources: str = Field(description="Who sees programs: author, closed (everyone once it is closed).")
    records: str = Field(
        description="Who sees matches: all, played (whose bots did), organizers (everyone once it is closed)."
    )
    stderr: str = Field(description="Who sees standard error: author, closed.")
    suspended: str = Field(description="Why nothing can be played now; empty if it can.")
    created: datetime
    url: str = Field(description="Its page.")


class RowShape(Shape):
    """An active version on the leaderboard. low, high: the ends of the 95 % interval of its rating."""

    rank: str = Field(description="“2”, “2–4” where results do not separate it, “?” while provisional.")
    best: int = Field(description="The best rank of its range; 0 if it has none.")
    worst: int
    bot: int
    name: str
    author: str
    house: bool
    submission: int
    version: int
    rating: float
    low: float
    high: float
    provisional: bool
    played: int
    won: int
    drawn: int = Field(description="Shared the first place.")
    faults: int
    url: str


class StarterShape(Shape):
    """A bot to begin from. kit: a zip of it with the rules, and AGENTS.md, which has commands to play it."""

    name: str
    language: str
    file: str = Field(description="Its address: one file, or a zip of a folder.")
    kit: str


def shape_of(competition: Competition) -> dict[str, Any]:
    return CompetitionShape.from_row(
        competition, summary=competition.about, url=link(competition.get_absolute_url())
    )


def row_shape(row: Row) -> dict[str, Any]:
    return RowShape.from_row(
        row,
        bot=row.bot_id,
        name=row.bot,
        submission=row.submission_id,
        rating=round(row.rating, 1),
        low=round(row.low, 1),
        high=round(row.high, 1),
        url=link(f"/bots/{row.bot_id}/"),
    )


@router.get("", response=Page[CompetitionShape])
def competitions(
    request: Any, archived: bool = False, cursor: str | None = None, limit: Limit = USUAL
) -> dict[str, Any]:
    """The competitions that are not archived, the newest first; with `archived`, those that are."""
    name = "archived-competitions" if archived else "competitions"
    return cursors.newest_first(name, listed(archived), cursor, limit, shape_of)


@router.get("/{slug}", response=CompetitionShape)
def competition(request: Any, slug: str) -> dict[str, Any]:
    """One competition."""
    return shape_of(lookup.competition(slug))


@router.get("/{slug}/starters", response=list[StarterShape])
def competition_starters(request: Any, slug: str) -> list[dict[str, Any]]:
    """The bots to begin from, in all languages. The files are public, and no operations of the API."""
    competition = lookup.competition(slug)
    return [
        {
            "name": bot.name,
            "language": bot.language,
            "file": link(reverse("starter", args=[slug, bot.name])),
            "kit": link(reverse("starter_kit", args=[slug, bot.name])),
        }
        for bot in starters(competition.info)
    ]


@router.get("/{slug}/leaderboard", response=Page[RowShape])
def leaderboard(
    request: Any, slug: str, cursor: str | None = None, limit: Limit = MOST_ROWS
) -> dict[str, Any]:
    """The leaderboard, best first. A bot whose rating changes between two pages may be missed or doubled."""
    table = rows(lookup.competition(slug))
    name = f"leaderboard-{slug}"
    if cursor is not None:
        last = cursors.decode(name, cursor, (bool, float, int))
        table = [row for row in table if _key(row) > last]
    page = table[:limit]
    following = cursors.encode(name, _key(page[-1])) if len(table) > limit else None
    return {"items": [row_shape(row) for row in page], "next": following}


def _key(row: Row) -> list[Any]:
    """What rows are sorted by: agon.site.leaderboards.table.ORDER."""
    return [not row.known, float(-row.rating), row.submission_id]


@router.get("/{slug}/leaderboard.csv", openapi_extra=file_of_type("text/csv"))
def leaderboard_csv(request: Any, slug: str) -> HttpResponse:
    """The whole leaderboard as CSV."""
    table = [RowShape.model_fields, *(row_shape(row).values() for row in rows(lookup.competition(slug)))]
    return HttpResponse(as_csv(table, "\r\n"), content_type="text/csv; charset=utf-8")


@router.get("/{slug}/leaderboard.ndjson", openapi_extra=file_of_type("application/x-ndjson"))
def leaderboard_ndjson(request: Any, slug: str) -> HttpResponse:
    """The whole leaderboard, a line of JSON for each row."""
    lines = [json.dumps(row_shape(row), ensure_ascii=False) + "\n" for row in rows(lookup.competition(slug))]
    return HttpResponse("".join(lines), content_type="application/x-ndjson")
