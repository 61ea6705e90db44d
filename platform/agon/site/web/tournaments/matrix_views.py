"""The head-to-head matrix of a tournament."""

import hashlib
from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from agon.site.core.cached import cached
from agon.site.tournaments.cached import cache_key
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.running import sees_results
from agon.site.web.core.downloads import download
from agon.site.web.tournaments import access, race
from agon.site.web.tournaments.matrix import FRESH, certainty_if_quick, certainty_of, matrix, to_csv


@require_safe
def tournament_matrix(request: HttpRequest, pk: int) -> HttpResponse:
    """`?sort=` by strength, or by an entrant's column; `?part=certainty`: only how certain the winner is."""
    tournament = _started(request, pk)
    if request.GET.get("part") == "certainty":
        if not (words := certainty_if_quick(tournament)):
            return HttpResponse(status=204)  # the link to the whole page stays
        return render(request, "tournaments/certainty.html", {"tournament": tournament, "certainty": words})
    context = {
        "tournament": tournament,
        "competition": tournament.competition,
        "certainty": certainty_of(tournament),
        "table": _table(tournament, request.GET.get("sort", "")),
        "race": race.chart(tournament),
    }
    return render(request, "tournaments/matrix.html", context)


def _table(tournament: Tournament, wanted: str) -> SafeString:
    """The matrix as HTML, cached for all readers. The key contains the names, which may be erased.

    It is cached briefly even if the tournament is over, because the site's templates and URLs may change.
    """
    names = list(tournament.entrants.values_list("name", flat=True))
    known = ("strength", *map(str, range(len(names))))
    sort = wanted if wanted in known else ""
    digest = hashlib.sha256(repr(names).encode()).hexdigest()
    key = cache_key(tournament, f"matrix-{get_language()}-{sort}-{digest}")
    return mark_safe(cached(key, partial(_rendered, tournament, sort), FRESH))  # rendered by the template


def _rendered(tournament: Tournament, sort: str) -> str:
    context = {
        "tournament": tournament,
        "competition": tournament.competition,
        "sort": sort,
        "matrix": matrix(tournament, sort),
    }
    return str(render_to_string("tournaments/matrix_table.html", context))


@require_safe
def tournament_matrix_csv(request: HttpRequest, pk: int) -> HttpResponse:
    tournament = _started(request, pk)
    text = to_csv(tournament)
    return download(text.encode(), f"tournament-{pk}-head-to-head.csv", "text/csv; charset=utf-8")


@require_safe
def tournament_race_csv(request: HttpRequest, pk: int) -> HttpResponse:
    text = race.to_csv(_started(request, pk))
    return download(text.encode(), f"tournament-{pk}-race.csv", "text/csv; charset=utf-8")


def _started(request: HttpRequest, pk: int) -> Tournament:
    tournament = access.shown(request, pk)
    if tournament.started is None or not sees_results(request.user, tournament):
        raise Http404
    return tournament
