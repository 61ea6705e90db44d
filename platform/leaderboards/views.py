"""The leaderboard: the page, its rows, and the event stream that makes open pages fetch them again."""

from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import aget_object_or_404, get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from agon.web.addresses import address_of
from competitions.models import Competition
from leaderboards import stream
from leaderboards.table import Row, rows
from matches.models import Match


class Band(NamedTuple):
    """The range of a bot's skill in percent of the widest one on the page, for the bar at the rating."""

    start: float
    width: float
    middle: float


class Line(NamedTuple):
    row: Row
    band: Band
    own: bool
    least: int
    most: int


@require_safe
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    """Open pages fetch `?part=board` again at every event."""
    competition = get_object_or_404(Competition, slug=slug)
    table = rows(competition)
    context = {
        "competition": competition,
        "lines": _lines(table, request.user.get_username()),
        "news": _news(table, request.user.get_username()),
    }
    if request.GET.get("part") == "board":
        return render(request, "leaderboards/board.html", context)
    context["played"] = Match.objects.filter(competition=competition, state=Match.State.FINISHED).count()
    return render(request, "leaderboards/leaderboard.html", context)


@require_safe
async def events(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The event stream; 429 or 503 if too many are open, in which case the page polls instead."""
    competition = await aget_object_or_404(Competition, slug=slug)
    return stream.response(competition, address_of(request))


def _lines(table: list[Row], username: str) -> list[Line]:
    low = min((row.points for row in table), default=0)
    high = max((row.points + 2 * row.uncertainty for row in table), default=1)
    scale = 100 / max(high - low, 1)
    lines = []
    for row in table:
        start, width = (row.points - low) * scale, 2 * row.uncertainty * scale
        band = Band(round(start, 1), round(width, 1), round(start + width / 2, 1))
        lines.append(Line(row, band, row.author == username, row.points, row.points + 2 * row.uncertainty))
    return lines


def _news(table: list[Row], username: str) -> str:
    """What screen readers announce after a change: the leader, and the rank of the reader's best bot."""
    if not table:
        return ""
    news = _("%(bot)s is in the lead.") % {"bot": table[0].bot}
    own = next((row for row in table if row.author == username), None)
    if own is not None and own is not table[0]:
        news += " " + _("Your bot %(bot)s is ranked number %(rank)d.") % {"bot": own.bot, "rank": own.rank}
    return news
