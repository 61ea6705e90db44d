"""The resolver: results that are held back, revealed place by place, on a page for a projector.

The page for the projector is public, and shows everyone the same: what has been revealed. Those who run the
tournament can go on from it, and have a page of their own that says what comes next.
"""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from agon.site.tournaments import resolver, running
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.rights import may_organize
from agon.site.tournaments.services import BadTournament
from agon.site.web.core import signed_in
from agon.site.web.core.paging import whole_number
from agon.site.web.core.requests import SignedInRequest
from agon.site.web.tournaments import access

SHOWN = 12  # places that were revealed before, on the projector


@require_safe
@never_cache
def stage(request: HttpRequest, pk: int) -> HttpResponse:
    """The page for the projector; open ones poll `?part=stage`. `?at=` shows an earlier step again."""
    tournament = access.shown(request, pk)
    if request.GET.get("seen") == resolver.stamp(tournament):
        return HttpResponse(status=204)
    at = whole_number(request.GET.get("at"), 0) or None
    part = "tournaments/resolver_stage.html" if request.GET.get("part") else "tournaments/resolver.html"
    return _stage(request, tournament, part, at)


@signed_in.page
def presenter(request: HttpRequest, pk: int) -> HttpResponse:
    """What comes next, and the ways to go on; open ones poll `?part=desk`. 404 without permission."""
    tournament = access.to_organize(request, pk)
    stamp = resolver.stamp(tournament)
    if request.GET.get("seen") == stamp:
        return HttpResponse(status=204)
    context = {
        "tournament": tournament,
        "competition": tournament.competition,
        "stamp": stamp,
        "seen": resolver.revealed(tournament),
        "coming": resolver.upcoming(tournament),
        "is_over": resolver.is_over(tournament),
    }
    part = request.GET.get("part")
    return render(request, f"tournaments/resolver_{'desk' if part else 'presenter'}.html", context)


@signed_in.act
def advance(request: SignedInRequest, pk: int) -> HttpResponse:
    """Reveal the next place, with all who share it, or with `hidden` all but so many. 404 without permission.

    `shown` says how many places were revealed on the page that asks: if another presenter has gone on
    meanwhile, nothing is revealed. From the projector's page a script asks for its part alone.
    """
    tournament = access.to_organize(request, pk)
    on_stage = request.POST.get("on") == "stage"
    hidden = request.POST.get("hidden", "")
    try:
        running.reveal(
            tournament,
            request.user,
            shown=whole_number(request.POST.get("shown"), -1),
            hidden=whole_number(hidden, -1) if hidden else None,
        )
    except BadTournament as bad:
        if not on_stage:  # everyone reads that
            messages.error(request, str(bad))
    if not on_stage:
        return redirect("tournament_presenter", pk)
    if request.headers.get("HX-Request"):
        tournament.refresh_from_db()
        return _stage(request, tournament, "tournaments/resolver_stage.html")
    return redirect("tournament_resolver", pk)


def _stage(
    request: HttpRequest, tournament: Tournament, template: str, at: int | None = None
) -> HttpResponse:
    seen = resolver.revealed(tournament, at)
    context = {
        "tournament": tournament,
        "competition": tournament.competition,
        "stamp": resolver.stamp(tournament),
        "seen": seen,
        "before": seen.before[:SHOWN],
        "more": max(0, len(seen.before) - SHOWN),
        "is_over": resolver.is_over(tournament),
        "goes_back": seen.step < seen.steps,
        "goes_on": may_organize(request.user, tournament),
    }
    return render(request, template, context)
