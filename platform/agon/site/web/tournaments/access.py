"""Tournaments for the pages: who sees them, and who runs them. For others they do not exist: 404."""

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from agon.site.competitions.models import Competition
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.rights import may_organize, visible


def shown(request: HttpRequest, pk: int) -> Tournament:
    """A tournament that the reader may see. Raises Http404."""
    tournaments = Tournament.objects.filter(visible(request.user))
    return get_object_or_404(tournaments.select_related("competition", "organizer"), pk=pk)


def to_organize(request: HttpRequest, pk: int) -> Tournament:
    """A tournament that the reader runs. Raises Http404."""
    tournament = get_object_or_404(Tournament.objects.select_related("competition"), pk=pk)
    if not may_organize(request.user, tournament):
        raise Http404
    return tournament


def competition_to_organize(request: HttpRequest, slug: str) -> Competition:
    """A competition in which the reader may run tournaments. Raises Http404."""
    competition = get_object_or_404(Competition, slug=slug)
    if not may_organize(request.user, competition=competition):
        raise Http404
    return competition
