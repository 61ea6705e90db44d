"""Feeds of events: what happened in a competition, or concerns an account, in order."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.utils.translation import gettext as _
from ninja import Router
from pydantic import Field

from agon.site.api import lookup, streaming
from agon.site.api.access import READ, check_whole_account
from agon.site.api.cursors import LARGEST_ID, MOST_ROWS, Limit
from agon.site.api.problems import Problem
from agon.site.api.shapes import Shape
from agon.site.core.addresses import address_of
from agon.site.events import feed
from agon.site.events.feed import TooOld
from agon.site.events.models import Event, Kind
from agon.site.events.shape import shape_of
from agon.site.web.core import open_streams
from agon.site.web.core.open_streams import Slot

router = Router(tags=["events"])


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


STREAMS = {
    "responses": {
        200: {
            "content": {
                streaming.JSON_LINES: {"schema": {"type": "string"}},
                streaming.SERVER_SENT: {"schema": {"type": "string"}},
            }
        }
    }
}


@router.get("/competitions/{slug}/events", response=FeedShape, openapi_extra=STREAMS)
def of_competition(request: Any, slug: str, since: int = 0, limit: Limit = MOST_ROWS) -> Any:
    """What happened in a competition after the event `since`.

    With `Accept: application/x-ndjson` or `text/event-stream`, the response goes on as things happen.
    """
    competition = lookup.competition(slug)
    events = Event.objects.filter(competition=competition)
    return _feed(request, events, lambda event: event.competition_id == competition.pk, since, limit)


@router.get("/me/events", auth=READ, response=FeedShape, openapi_extra=STREAMS)
def of_account(request: Any, since: int = 0, limit: Limit = MOST_ROWS) -> Any:
    """What concerns your bots after the event `since`. It can go on as the feed of a competition does."""
    check_whole_account(request)
    account = request.user.pk
    events = Event.objects.filter(account=account)
    return _feed(request, events, lambda event: event.account_id == account, since, limit)


def _feed(request: Any, events: QuerySet[Event], belongs: streaming.Belongs, since: int, limit: int) -> Any:
    last_seen = request.headers.get("Last-Event-ID", "")  # sent by a reader that connects again
    if last_seen.isdecimal():
        since = int(last_seen[:19])
    since = min(max(since, 0), LARGEST_ID)
    try:
        news = feed.after(events.select_related("competition"), since, limit)
    except TooOld as error:
        raise Problem(
            "gone",
            _("Events before %(first)d are not kept any more.") % {"first": error.first},
            _("Read everything once, and go on with since=%(since)d.") % {"since": feed.last_number()},
        ) from None
    kind = request.get_preferred_type(["application/json", streaming.JSON_LINES, streaming.SERVER_SENT])
    if kind in (streaming.JSON_LINES, streaming.SERVER_SENT):
        return _stream(request, events, belongs, since, kind)
    last = news[-1].number if news else None
    return {"items": [shape_of(event) for event in news], "since": last or since}


def _stream(
    request: Any, events: QuerySet[Event], belongs: streaming.Belongs, since: int, kind: str
) -> StreamingHttpResponse:
    address = address_of(request)
    refused = open_streams.refusal(address)
    if refused is not None:
        code = "too_many_requests" if refused.status_code == 429 else "unavailable"
        raise Problem(code, _("Too many streams are open."), retry_after=60)
    token = None if request.token is None else request.token.pk
    return streaming.response(events, belongs, since, shape_of, kind, Slot(address), token)
