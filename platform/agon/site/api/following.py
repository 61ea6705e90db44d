"""What the account of the token follows: its news are among the notices of the account."""

from typing import Any

from ninja import Router, Status
from pydantic import Field

from agon.site.api import lookup
from agon.site.api.access import READ, SUBMIT, check_competition
from agon.site.api.shapes import Shape, link
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.events import following

router = Router(tags=["following"])


class FollowedShape(Shape):
    """A bot, or a whole competition."""

    competition: str
    bot: int | None = Field(description="null for a whole competition.")
    name: str
    url: str


@router.get("/me/following", auth=READ, response=list[FollowedShape])
def followed(request: Any) -> list[dict[str, Any]]:
    """What you follow, the latest first; at most 200 bots and competitions."""
    return [_shape(target) for target in following.followed(request.user) if _is_of_token(request, target)]


@router.post("/bots/{id}/follow", auth=SUBMIT, response=FollowedShape)
def follow_bot(request: Any, id: int) -> dict[str, Any]:
    """Follow a bot of someone else: its new versions and its first win are among your notices."""
    bot = lookup.bot(request.user, id)
    check_competition(request, bot.competition)
    return _follow(request, bot)


@router.delete("/bots/{id}/follow", auth=SUBMIT, response={204: None})
def unfollow_bot(request: Any, id: int) -> Any:
    """Stop following a bot."""
    bot = lookup.bot(request.user, id)
    check_competition(request, bot.competition)
    following.unfollow(request.user, bot)
    return Status(204, None)


@router.post("/competitions/{slug}/follow", auth=SUBMIT, response=FollowedShape)
def follow_competition(request: Any, slug: str) -> dict[str, Any]:
    """Follow a competition: its tournaments, from announcement to end, are among your notices."""
    return _follow(request, lookup.competition_to_change(request, slug))


@router.delete("/competitions/{slug}/follow", auth=SUBMIT, response={204: None})
def unfollow_competition(request: Any, slug: str) -> Any:
    """Stop following a competition."""
    following.unfollow(request.user, lookup.competition_to_change(request, slug))
    return Status(204, None)


def _follow(request: Any, followed: Bot | Competition) -> dict[str, Any]:
    following.follow(request.user, followed)
    return _shape(followed)


def _is_of_token(request: Any, followed: Bot | Competition) -> bool:
    competition = followed.competition_id if isinstance(followed, Bot) else followed.pk
    return request.token.competition_id in (None, competition)


def _shape(followed: Bot | Competition) -> dict[str, Any]:
    is_bot = isinstance(followed, Bot)
    return {
        "competition": followed.competition.slug if isinstance(followed, Bot) else followed.slug,
        "bot": followed.pk if is_bot else None,
        "name": str(followed),
        "url": link(followed.get_absolute_url()),
    }
