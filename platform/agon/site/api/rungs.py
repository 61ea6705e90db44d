"""The ladder of rungs of a bot: whom it beats, how sure that is, and whom to beat next."""

from typing import Any

from ninja import Router
from pydantic import Field

from agon.site.api import lookup, waiting
from agon.site.api.competitions import RowShape, row_shape
from agon.site.api.cursors import LARGEST_ID
from agon.site.api.shapes import Shape, link
from agon.site.bots.models import Bot
from agon.site.bots.states import State
from agon.site.leaderboards.models import Rated
from agon.site.leaderboards.rungs import Step, rungs
from agon.statistics.rungs import CERTAIN

router = Router(tags=["bots"])


class RungShape(Shape):
    """An opponent, and the rated matches of both active versions against each other."""

    bot: int
    name: str
    house: bool
    level: int | None = Field(description="Of a house bot, 1 (weakest) to 10.")
    rank: str
    rating: float
    matches: int
    ahead: int
    equal: int
    behind: int
    confidence: float = Field(
        description="The probability that the bot is ahead of it more often than behind."
    )
    verdict: str = Field(description="beats, loses, or unknown: not certain enough yet")
    url: str


class RungsShape(Shape):
    """Whom a bot's active version beats. rungs: the weakest opponent first."""

    bot: int
    name: str
    competition: str
    row: RowShape | None = Field(description="Its row on the leaderboard; null if no version plays.")
    certain: float = Field(description="The confidence from which “beats” is said.")
    beaten: int = Field(description="How many of the rungs it beats.")
    rungs: list[RungShape]
    next: RungShape | None = Field(description="The weakest one that it is not known to beat.")
    url: str


def rung_shape(step: Step) -> dict[str, Any]:
    row, rung = step.row, step.rung
    return RungShape.from_row(
        rung,
        bot=row.bot_id,
        name=row.bot,
        house=row.house,
        level=step.level,
        rank=row.rank,
        rating=round(row.rating, 1),
        confidence=round(rung.confidence, 4),
        verdict=str(rung.verdict),
        url=link(f"/bots/{row.bot_id}/"),
    )


def shape_of(bot: Bot) -> dict[str, Any]:
    ladder = rungs(bot)
    return {
        "bot": bot.pk,
        "name": bot.name,
        "competition": bot.competition.slug,
        "row": None if ladder.row is None else row_shape(ladder.row),
        "certain": CERTAIN,
        "beaten": ladder.beaten,
        "rungs": [rung_shape(step) for step in ladder.steps],
        "next": None if ladder.following is None else rung_shape(ladder.following),
        "url": link(f"/bots/{bot.pk}/rungs/"),
    }


@router.get("/bots/{id}/rungs", response=RungsShape)
def bot_rungs(request: Any, id: int, wait: int = 0, played: int = 1) -> Any:
    """Whom its active version beats, and whom to beat next.

    wait: respond once it has `played` rated matches, or after that many seconds, at most 30.
    """
    bot = lookup.shown_bot(request, id)
    least = min(played, LARGEST_ID)
    if wait > 0 and _has_played(bot, least):
        return shape_of(bot)
    response = waiting.until_so(request, lambda: _has_played(bot, least), wait, lambda: shape_of(bot))
    return response or shape_of(bot)


def _has_played(bot: Bot, least: int) -> bool:
    active = Rated.objects.filter(submission__bot=bot, submission__state=State.ACTIVE)
    return active.filter(rating__played__gte=least).exists()
