"""Bots: their versions, ratings and weaknesses, and how they leave play and return."""

from datetime import datetime
from typing import Annotated, Any

from django.utils.translation import gettext as _
from ninja import Router
from pydantic import Field

from agon.site.api import cursors, lookup
from agon.site.api.access import SUBMIT, check_competition, reader
from agon.site.api.competitions import RowShape, row_shape
from agon.site.api.cursors import USUAL, Limit
from agon.site.api.problems import FieldError, Problem, invalid
from agon.site.api.shapes import Page, Shape, Why, link
from agon.site.bots import access
from agon.site.bots.access import Act, may_see_private
from agon.site.bots.models import Bot, Submission
from agon.site.bots.naming import BadName
from agon.site.bots.states import COMPETED, BotState
from agon.site.challenges.services import challenged
from agon.site.leaderboards import ladder, table
from agon.site.leaderboards.models import RatingPoint
from agon.site.use_cases import leaving_play
from agon.site.use_cases.insight import insight
from agon.site.web.leaderboards.insight_words import Version, matches_to_watch, names_of, weaknesses

router = Router(tags=["bots"])


class VersionShape(Shape):
    submission: int
    version: int
    state: str
    language: str
    played: int
    rating: float | None = Field(description="Null before the first rated match.")
    low: float | None
    high: float | None
    created: datetime


class BotShape(Shape):
    id: int
    name: str
    competition: str
    author: str
    house: bool
    home: bool = Field(description="It plays at home, in challenges alone.")
    state: str = Field(description="entered, withdrawn, stopped or deleted")
    reason: str = Field(description="Why it is stopped; empty if it is not.")
    row: RowShape | None = Field(description="Its row on the leaderboard.")
    rests: str = Field(description="Why it gets no more rated matches; empty if it gets some or has no row.")
    versions: list[VersionShape] = Field(description="Newest first. Others see those that competed.")
    created: datetime
    url: str


class BotItemShape(Shape):
    """A bot in a list."""

    id: int
    name: str
    competition: str
    author: str
    house: bool
    state: str
    active: int | None = Field(description="The submission that plays.")
    home: bool = Field(description="It plays at home, in challenges alone.")
    url: str


class PointShape(Shape):
    at: datetime
    version: int
    rating: float
    low: float
    high: float
    played: int


class WeaknessShape(Shape):
    """Matches in which it gets less than elsewhere. low, high: the interval of `share - level`."""

    title: str
    matches: int
    share: float
    level: float
    low: float
    high: float
    points: int = Field(description="The rating that this is worth.")
    url: str


class WatchShape(Shape):
    match: int
    why: str


class AnalysisShape(Shape):
    submission: int
    version: int
    matches: int
    weaknesses: list[WeaknessShape]
    watch: list[WatchShape]


class NewName(Why):
    name: str = Field(max_length=200)


def item_shape(bot: Bot) -> dict[str, Any]:
    """bot: with its owner and competition."""
    return BotItemShape.from_row(
        bot,
        competition=bot.competition.slug,
        author=bot.owner.shown_name,
        active=bot.active_id,
        url=link(bot.get_absolute_url()),
    )


def shape_of(bot: Bot, user: Any) -> dict[str, Any]:
    versions = list(bot.submissions.select_related("bot__owner", "rated__rating").order_by("-number"))
    if not any(may_see_private(user, version) for version in versions[:1]):
        versions = [version for version in versions if version.state in COMPETED]
    row = table.row_of(versions)
    return {name: value for name, value in item_shape(bot).items() if name != "active"} | {
        "reason": str(bot.reason) if bot.state == BotState.STOPPED else "",
        "row": None if row is None else row_shape(row),
        "rests": "" if row is None else ladder.rest(bot.competition, row),
        "versions": [_version(version) for version in versions],
        "created": bot.created,
    }


def _version(version: Submission) -> dict[str, Any]:
    rated = getattr(version, "rated", None)
    rating = rated.rating if rated is not None and rated.rating.is_known else None
    return {
        "submission": version.pk,
        "version": version.number,
        "state": version.state,
        "language": version.language,
        "played": rating.played if rating else 0,
        "rating": rating.rating if rating else None,
        "low": rating.low if rating else None,
        "high": rating.high if rating else None,
        "created": version.created,
    }


