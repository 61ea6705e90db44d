"""The latest prize of a competition, for its pages."""

from typing import Any

from django import template

from competitions.models import Competition
from tournaments.models import Tournament
from tournaments.running import winners
from tournaments.states import State

register = template.Library()


@register.inclusion_tag("tournaments/prize.html")
def latest_prize(competition: Competition) -> dict[str, Any]:
    """The tournament with a prize that was finished last and is released, and who won it."""
    finished = Tournament.objects.filter(
        competition=competition, state=State.FINISHED, release=Tournament.Release.PUBLIC
    )
    found = finished.exclude(prize="").order_by("-finished_at").first()
    return {"tournament": found, "winners": winners(found) if found else [], "linked": True}
