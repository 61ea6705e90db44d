"""Games: their rules and limits, for programs that write bots."""

from typing import Any

from django.http import HttpResponse
from django.utils.translation import get_language
from ninja import Router
from pydantic import Field

from agon.site.api import lookup
from agon.site.api.shapes import Shape, file_of_type
from games.core.broken import working_games
from games.core.manifest import GameInfo, GameLimits
from games.core.placeholders import fill

router = Router(tags=["games"])
FALLBACK = "en"


class HouseBotShape(Shape):
    name: str
    language: str
    strength: int = Field(description="1 (weakest) to 10.")
    description: str
    starter: bool = Field(description="Whether competitors may start from it.")


class GameShape(Shape):
    slug: str
    title: str
    version: str = Field(description="Changes when the rules do.")
    summary: str
    channel: str = Field(description="stdio, program or function: how bots are asked.")
    min_seats: int
    max_seats: int
    limits: GameLimits = Field(description="What a bot may use, in the units of the names.")
    faults: dict[str, str] = Field(description="What follows from each kind of fault.")
    house_bots: list[HouseBotShape]


def shape_of(info: GameInfo) -> dict[str, Any]:
    return GameShape.from_row(
        info,
        channel=info.channel.value,
        faults={str(kind): str(policy) for kind, policy in info.faults.items()},
        house_bots=[HouseBotShape.from_row(bot) for bot in info.house],
    )


@router.get("", response=list[GameShape])
def games(request: Any) -> list[dict[str, Any]]:
    """All games that work on this site."""
    return [shape_of(info) for info in working_games()]


@router.get("/{slug}", response=GameShape)
def game(request: Any, slug: str) -> dict[str, Any]:
    """One game."""
    return shape_of(_game(slug))


@router.get("/{slug}/rules", openapi_extra=file_of_type("text/markdown"))
def rules(request: Any, slug: str) -> HttpResponse:
    """Its rules and protocol as Markdown, in the language of Accept-Language if they are translated."""
    info = _game(slug)
    for language in (get_language() or FALLBACK, FALLBACK):
        path = info.folder / f"rules.{language}.md"
        if path.is_file():
            text = fill(path.read_text(encoding="utf-8"), info)
            headers = {"Content-Language": language}
            return HttpResponse(text, content_type="text/markdown; charset=utf-8", headers=headers)
    raise lookup.unknown("rules", [], f"/api/v1/games/{slug}")


def _game(slug: str) -> GameInfo:
    """The game; a hyphen is as good as an underscore. Raises Problem."""
    working = {info.slug: info for info in working_games()}
    game_info = working.get(slug.replace("-", "_"))
    if game_info is None:
        raise lookup.unknown(slug, working, "/api/v1/games")
    return game_info
