"""The latest prize of a competition, and which tournament awards those that were announced, for its pages."""

from typing import Any

from django import template
from django.contrib.auth.models import AnonymousUser

from agon.site.accounts.models import User
from agon.site.competitions.models import Competition
from agon.site.tournaments import rights
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.running import winners
from agon.site.tournaments.states import State

register = template.Library()


@register.inclusion_tag("tournaments/prize.html")
def latest_prize(competition: Competition) -> dict[str, Any]:
    """The latest finished tournament with a prize whose results are public, and its winners."""
    finished = Tournament.objects.filter(
        competition=competition, state=State.FINISHED, release=Tournament.Release.PUBLIC
    )
    tournament = finished.exclude(prize="").order_by("-finished_at").first()
    return {"tournament": tournament, "winners": winners(tournament) if tournament else [], "linked": True}


@register.simple_tag
def awarding(competition: Competition, user: User | AnonymousUser) -> Tournament | None:
    """The tournament whose ranks get the prizes of the competition, if `user` may see it."""
    return Tournament.objects.filter(rights.visible(user), competition=competition, awards=True).first()
