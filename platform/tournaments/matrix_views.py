"""The head-to-head matrix of a tournament."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from agon.web.downloads import download
from tournaments import race, services
from tournaments.matrix import matrix, soon, to_csv
from tournaments.models import Tournament
from tournaments.running import sees_results


@require_safe
def tournament_matrix(request: HttpRequest, pk: int) -> HttpResponse:
    """`?sort=` by strength, or by an entrant's column; `?part=certainty`: how sure the winner is, alone."""
    found = _started(request, pk)
    if request.GET.get("part") == "certainty":
        if not (words := soon(found)):
            return HttpResponse(status=204)  # the link to the whole page stays
        return render(request, "tournaments/certainty.html", {"tournament": found, "certainty": words})
    sort = request.GET.get("sort", "")[:9]
    context = {
        "tournament": found,
        "competition": found.competition,
        "sort": sort,
        "matrix": matrix(found, sort),
        "race": race.chart(found),
    }
    return render(request, "tournaments/matrix.html", context)


@require_safe
def tournament_matrix_csv(request: HttpRequest, pk: int) -> HttpResponse:
    found = _started(request, pk)
    text = to_csv(found)
    return download(text.encode(), f"tournament-{pk}-head-to-head.csv", "text/csv; charset=utf-8")


@require_safe
def tournament_race_csv(request: HttpRequest, pk: int) -> HttpResponse:
    text = race.to_csv(_started(request, pk))
    return download(text.encode(), f"tournament-{pk}-race.csv", "text/csv; charset=utf-8")


def _started(request: HttpRequest, pk: int) -> Tournament:
    there = Tournament.objects.filter(services.visible(request.user)).select_related("competition")
    found = get_object_or_404(there, pk=pk)
    if found.started is None or not sees_results(request.user, found):
        raise Http404
    return found
