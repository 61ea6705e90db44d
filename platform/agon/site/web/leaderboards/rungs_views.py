"""The page of a bot's ladder of rungs: whom it beats, how sure that is, and whom to beat next."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agon.site.bots.access import get_bot
from agon.site.leaderboards.rungs import rungs
from agon.statistics.rungs import CERTAIN


@require_safe
def bot_rungs(request: HttpRequest, pk: int) -> HttpResponse:
    bot = get_bot(request.user, pk)
    ladder = rungs(bot)
    context = {
        "bot": bot,
        "competition": bot.competition,
        "row": ladder.row,
        "steps": [(step, _percent(step.rung.confidence)) for step in ladder.steps],
        "beaten": ladder.beaten,
        "following": ladder.following,
        "certain": round(100 * CERTAIN),
    }
    return render(request, "bots/rungs.html", context)


def _percent(share: float) -> int:
    """In whole percent, and never 0 or 100: results make nothing certain."""
    return min(max(round(100 * share), 1), 99)
