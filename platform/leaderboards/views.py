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
from leaderboards.table import Row, leader, rows
from matches.models import Match


class Band(NamedTuple):
    """The interval of a rating in percent of the page's scale, for the bar beside it."""

    start: float
    width: float
    middle: float


class Line(NamedTuple):
    row: Row
    band: Band
    own: bool


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
    scale = Scale.of(table)
    return [Line(row, scale.band(row), row.author == username) for row in table]


class Scale(NamedTuple):
    """The ratings at both ends of the bars: those of the ranked bots, whose intervals are not as wide as
    those of newcomers; of all if none is ranked.
    """

    low: float
    high: float

    @classmethod
    def of(cls, table: list[Row]) -> "Scale":
        shown = [row for row in table if row.best] or [row for row in table if row.known]
        return cls(
            min((row.low for row in shown), default=0.0), max((row.high for row in shown), default=0.0)
        )

    def band(self, row: Row) -> Band:
        start, middle, end = (self._percent(value) for value in (row.low, row.rating, row.high))
        return Band(start, round(end - start, 1), middle)

    def _percent(self, rating: float) -> float:
        """Where a rating is; 50 where all are the same. What is beyond an end is drawn at it."""
        if self.high - self.low < 1:
            return 50.0
        return round(min(max(100 * (rating - self.low) / (self.high - self.low), 0.0), 100.0), 1)


def _news(table: list[Row], username: str) -> str:
    """What screen readers announce after a change: the leader, and the rank of the reader's best bot."""
    first = leader(table)
    if first is None:
        return ""
    news = _("%(bot)s is in the lead.") % {"bot": first.bot}
    own = next((row for row in table if row.author == username and row.best), None)
    if own is not None and own is not first:
        news += " " + _("Your bot %(bot)s is ranked number %(rank)s.") % {"bot": own.bot, "rank": own.rank}
    return news
