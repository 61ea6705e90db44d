"""Delivers events to webhooks: in order, each until it has arrived or a day has passed.

Theory of operation.

Processes:
- The sweeper asks for a worker's task while something is due. The task claims some webhooks, and a thread for
  each sends what is next to it; only the task itself uses the database. So a receiver that hangs holds up no
  other one, and costs a task some seconds.
- A webhook is claimed for a while, which only one process can do. One whose process died is free after that.

Pipes:
- Events go to a webhook in the order of their numbers. One that did not arrive is tried again, later each
  time, and the others wait for it. A receiver can ask for a longer pause (Retry-After). After GIVEN_UP the
  next one follows. What its owner wants sent again comes first, and is tried once.

Failure:
- A process that dies after a message was sent, and before that is stored, sends it again under the same id.
- A webhook that has taken nothing for OFF_AFTER, or has answered that it is gone (410), is switched off, and
  its owner is notified. The rest waits until it is switched on.
"""

import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import datetime, timedelta
from typing import NamedTuple
from urllib.parse import urlsplit

from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

import agon
from agon.site.core.db.deadlocks import repeated_after_deadlock
from agon.site.core.isolation import for_each_isolated
from agon.site.events import feed
from agon.site.events.models import Event, Kind
from agon.site.events.shape import shape_of
from agon.site.webhooks import sending, signing
from agon.site.webhooks.models import Delivery, Hook, Outcome
from agon.site.webhooks.sending import Answer

PAUSES = [
    timedelta(seconds=seconds) for seconds in (5, 30, 120, 300, 900, 1800, 3600, 7200, sending.LONGEST_WAIT)
]
GIVEN_UP = timedelta(days=1)
OFF_AFTER = timedelta(days=7)
CLAIMED = timedelta(minutes=2)  # longer than a round takes
HOOKS = 16  # of one task
EVENTS = 100  # for one webhook in one task
ROUND_SECONDS = 5.0  # after which a webhook gets no further event in this task
GONE = 410


class Sent(NamedTuple):
    event: Event
    answer: Answer


def is_due() -> bool:
    """Whether something is to be delivered."""
    return _due().exists()


def deliver_due() -> None:
    """Deliver what is due to some webhooks."""
    claimed = [(hook, _events(hook)) for hook in _due().order_by("due")[:HOOKS] if _claim(hook)]
    if not claimed:
        return
    with ThreadPoolExecutor(len(claimed)) as pool:
        running = {pool.submit(_send_all, hook, events): hook for hook, events in claimed}
        for_each_isolated(as_completed(running), lambda ended: _store(running[ended], ended.result()))


def feed_of(hook: Hook) -> QuerySet[Event]:
    """The events that a webhook gets, whenever they happened."""
    if hook.competition_id is not None:
        return Event.objects.filter(competition=hook.competition_id)
    return Event.objects.filter(account=hook.owner_id)


def _due() -> QuerySet[Hook]:
    feed.number_new()
    new = Event.objects.filter(number__gt=OuterRef("position"))
    of_competition = new.filter(competition=OuterRef("competition"))
    of_account = new.filter(account=OuterRef("owner"))
    again = Delivery.objects.filter(hook=OuterRef("pk"), again=True)
    waits = Exists(again) | Exists(of_competition) | (Q(competition=None) & Exists(of_account))
    moment = timezone.now()
    free = Q(claimed=None) | Q(claimed__lte=moment)
    return Hook.objects.filter(waits, free, off=None, owner__is_active=True, due__lte=moment)


def _claim(hook: Hook) -> bool:
    unchanged = Hook.objects.filter(pk=hook.pk, position=hook.position, claimed=hook.claimed, off=None)
    return bool(unchanged.update(claimed=timezone.now() + CLAIMED))


def _events(hook: Hook) -> list[Event]:
    """The next events: those that are wanted again, then new ones in order."""
    again = list(hook.deliveries.filter(again=True).values_list("event", flat=True))
    new = feed_of(hook).filter(number__gt=hook.position).exclude(pk__in=again)
    parts = (Event.objects.filter(pk__in=again), new)
    return [
        event
        for events in parts
        for event in events.select_related("competition").order_by("number")[:EVENTS]
    ]


def _send_all(hook: Hook, events: Sequence[Event]) -> list[Sent]:
    """Send them in order, until one does not arrive. Runs in a thread, without the database."""
    sent: list[Sent] = []
    until = time.monotonic() + ROUND_SECONDS
    for event in events:
        sent.append(Sent(event, _send(hook, event)))
        if sent[-1].answer.outcome != Outcome.DELIVERED or time.monotonic() > until:
            break
    return sent


def _send(hook: Hook, event: Event) -> Answer:
    body = json.dumps(shape_of(event), cls=DjangoJSONEncoder, ensure_ascii=False).encode()
    headers = signing.headers(hook.secret, f"event_{event.number}", int(time.time()), body)
    headers |= {"Content-Type": "application/json", "User-Agent": f"Agon/{agon.__version__}"}
    return sending.post(hook.url, body, headers)


@repeated_after_deadlock
@transaction.atomic
def _store(claimed: Hook, sent: Sequence[Sent]) -> None:
    """Store what became of the events, and when the next one may be tried."""
    hook = Hook.objects.select_for_update(no_key=True).filter(pk=claimed.pk).first()
    if hook is None:  # deleted meanwhile
        return
    moment = timezone.now()
    for event, answer in sent:
        first = _store_one(hook, event, answer, moment)
        if answer.outcome == Outcome.DELIVERED or first <= moment - GIVEN_UP:
            hook.position = max(hook.position, event.number or 0)
    if sent and sent[-1].answer.outcome != Outcome.DELIVERED:
        _fail(hook, sent[-1].answer, moment)
    else:
        hook.failures, hook.failing, hook.due = 0, None, moment
    hook.claimed = None
    hook.save()


def _store_one(hook: Hook, event: Event, answer: Answer, moment: datetime) -> datetime:
    """Store an attempt; returns when the first one was."""
    values = {"outcome": answer.outcome, "status": answer.status, "tried": moment, "again": False}
    delivery, _made = Delivery.objects.get_or_create(hook=hook, event=event, defaults=values)
    Delivery.objects.filter(pk=delivery.pk).update(tries=F("tries") + 1, **values)
    return delivery.first


def _fail(hook: Hook, answer: Answer, moment: datetime) -> None:
    """Put the webhook off, or switch it off."""
    pause = PAUSES[min(hook.failures, len(PAUSES) - 1)]
    hook.due = moment + max(pause, timedelta(seconds=answer.retry_after))
    hook.failures += 1
    hook.failing = hook.failing or moment
    if answer.status == GONE or hook.failing <= moment - OFF_AFTER:
        hook.off = moment
        host = urlsplit(hook.url).hostname or ""
        feed.add(Kind.WEBHOOK_OFF, None, hook.owner_id, webhook=hook.pk, host=host)
