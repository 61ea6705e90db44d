"""Which notices the owner of an account wants, and where."""

from collections.abc import Mapping
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import OuterRef, QuerySet

from agon.site.accounts.models import User
from agon.site.events import feed
from agon.site.events.models import Kind, Mailing, NoticeChoice
from agon.site.events.words import NAMES

KINDS = tuple(NAMES)  # the kinds that concern an account


class Chosen(NamedTuple):
    """Where notices of a kind are wanted."""

    on_site: bool
    by_mail: bool


def of_account(user: User) -> dict[Kind, Chosen]:
    """What is wanted of each kind, in the order of KINDS."""
    stored = {row.kind: row for row in NoticeChoice.objects.filter(account=user)}
    return {
        kind: Chosen(row.on_site, row.mailed_after is not None)
        if (row := stored.get(kind)) is not None
        else Chosen(on_site=True, by_mail=False)
        for kind in KINDS
    }


@transaction.atomic
def choose(user: User, wanted: Mapping[Kind, Chosen], language: str) -> None:
    """Store what is wanted of these kinds, and the language of the mails.

    What happened before e-mail was chosen is not mailed. Where the site sends no mail, its page does not ask,
    and what was chosen about mail stays.
    """
    User.objects.select_for_update(no_key=True).get(pk=user.pk)  # two forms at once: one after the other
    before, last = of_account(user), feed.last_number()
    for kind, chosen in wanted.items():
        if not settings.MAIL:
            chosen = chosen._replace(by_mail=before[kind].by_mail)
        if chosen == before[kind]:
            continue
        values: dict[str, int | bool | None] = {"on_site": chosen.on_site}
        if chosen.by_mail != before[kind].by_mail:
            values["mailed_after"] = last if chosen.by_mail else None
        NoticeChoice.objects.update_or_create(account=user, kind=kind, defaults=values)
    Mailing.objects.update_or_create(account=user, defaults={"language": language})


def stop_mail(account: int) -> None:
    """No notice is mailed to the owner any more."""
    NoticeChoice.objects.filter(account=account).update(mailed_after=None)


def not_on_site() -> QuerySet[NoticeChoice]:
    """For a query of events: the row which says that an event of this kind is not wanted on the site."""
    return NoticeChoice.objects.filter(account=OuterRef("account"), kind=OuterRef("kind"), on_site=False)


def wanted_by_mail() -> QuerySet[NoticeChoice]:
    """For a query of events: the row which says that an event is to be mailed."""
    return NoticeChoice.objects.filter(
        account=OuterRef("account"), kind=OuterRef("kind"), mailed_after__lt=OuterRef("number")
    )


def forget(user: User) -> None:
    """Remove what was chosen."""
    NoticeChoice.objects.filter(account=user).delete()
    Mailing.objects.filter(account=user).delete()
