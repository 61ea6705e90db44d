"""Seasons: their list, the board with its exports, and the forms of organizers."""

import json

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from agon.site.seasons import queries, services
from agon.site.seasons.models import Season
from agon.site.seasons.services import BadSeason
from agon.site.teams.queries import acting_accounts
from agon.site.tournaments.states import State
from agon.site.web.core import refused, signed_in
from agon.site.web.core.downloads import download
from agon.site.web.core.paging import Page, whole_number
from agon.site.web.core.requests import SignedInRequest
from agon.site.web.seasons.forms import SeasonForm

SEASONS = 30  # per page of the list
ROWS = 100  # per page of a board


@require_safe
def seasons(request: HttpRequest) -> HttpResponse:
    seasons = Season.objects.select_related("organizer").order_by("-pk")
    page = Page(seasons, SEASONS, request.GET.get("page"))
    may_make = services.may_make(request.user)
    return render(request, "seasons/list.html", {"page": page, "may_make": may_make})


@require_safe
def season(request: HttpRequest, pk: int) -> HttpResponse:
    """The board."""
    season = get_object_or_404(Season.objects.select_related("organizer"), pk=pk)
    board = queries.board(season)
    page = Page(board.rows, ROWS, request.GET.get("page"))
    order = {tournament.pk: number for number, tournament in enumerate(board.counted)}
    rows = []
    for row in page.items:
        cells = [None] * len(board.counted)
        for result in row.results:
            cells[order[result.tournament]] = result
        rows.append((row, board.names[row.competitor], cells))
    others = queries.uncounted(season, request.user)
    context = {
        "season": season,
        "counted": board.counted,
        "awaited": [tournament for tournament in others if tournament.state != State.CANCELLED],
        "cancelled": [tournament for tournament in others if tournament.state == State.CANCELLED],
        "page": page,
        "rows": rows,
        "own_accounts": acting_accounts(request.user),
        "may_change": services.may_change(request.user, season),
        "changes": queries.changes(season, request.user),
    }
    return render(request, "seasons/season.html", context)


@require_safe
def season_csv(request: HttpRequest, pk: int) -> HttpResponse:
    season = get_object_or_404(Season, pk=pk)
    text = queries.to_csv(queries.board(season))
    return download(text.encode(), f"season-{pk}.csv", "text/csv; charset=utf-8")


@require_safe
def season_json(request: HttpRequest, pk: int) -> HttpResponse:
    season = get_object_or_404(Season, pk=pk)
    text = json.dumps(queries.to_data(season, queries.board(season)), ensure_ascii=False, indent=1)
    return download(f"{text}\n".encode(), f"season-{pk}.json", "application/json")


@signed_in.form
def new(request: SignedInRequest) -> HttpResponse:
    """The form of a new season. 404 without permission."""
    if not services.may_make(request.user):
        raise Http404
    form = SeasonForm(request.POST if request.method == "POST" else None, request.user)
    if form.is_valid():
        with refused.in_form(form, BadSeason):
            return redirect(services.create(request.user, form.wanted))
    return render(request, "seasons/form.html", {"form": form}, status=422 if form.errors else 200)


@signed_in.act
def delete(request: SignedInRequest, pk: int) -> HttpResponse:
    season = get_object_or_404(Season, pk=pk)
    if not services.may_change(request.user, season):
        raise Http404
    with refused.as_message(request, BadSeason):
        services.delete(season, request.user, _reason(request))
        messages.success(request, _("The season was deleted."))
        return redirect("seasons")
    return redirect("season_edit", pk)


@signed_in.form
def edit(request: SignedInRequest, pk: int) -> HttpResponse:
    """The form of a season. 404 without permission."""
    season = get_object_or_404(Season, pk=pk)
    if not services.may_change(request.user, season):
        raise Http404
    form = SeasonForm(request.POST if request.method == "POST" else None, request.user, season)
    seen = whole_number(request.POST.get("seen"), -1) if request.method == "POST" else season.revision
    if form.is_valid():
        with refused.in_form(form, BadSeason):
            services.change(season, request.user, form.wanted, seen, _reason(request))
            messages.success(request, _("The season was changed."))
            return redirect(season)
    context = {"form": form, "season": season, "seen": seen, "reason": request.POST.get("reason", "")}
    return render(request, "seasons/form.html", context, status=422 if form.errors else 200)


def _reason(request: SignedInRequest) -> str:
    return request.POST.get("reason", "")[:1000].replace("\0", "").strip()
