"""Feeds of events: what happened in a competition, or concerns an account, in order."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from ninja import Router
from pydantic import Field

from agon.site.api import lookup
from agon.site.api.access import READ
from agon.site.api.cursors import LARGEST_ID, MOST, Limit
from agon.site.api.problems import Problem
from agon.site.api.shapes import Shape, link
from agon.site.events import feed
from agon.site.events.feed import TooOld
from agon.site.events.models import Event, Kind

router = Router(tags=["events"])
LINKS = {
    "submission": "/api/v1/submissions/{}",
    "bot": "/api/v1/bots/{}",
    "tournament": "/api/v1/tournaments/{}",
}


class EventShape(Shape):
    """What happened, and where to read how it is now."""

    id: int = Field(description="Rises by 1 or more from event to event. Send the last one as `since`.")
    type: Kind
    competition: str | None
    data: dict[str, Any] = Field(description="Ids of what it concerns.")
    links: dict[str, str]
    at: datetime


class FeedShape(Shape):
    """items: in order. since: what to send next time, also where there are no items."""

    items: list[EventShape]
    since: int


def shape_of(event: Event) -> dict[str, Any]:
    """event: numbered, with its competition."""
    links = {name: link(LINKS[name].format(event.data[name])) for name in LINKS if name in event.data}
    if event.competition is not None:
        links["competition"] = link(f"/api/v1/competitions/{event.competition.slug}")
    return {
        "id": event.number,
        "type": event.kind,
        "competition": event.competition.slug if event.competition else None,
        "data": event.data,
        "links": links,
        "at": event.at,
    }


@router.get("/competitions/{slug}/events", response=FeedShape)
def of_competition(request: Any, slug: str, since: int = 0, limit: Limit = MOST) -> dict[str, Any]:
    """What happened in a competition after the event `since`."""
    return _feed(Event.objects.filter(competition=lookup.competition(slug)), since, limit)


@router.get("/me/events", auth=READ, response=FeedShape)
def of_account(request: Any, since: int = 0, limit: Limit = MOST) -> dict[str, Any]:
    """What concerns your bots after the event `since`."""
    return _feed(Event.objects.filter(account=request.user), since, limit)


def _feed(events: QuerySet[Event], since: int, limit: int) -> dict[str, Any]:
    since = min(max(since, 0), LARGEST_ID)
    try:
        found = feed.after(events.select_related("competition"), since, limit)
    except TooOld as error:
        raise Problem(
            "gone",
            _("Events before %(first)d are not kept any more.") % {"first": error.first},
            _("Read everything once, and go on with since=%(since)d.") % {"since": feed.last_number()},
        ) from None
    last = found[-1].number if found else None
    return {"items": [shape_of(event) for event in found], "since": last or since}
