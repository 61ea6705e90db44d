"""Webhooks of the token's account, what became of each event, and events that are sent again."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from ninja import Router, Status
from pydantic import Field

from agon.site.api import cursors, lookup
from agon.site.api.access import READ, SUBMIT, check_competition, check_whole_account, of_token
from agon.site.api.cursors import USUAL, Limit
from agon.site.api.problems import FieldError, Problem
from agon.site.api.shapes import Page, Shape
from agon.site.events.models import Kind
from agon.site.webhooks import services
from agon.site.webhooks.models import LONGEST_URL, Delivery, Hook, Outcome
from agon.site.webhooks.services import BadHook

router = Router(tags=["webhooks"])


class WebhookShape(Shape):
    """failing: since when nothing has arrived. off: when it was switched off."""

    id: int
    url: str
    competition: str | None = Field(description="Whose feed it gets; null: that of your account.")
    created: datetime
    failing: datetime | None
    off: datetime | None


class NewWebhookShape(WebhookShape):
    secret: str = Field(description="The key of its signatures (Standard Webhooks). It is not shown again.")


class WebhookWanted(Shape):
    url: str = Field(max_length=LONGEST_URL, description="It begins with https://.")
    competition: str | None = Field(None, description="Whose feed it gets; null: that of your account.")


class DeliveryShape(Shape):
    """An event that was sent, or could not be. status: of HTTP. waits_again: it will be sent once more."""

    event: int
    type: Kind
    outcome: Outcome
    status: int | None
    tries: int
    first: datetime
    last: datetime
    waits_again: bool


@router.get("/webhooks", auth=READ, response=list[WebhookShape])
def webhooks(request: Any) -> list[dict[str, Any]]:
    """Your webhooks."""
    return [_shape(hook) for hook in of_token(request, _own(request)).order_by("pk")]


@router.post("/webhooks", auth=SUBMIT, response={201: NewWebhookShape})
def register(request: Any, wanted: WebhookWanted) -> Any:
    """Have the events of a feed sent to an address, from now on.

    Each is a POST request with the same object as in the feed, signed as in Standard Webhooks.
    """
    competition = None if wanted.competition is None else lookup.competition(wanted.competition)
    _check_token(request, competition)
    try:
        made = services.register(request.user, wanted.url, competition)
    except BadHook as bad:
        if bad.field == "competition":
            raise Problem("not_allowed", str(bad)) from None
        errors = [FieldError(f"/{bad.field}", str(bad))] if bad.field else []
        raise Problem("invalid" if errors else "quota", "" if errors else str(bad), errors=errors) from None
    return Status(201, {**_shape(made), "secret": made.secret})


@router.get("/webhooks/{id}", auth=READ, response=WebhookShape)
def webhook(request: Any, id: int) -> dict[str, Any]:
    """One of your webhooks."""
    return _shape(_one(request, id))


@router.delete("/webhooks/{id}", auth=SUBMIT, response={204: None})
def delete(request: Any, id: int) -> Any:
    """Delete a webhook. Nothing is sent to it from now on."""
    services.delete(_one(request, id))
    return Status(204, None)


@router.post("/webhooks/{id}/switch-on", auth=SUBMIT, response=WebhookShape)
def switch_on(request: Any, id: int) -> dict[str, Any]:
    """Go on where a webhook was switched off; or try again now where it fails."""
    hook = _one(request, id)
    services.switch_on(hook)
    return _shape(hook)


@router.get("/webhooks/{id}/deliveries", auth=READ, response=Page[DeliveryShape])
def deliveries(request: Any, id: int, cursor: str | None = None, limit: Limit = USUAL) -> dict[str, Any]:
    """What was sent to a webhook, or could not be, the newest first. Kept as long as events are."""
    hook = _one(request, id)
    deliveries = hook.deliveries.select_related("event")
    return cursors.newest_first(f"deliveries-{hook.pk}", deliveries, cursor, limit, _delivery)


@router.post("/webhooks/{id}/deliveries/{event}/again", auth=SUBMIT, response=DeliveryShape)
def send_again(request: Any, id: int, event: int) -> dict[str, Any]:
    """Send an event once more, at once. event: its id."""
    hook = _one(request, id)
    delivery = hook.deliveries.select_related("event").filter(event__number=lookup.within(event)).first()
    if delivery is None:
        raise lookup.hidden(event)
    if hook.off is not None:
        raise Problem("conflict", _("The webhook is switched off. Switch it on first."))
    services.send_again(delivery)
    return _delivery(delivery)


def _own(request: Any) -> QuerySet[Hook]:
    return Hook.objects.filter(owner=request.user).select_related("competition")


def _one(request: Any, pk: int) -> Hook:
    hook = lookup.one(_own(request), pk)
    _check_token(request, hook.competition)
    return hook


def _check_token(request: Any, competition: Any) -> None:
    """The feed of an account is of all competitions, so a token for one of them is not good for it."""
    if competition is not None:
        check_competition(request, competition)
    else:
        check_whole_account(request)


def _shape(hook: Hook) -> dict[str, Any]:
    return WebhookShape.from_row(hook, competition=hook.competition.slug if hook.competition else None)


def _delivery(delivery: Delivery) -> dict[str, Any]:
    return DeliveryShape.from_row(
        delivery,
        event=delivery.event.number,
        type=delivery.event.kind,
        last=delivery.tried,
        waits_again=delivery.again,
    )
