"""An event as others see it: the same object in feeds and in webhooks."""

from typing import Any

from django.conf import settings

from agon.site.events.models import Event

LINKS = {
    "submission": "/api/v1/submissions/{}",
    "bot": "/api/v1/bots/{}",
    "challenge": "/api/v1/challenges/{}",
    "tournament": "/api/v1/tournaments/{}",
    "announcement": "/api/v1/announcements/{}",
    "webhook": "/api/v1/webhooks/{}",
}


def shape_of(event: Event) -> dict[str, Any]:
    """event: numbered, with its competition."""
    links = {name: LINKS[name].format(event.data[name]) for name in LINKS if name in event.data}
    if event.competition is not None:
        links["competition"] = f"/api/v1/competitions/{event.competition.slug}"
    return {
        "id": event.number,
        "type": event.kind,
        "competition": event.competition.slug if event.competition else None,
        "data": event.data,
        "links": {name: f"{settings.SITE_URL}{path}" for name, path in links.items()},
        "at": event.at,
    }
