"""The announced tournaments of a competition, on each of its pages: versions are frozen when they start."""

from typing import Any

from django import template

from agon.site.competitions.models import Competition
from agon.site.tournaments import happening

register = template.Library()


@register.inclusion_tag("tournaments/upcoming.html")
def upcoming_tournaments(competition: Competition) -> dict[str, Any]:
    """When they start, with what is left of the time."""
    return {
        "upcoming": [
            tournament for tournament in happening.upcoming() if tournament.competition_id == competition.pk
        ]
    }
