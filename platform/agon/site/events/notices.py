"""Events that concern an account, as notices for its owner: what is new, and what has been read."""

from collections.abc import Sequence

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from agon.site.accounts.models import User
from agon.site.competitions.models import Competition
from agon.site.events import choices, feed
from agon.site.events.models import FOLLOWED, Event, Reader

MOST_COUNTED = 10  # more are shown as “9+”


def count_unread(user: User) -> int:
    """How many notices are unread, at most MOST_COUNTED, in one query."""
    seen = Reader.objects.filter(account=OuterRef("account")).values("seen")
    unread = Event.objects.filter(account=user).filter(
        Q(number=None) | Q(number__gt=Coalesce(Subquery(seen), Value(0)))
    )
    return unread.exclude(Exists(choices.not_on_site()))[:MOST_COUNTED].count()


def of_account(user: User) -> QuerySet[Event]:
    """The notices of an account that its owner wants on the site, the newest first."""
    feed.number_new()
    events = Event.objects.filter(account=user, number__isnull=False)
    return events.exclude(Exists(choices.not_on_site())).order_by("-number")


def of_competition(competition: Competition) -> QuerySet[Event]:
    """What people follow a competition by, the newest first."""
    feed.number_new()
    events = Event.objects.filter(competition=competition, kind__in=FOLLOWED, number__isnull=False)
    return events.order_by("-number")


def read_until(user: User) -> int:
    """The number of the last notice that the owner has read."""
    return Reader.objects.filter(account=user).values_list("seen", flat=True).first() or 0


def mark_read(user: User, shown: Sequence[Event]) -> None:
    """Remember that these were shown."""
    newest = max((event.number or 0 for event in shown), default=0)
    if newest > read_until(user):
        Reader.objects.update_or_create(account=user, defaults={"seen": newest})