@router.get("/competitions/{slug}/bots", response=Page[BotItemShape], tags=["competitions"])
def bots(request: Any, slug: str, cursor: str | None = None, limit: Limit = USUAL) -> dict[str, Any]:
    """The bots that play in a competition, the newest first; also those at home that you may challenge."""
    competition = lookup.competition(slug)
    bots = challenged(reader(request, competition), competition).select_related("owner", "competition")
    return cursors.newest_first(f"bots-{slug}", bots, cursor, limit, item_shape)


@router.get("/bots/{id}", response=BotShape)
def bot(request: Any, id: int) -> dict[str, Any]:
    """One bot."""
    bot = lookup.shown_bot(request, id)
    return shape_of(bot, reader(request, bot.competition))


@router.get("/bots/{id}/ratings", response=list[PointShape])
def ratings(request: Any, id: int) -> list[dict[str, Any]]:
    """The history of its ratings: a point in 10 minutes, of old ones fewer."""
    rating_points = RatingPoint.objects.filter(
        rating__rated__submission__bot=lookup.shown_bot(request, id)
    ).order_by("at", "pk")
    fields = ("at", "rating__rated__submission__number", "value", "low", "high", "played")
    return [
        dict(zip(PointShape.model_fields, row, strict=True)) for row in rating_points.values_list(*fields)
    ]


@router.get("/bots/{id}/analysis", response=AnalysisShape)
def analysis(request: Any, id: int) -> dict[str, Any]:
    """What its newest rated version loses by, and matches to watch."""
    bot = lookup.shown_bot(request, id)
    competed = bot.submissions.filter(state__in=COMPETED, rated__isnull=False).order_by("-number")
    newest = competed.select_related("bot__competition", "rated__rating").first()
    if newest is None:
        raise Problem("not_found", _("No version of this bot has a rating yet."))
    version = Version(newest, insight(newest))
    return {
        "submission": newest.pk,
        "version": newest.number,
        "matches": version.insight.matches,
        "weaknesses": [
            {
                "title": weakness.title,
                "url": link(weakness.href),
                "points": weakness.points,
                **{
                    name: getattr(weakness.finding, name)
                    for name in ("matches", "share", "level", "low", "high")
                },
            }
            for weakness in weaknesses(version, names_of([version]))
        ],
        "watch": [{"match": match.pk, "why": str(why)} for match, why in matches_to_watch(version)],
    }


@router.patch("/bots/{id}", auth=SUBMIT, response=BotShape)
def rename(request: Any, id: int, wanted: NewName) -> dict[str, Any]:
    """Give a bot another name. Matches that are queued or played keep the old one."""
    return _act(request, id, Act.RENAME, wanted.name, wanted.reason)


@router.post("/bots/{id}/withdraw", auth=SUBMIT, response=BotShape)
def withdraw(request: Any, id: int, why: Why | None = None) -> dict[str, Any]:
    """Take a bot out of play. Its matches that are queued are still played and count."""
    return _act(request, id, Act.WITHDRAW, why=why.reason if why else "", target=BotState.WITHDRAWN)


@router.post("/bots/{id}/reenter", auth=SUBMIT, response=BotShape)
def reenter(request: Any, id: int, why: Why | None = None) -> dict[str, Any]:
    """Let a withdrawn bot play again, with its rating."""
    return _act(request, id, Act.REENTER, why=why.reason if why else "", target=BotState.ENTERED)


@router.delete("/bots/{id}", auth=SUBMIT, response=BotShape)
def delete(request: Any, id: int, reason: Annotated[str, Field(max_length=500)] = "") -> dict[str, Any]:
    """Delete a bot, and erase the programs of all its versions. This cannot be undone."""
    return _act(request, id, Act.DELETE, why=reason, target=BotState.DELETED)


def _act(request: Any, id: int, act: Act, words: str = "", why: str = "", target: str = "") -> dict[str, Any]:
    """Do it. target: the state after it; a bot that is in it already is returned as it is."""
    bot = lookup.bot(request.user, id)
    check_competition(request, bot.competition)
    if not access.may_act(request.user, bot, act):
        raise Problem("not_allowed", _("This is a bot of another account."))
    if not access.owns(request.user, bot) and not why.strip():
        raise invalid("/reason", _("Say why: it is the bot of another person."))
    if bot.state != target:
        try:
            leaving_play.perform(act, bot, request.user, words, why)
        except BadName as error:
            hint = error.proposal
            raise Problem("refused", str(error), hint, [FieldError("/name", str(error))]) from None
    return shape_of(lookup.bot(request.user, id), request.user)
