"""The latest archive, for the page of a competition."""

from typing import Any

from django import template

from agon.site.archives.models import Download
from agon.site.competitions.models import Competition
from agon.site.competitions.visibility import Audience, Subject
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.states import State

register = template.Library()


@register.inclusion_tag("archives/latest.html")
def latest_archive(competition: Competition) -> dict[str, Any]:
    """A link to the archive of the tournament that was finished last, if matches are for everyone."""
    if competition.shown_to(Subject.RECORDS) is not Audience.EVERYONE:
        return {"latest": None}
    made = Download.objects.filter(
        kind=Download.Kind.ARCHIVE,
        tournament__competition=competition,
        tournament__state=State.FINISHED,
        tournament__release=Tournament.Release.PUBLIC,
    )
    latest = made.select_related("tournament").order_by("-tournament__finished_at")
    return {"latest": latest.first()}
