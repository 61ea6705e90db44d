"""Notifies people of what organizers announce: those who take part in the competition, or follow it."""

from datetime import timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.bots.states import BotState
from agon.site.competitions.models import Announcement, Competition
from agon.site.events.feed import add, add_for_each
from agon.site.events.following import followers
from agon.site.events.models import Follow, Kind
from agon.site.teams.queries import acting_accounts, people_of

RECENT = timedelta(days=14)


def announcement_saved(instance: Announcement, created: bool, **_more: Any) -> None:
    """A new one is the competition's news, and that of each recipient; one that is edited is none."""
    if not created:
        return
    facts = {"announcement": instance.pk}
    add(Kind.ANNOUNCEMENT_MADE, instance.competition_id, None, **facts)
    recipients = recipients_of(instance.competition) - {instance.author_id}
    add_for_each(Kind.ANNOUNCEMENT_MADE, recipients, **facts)


def recipients_of(competition: Competition) -> set[int]:
    """The accounts that get a notice of what is announced in a competition."""
    bots = competition.bots.filter(house=False).exclude(state=BotState.DELETED)
    owners = set(bots.values_list("owner", flat=True))
    return followers(competition).union(*people_of(owners).values())


def recently_announced_to(user: User, most: int) -> list[Announcement]:
    """The latest announcements of the competitions in which `user` takes part, or which they follow."""
    own = Bot.objects.filter(owner__in=acting_accounts(user), house=False).exclude(state=BotState.DELETED)
    followed = Follow.objects.filter(account=user, bot=None)
    theirs = Q(competition__in=own.values("competition")) | Q(competition__in=followed.values("competition"))
    since = timezone.now() - RECENT
    announcements = Announcement.objects.filter(theirs, withdrawn=None, created__gt=since)
    return list(announcements.select_related("competition").order_by("-pk")[:most])
