"""The leaderboard: the page, its rows, and the event stream that makes open pages fetch them again."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import aget_object_or_404, get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.safestring import mark_safe
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from agon.site.accounts.models import User
from agon.site.audit import acts
from agon.site.audit.verbs import Verb
from agon.site.competitions import announcing, past
from agon.site.competitions.access import may_run
from agon.site.competitions.models import Competition
from agon.site.core.addresses import address_of
from agon.site.leaderboards import ladder
from agon.site.leaderboards.models import Leaderboard
from agon.site.leaderboards.odd_results import odd_results
from agon.site.leaderboards.table import Row, rows
from agon.site.matches.first_wins import awaiting
from agon.site.teams.queries import acting_accounts, roles
from agon.site.tournaments import happening
from agon.site.tournaments.rights import may_organize
from agon.site.web.core import signed_in
from agon.site.web.core.paging import whole_number
from agon.site.web.core.requests import SignedInRequest
from agon.site.web.leaderboards import stream
from agon.site.web.leaderboards.board import (
    FIRST_PAGE,
    SIZE,
    Board,
    BoardQuery,
    board,
    with_challenges,
    with_own,
)
from agon.site.web.leaderboards.matrix import matrix
from agon.site.web.leaderboards.stream import Shown

MOST_MATCHES = 100_000
ANNOUNCED = 3  # announcements above the board
OWN_NEWS = gettext_lazy("Your bot %(bot)s is ranked number %(rank)s.")


class DecideForm(forms.Form):
    """An organizer's request to the ladder. A field `matches` would shadow the DOM method that htmx calls."""

    first = forms.IntegerField(label=gettext_lazy("Ranks to decide"), min_value=1, max_value=1000, initial=3)
    most = forms.IntegerField(
        label=gettext_lazy("Additional matches, at most"), min_value=1, max_value=MOST_MATCHES, initial=1000
    )


@require_safe
def leaderboard(request: HttpRequest, slug: str) -> HttpResponse:
    """The page. Open pages fetch `?part=board` again at every event, or get what is in it with the event."""
    competition = get_object_or_404(Competition, slug=slug)
    wanted = BoardQuery.of(request.GET.dict())
    shared = board(competition, wanted)
    has_own = request.user.get_username() in shared.authors or roles(request.user)
    own = rows(competition, bot__owner__in=acting_accounts(request.user)) if has_own else []
    context = _of_board(competition, wanted, shared, own)
    if request.GET.get("part") == "board":
        return render(request, "leaderboards/board.html", context)
    context["streams_board"] = wanted == FIRST_PAGE and (not own or shared.total <= SIZE)
    context["accounts"] = _own_accounts(request.user)
    context["own_news"] = OWN_NEWS
    context["awaits_first_win"] = (
        request.user.is_authenticated and awaiting(request.user, competition).exists()
    )
    context["has_past"] = past.shown(competition, may_run(request.user, competition)).exists()
    context["announcements"] = announcing.shown(competition)[:ANNOUNCED]
    context["may_run"] = may_run(request.user, competition)
    context["may_organize"] = may_organize(request.user, competition=competition)
    if context["may_organize"] and competition.is_open:
        context["decide"] = DecideForm(auto_id="decide-%s")
        context["ladder"] = Leaderboard.objects.filter(competition=competition).first()
    return render(request, "leaderboards/leaderboard.html", context)


@require_safe
def head_to_head(request: HttpRequest, slug: str) -> HttpResponse:
    """How the bots fared against each other. What is rated is public, so this is."""
    competition = get_object_or_404(Competition, slug=slug)
    ladder_matrix = matrix(competition, whole_number(request.GET.get("page"), 1))
    context = {"competition": competition, "matrix": ladder_matrix, "table": mark_safe(ladder_matrix.html)}
    return render(request, "leaderboards/head_to_head.html", context)


@signed_in.act
def decide(request: SignedInRequest, slug: str) -> HttpResponse:
    """Request that the ladder play until the first ranks are decided, or end the request (`stop`)."""
    competition = get_object_or_404(Competition, slug=slug)
    if not may_organize(request.user, competition=competition):
        raise Http404
    if "stop" in request.POST:
        with transaction.atomic():
            ladder.decide(competition, 0, 0)
            acts.record(Verb.NO_DECIDE, request.user, competition)
        return redirect(competition)
    form = DecideForm(request.POST)
    if not form.is_valid():
        for name, errors in form.errors.items():
            messages.error(request, f"{form.fields[name].label}: {errors[0]}")
    elif not competition.is_open:
        messages.error(request, _("The competition %(title)s is closed.") % {"title": competition.title})
    else:
        asked = {"first": form.cleaned_data["first"], "matches": form.cleaned_data["most"]}
        with transaction.atomic():
            ladder.decide(competition, **asked)
            acts.record(Verb.DECIDE, request.user, competition, details=asked)
        ladder.top_up(competition)
    return redirect(competition)


@signed_in.page
def odd(request: SignedInRequest, slug: str) -> HttpResponse:
    """Results that the ratings do not explain, for those who may organize."""
    competition = get_object_or_404(Competition, slug=slug)
    if not may_organize(request.user, competition=competition):
        raise Http404
    odd_wins = odd_results(competition)
    return render(request, "leaderboards/odd_results.html", {"competition": competition, "odd": odd_wins})


@require_safe
async def events(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The event stream; 429 or 503 if too many are open, in which case the page polls instead.

    ?board=1: with the first page of the board, in which each page marks its reader's rows.
    """
    competition = await aget_object_or_404(Competition, slug=slug)
    if "board" not in request.GET:
        return stream.response(competition, address_of(request))
    shown = Shown(competition.pk, get_language() or settings.LANGUAGE_CODE, _board_of_all)
    is_compressed = "gzip" in request.headers.get("Accept-Encoding", "")
    return stream.response(competition, address_of(request), shown, is_compressed=is_compressed)


def _board_of_all(competition_id: int, language: str) -> str:
    """The first page with all links to challenge bots; static/js/live.js makes it the reader's."""
    competition = Competition.objects.get(pk=competition_id)
    with translation.override(language):
        shared = board(competition, FIRST_PAGE)
        context = _of_board(competition, FIRST_PAGE, shared, []) | {"board": with_challenges(shared)}
        return render_to_string("leaderboards/board.html", context)


def _own_accounts(user: User | AnonymousUser) -> list[str]:
    """The names of the accounts whose rows are the reader's."""
    return list(User.objects.filter(pk__in=acting_accounts(user)).values_list("username", flat=True))


def _of_board(competition: Competition, wanted: BoardQuery, shared: Board, own: list[Row]) -> dict[str, Any]:
    """What the part of the page shows that changes. own: the reader's rows."""
    return {
        "competition": competition,
        "board": with_own(shared, own, bool(wanted.search)),
        "total": shared.total,
        "wanted": wanted,
        "news": _news(shared, own),
        "live": happening.live(competition.pk),
    }


def _news(shared: Board, own: list[Row]) -> str:
    """The announcement for screen readers: the leader, and the rank of the reader's best bot."""
    if not shared.leader_bot:
        return ""
    news = _("%(bot)s is in the lead.") % {"bot": shared.leader}
    best = next((row for row in own if row.best), None)
    if best is not None and best.bot_id != shared.leader_bot:
        news += " " + str(OWN_NEWS) % {"bot": best.bot, "rank": best.rank}
    return news
