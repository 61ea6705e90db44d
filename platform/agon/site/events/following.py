"""Who follows which bots and competitions, and so gets notices of them as of their own."""

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.bots.access import visible_bots
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.events.feed import add_for_each
from agon.site.events.models import Follow, Kind
from agon.site.teams.queries import acts_for, people_of

MOST_FOLLOWED = 200  # bots and competitions that one account follows


class CannotFollow(Exception):
    """str(e) says why, in the reader's language."""


def follow(user: User, followed: Bot | Competition) -> None:
    """Idempotent. Raises CannotFollow."""
    if isinstance(followed, Bot) and acts_for(user, followed.owner_id):
        raise CannotFollow(_("You get the notices of your own bots anyway."))
    if is_followed(user, followed):
        return
    if Follow.objects.filter(account=user).count() >= MOST_FOLLOWED:
        raise CannotFollow(
            _("You follow %(most)d bots and competitions, which is the limit.") % {"most": MOST_FOLLOWED}
        )
    try:
        with transaction.atomic():
            Follow.objects.get_or_create(account=user, **_what(followed))
    except IntegrityError:  # the same button, pressed twice
        if not is_followed(user, followed):
            raise


def unfollow(user: User, followed: Bot | Competition) -> None:
    Follow.objects.filter(account=user, **_what(followed)).delete()


def is_followed(user: User, followed: Bot | Competition) -> bool:
    return Follow.objects.filter(account=user, **_what(followed)).exists()


def followed(user: User) -> list[Bot | Competition]:
    """What an account follows and may see, the latest first. A bot may have failed since."""
    visible = Q(bot=None) | Q(bot__in=visible_bots(user, Bot.objects.all()))
    rows = Follow.objects.filter(visible, account=user)
    rows = rows.select_related("bot__competition", "competition").order_by("-pk")
    return [thing for row in rows if (thing := row.bot or row.competition) is not None]


def notify_followers(kind: Kind, followed: Bot | Competition, but: int | set[int], **data: int) -> None:
    """Add an event that everyone may know to the feeds of followers. but: accounts that have it already."""
    owners = {but} if isinstance(but, int) else but
    excluded = owners.union(*people_of(owners).values())
    add_for_each(kind, followers(followed) - excluded, **data)


def followers(followed: Bot | Competition) -> set[int]:
    """The accounts that follow it, and are people's."""
    follows = Follow.objects.filter(account__is_active=True, **_what(followed))
    return set(follows.values_list("account", flat=True))


def forget(user: User) -> None:
    """Remove what an account follows."""
    Follow.objects.filter(account=user).delete()


def _what(followed: Bot | Competition) -> dict[str, Any]:
    return {"bot" if isinstance(followed, Bot) else "competition": followed}
