"""The note about a bot's first win, which its owner sees once. Open pages fetch it, and confirm it."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django_htmx.http import HTMX_STOP_POLLING

from agon.site.bots.access import own_bots
from agon.site.competitions.models import Competition
from agon.site.matches.first_wins import awaiting, first_win, mark_shown
from agon.site.web.core import signed_in
from agon.site.web.core.paging import whole_number
from agon.site.web.core.requests import SignedInRequest


@signed_in.form
def view(request: SignedInRequest, slug: str) -> HttpResponse:
    """GET returns the note, or 204 while there is none; with `bot` that of this bot alone.

    POST with `bot` confirms that it was shown.
    """
    competition = get_object_or_404(Competition, slug=slug)
    if request.method == "POST":
        own = own_bots(request.user, competition)
        mark_shown(get_object_or_404(own, pk=whole_number(request.POST.get("bot"), 0)))
        return HttpResponse(status=204)
    bots = awaiting(request.user, competition)
    if "bot" in request.GET:
        bots = bots.filter(pk=whole_number(request.GET["bot"], 0))
    seat = first_win(list(bots))
    if seat is None:
        return HttpResponse(status=204)
    others = [opponent.name for opponent in seat.match.seats.exclude(pk=seat.pk)]
    context = {"competition": competition, "seat": seat, "others": others}
    return render(request, "matches/first_win.html", context, status=HTMX_STOP_POLLING)
