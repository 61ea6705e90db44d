"""TV: full-screen pages that play one match after the other, with the board beside them.

They are for a class, an event or a stream. All that they show is public, no matter who is signed in. What a
screen has shown is in the address that it asks for next, so the site keeps nothing about screens.
"""

import time
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple
from urllib.parse import urlencode

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from agon.site.competitions.models import Competition
from agon.site.leaderboards import table
from agon.site.tournaments import featured, rights, worth_watching
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.running import sees_results
from agon.site.tournaments.standings import recent_standings
from agon.site.tournaments.worth_watching import Candidate

ROWS = 10  # of the board
REMEMBERED = 40  # matches that a screen has shown
SPEEDS = (1, 2, 4, 8, 16)  # of the player, static/js/player.js
STEPS_A_MATCH = 80  # that are played at a speed of 1: a longer match is played faster


class Line(NamedTuple):
    """A row of the board. bot: its id. plays: whether it plays in the match that is shown."""

    rank: str
    bot: int
    name: str
    points: Fraction
    plays: bool


@require_safe
def tv(request: HttpRequest) -> HttpResponse:
    """The open competitions, in turn."""
    for competition in featured.in_turn(time.time()):
        if candidates := worth_watching.of_competition(competition):
            return _page(request, _("All competitions"), competition, candidates, _leaders(competition))
    return _page(request, _("All competitions"), None, [], [])


@require_safe
def competition_tv(request: HttpRequest, slug: str) -> HttpResponse:
    """A competition: matches of its ladder, and its leaderboard."""
    competition = get_object_or_404(Competition, slug=slug)
    return _page(
        request,
        competition.title,
        competition,
        worth_watching.of_competition(competition),
        _leaders(competition),
    )


@require_safe
def tournament_tv(request: HttpRequest, pk: int) -> HttpResponse:
    """A tournament: its matches, the latest round first, and its standings."""
    tournaments = Tournament.objects.filter(rights.visible(AnonymousUser())).select_related("competition")
    tournament = get_object_or_404(tournaments, pk=pk)
    if not sees_results(AnonymousUser(), tournament):
        raise Http404
    return _page(
        request,
        tournament.name,
        tournament.competition,
        worth_watching.of_tournament(tournament),
        _standings(tournament),
    )


def _page(
    request: HttpRequest,
    title: str,
    competition: Competition | None,
    candidates: Sequence[Candidate],
    lines: Sequence[Line],
) -> HttpResponse:
    """The page; with `?part=1` what is on it, for the next match."""
    shown = _numbers(request.GET.get("shown", ""))
    chosen = worth_watching.choose(candidates, shown)
    if chosen is not None:
        shown = [*(pk for pk in shown if pk != chosen.match), chosen.match][-REMEMBERED:]
    query = urlencode({"part": 1, "shown": ",".join(map(str, shown))})
    context = {
        "title": title,
        "competition": competition,
        "chosen": chosen,
        "lines": [line._replace(plays=line.bot in chosen.bots) for line in lines] if chosen else lines,
        "speed": _speed(chosen.steps) if chosen else 1,
        "next": f"{request.path}?{query}",
    }
    response = render(request, "tv/screen.html" if request.GET.get("part") else "tv/tv.html", context)
    patch_cache_control(response, private=True)  # it has the reader's theme and language
    return response


def _numbers(text: str) -> list[int]:
    """The ids of the matches that a screen has shown; anything else in the address is left out."""
    numbers = [int(part) for part in text.split(",") if part.isascii() and part.isdigit() and len(part) < 19]
    return numbers[-REMEMBERED:]


def _speed(steps: int) -> int:
    return next((speed for speed in SPEEDS if steps <= STEPS_A_MATCH * speed), SPEEDS[-1])


def _leaders(competition: Competition) -> list[Line]:
    rows = table.best([competition], ROWS).get(competition.pk, [])
    return [Line(row.rank, row.bot_id, row.bot, Fraction(row.points), False) for row in rows]


def _standings(tournament: Tournament) -> list[Line]:
    entrants = list(tournament.entrants.values_list("bot", flat=True))
    rows = recent_standings(tournament)[:ROWS] if tournament.started else ()
    return [Line(str(row.rank), entrants[row.entrant], row.bot, row.points, False) for row in rows]
