"""Downloads of tournaments, the keys that sign them, and the chain of results."""

from datetime import date
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from agon.site.archives import keys, storing
from agon.site.archives.contents import logs
from agon.site.archives.models import Day, Download
from agon.site.tournaments import rights
from agon.site.tournaments.match_access import may_see_records
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.running import sees_results
from agon.site.web.core.downloads import being_made, ranged, streamed
from agon.site.web.core.paging import Page
from agon.site.web.tournaments.access import shown

DAYS = 50  # on a page


@require_safe
def tournament_download(request: HttpRequest, pk: int, kind: str) -> HttpResponseBase:
    """A file of a tournament that is over, for everyone who may see the tournament.

    503 while it is still being made, also after the sources were closed: it may contain standard error.
    """
    tournament = shown(request, pk)
    if (
        tournament.started is None
        or not tournament.is_over
        or not sees_results(request.user, tournament)
        or (kind == Download.Kind.SOURCES and not tournament.sources_open)
        or (kind == Download.Kind.ARCHIVE and not may_see_records(request.user, tournament.competition))
    ):
        raise Http404
    download = tournament.downloads.filter(kind=kind).first()
    if download is None or storing.predates_closing(download) or storing.is_lost(download):
        return being_made()
    chosen = storing.Kind(kind)
    name, content_type = storing.filename(tournament, chosen), storing.NAMES[chosen][1]
    return ranged(request, download.file.open, download.size, download.sha256, name, content_type)


@require_safe
def tournament_logs(request: HttpRequest, pk: int) -> HttpResponseBase:
    """What bots wrote to standard error, for organizers: a line of JSON for each seat that wrote."""
    tournament = get_object_or_404(Tournament, pk=pk)
    if not rights.may_see_logs(request.user, tournament) or tournament.started is None:
        raise Http404
    name = f"tournament-{tournament.pk}-logs.jsonl"
    return streamed(request, logs(tournament), name, "application/jsonl")


@require_safe
def signers(request: HttpRequest) -> HttpResponse:
    """The keys that sign archives, as an allowed_signers file of OpenSSH."""
    return HttpResponse(keys.allowed_signers(), content_type="text/plain; charset=utf-8")


@require_safe
def chain(request: HttpRequest) -> HttpResponse:
    """The closed days, the latest first, and how to check them."""
    context: dict[str, Any] = {
        "page": Page(Day.objects.order_by("-date"), DAYS, request.GET.get("page")),
        "head": Day.objects.last(),
        "signers": keys.address(),
        "signer": keys.name(),
    }
    return render(request, "archives/chain.html", context)


@require_safe
def chain_day(request: HttpRequest, day: date) -> HttpResponseBase:
    """The text of a day."""
    shown = get_object_or_404(Day, date=day)
    name, content_type = f"results-{day}.txt", "text/plain; charset=utf-8"
    try:
        return ranged(request, shown.lines.open, shown.lines.size, shown.digest, name, content_type)
    except FileNotFoundError:
        raise Http404 from None
