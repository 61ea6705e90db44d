"""Adds events, numbers them, reads them in order, and removes old ones."""

import time
from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from agon.site.events.models import Counter, Event, Kind
from agon.site.teams.queries import people_of

KEPT = timedelta(days=30)
AT_ONCE = 1000  # events numbered or removed in one transaction


class TooOld(Exception):
    """Events after `since` were removed; `first` is the number of the first one that is still kept."""

    def __init__(self, first: int) -> None:
        super().__init__(first)
        self.first = first


def add(kind: Kind, competition: int | None = None, account: int | None = None, **data: Any) -> None:
    """Add an event, in the transaction of what happened. account: an owner; a team's members each get it."""
    if account is None or (people := people_of({account})[account]) == {account}:
        Event.objects.create(kind=kind, competition_id=competition, account_id=account, data=data)
        return
    if competition is not None:
        Event.objects.create(kind=kind, competition_id=competition, data=data)
    for person in sorted(people):
        Event.objects.create(kind=kind, account_id=person, data=data)


def add_for_each(kind: Kind, accounts: Collection[int], **data: Any) -> None:
    """Add the same event for each of these people, however many: a few statements for all of them."""
    rows = (Event(kind=kind, account_id=account, data=data) for account in sorted(accounts))
    Event.objects.bulk_create(rows, batch_size=AT_ONCE)


def after(events: QuerySet[Event], since: int, most: int) -> Sequence[Event]:
    """The next events of a feed in order, numbered now if they are new. Raises TooOld."""
    number_new()
    counter = Counter.objects.filter(pk=1).first()
    if counter is not None and since < counter.removed:
        raise TooOld(counter.removed + 1)
    return list(events.filter(number__gt=since).order_by("number")[:most])


def last_number() -> int:
    """The number of the newest event."""
    number_new()
    return Counter.objects.filter(pk=1).values_list("last", flat=True).first() or 0


def number_new() -> None:
    """Give events that have become visible their numbers."""
    if not Event.objects.filter(number=None).exists():  # a read does not block SQLite's one writer
        return
    with transaction.atomic():
        counter = _lock()
        new = list(Event.objects.filter(number=None).order_by("pk")[:AT_ONCE])
        for number, event in enumerate(new, start=counter.last + 1):
            event.number = number
        Event.objects.bulk_update(new, ["number"])
        counter.last += len(new)
        counter.save(update_fields=["last"])


def skip_numbers() -> None:
    """Give no number again that was given after the backup from which this site was restored.

    Readers know how far they have read, and receivers of webhooks what they have got, by these numbers. Fewer
    than a thousand events happen in a second, so the time in milliseconds is beyond all that were ever given.
    """
    with transaction.atomic():
        counter = _lock()
        counter.last = max(counter.last, int(time.time() * 1000))
        counter.save(update_fields=["last"])


def remove_old() -> int:
    """Remove events that are no longer kept; returns how many there were."""
    old = Event.objects.filter(at__lt=timezone.now() - KEPT, number__isnull=False)
    if not old.exists():
        return 0
    with transaction.atomic():
        counter = _lock()
        numbers = list(old.order_by("number").values_list("number", flat=True)[:AT_ONCE])
        removed = max(number for number in numbers if number is not None)
        count, _by_model = Event.objects.filter(number__lte=removed).delete()
        counter.removed = removed
        counter.save(update_fields=["removed"])
    return count


def _lock() -> Counter:
    Counter.objects.get_or_create(pk=1)
    return Counter.objects.select_for_update(no_key=True).get(pk=1)
