"""Tells owners that a challenge of their bot is over: once in EVERY for each bot and challenging account."""

from datetime import timedelta

from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.challenges.models import Challenge
from agon.site.core.db.transitions import Transition
from agon.site.events.feed import add
from agon.site.events.models import Event, Kind
from agon.site.matches.states import State

EVERY = timedelta(days=1)


def challenge_moved(challenge: Challenge, _transition: Transition) -> None:
    """It is over, in one way or another. One of which nothing was played is no news."""
    if not challenge.matches.filter(state=State.FINISHED).exists():
        return
    bots = Bot.objects.filter(submissions__challenged__challenge=challenge, house=False)
    bots = bots.exclude(owner=challenge.owner_id).filter(owner__is_active=True)
    owners = dict(bots.order_by("pk").values_list("pk", "owner"))
    locked = User.objects.select_for_update(no_key=True).filter(pk__in=owners.values()).order_by("pk")
    list(locked)  # of two challenges that end at once, one is told
    told = _told(challenge, set(owners.values()))
    by = challenge.challenger.bot_id
    for bot, owner in owners.items():
        if bot not in told:
            add(Kind.CHALLENGE_OVER, None, owner, challenge=challenge.pk, bot=bot, by=by)


def _told(challenge: Challenge, accounts: set[int]) -> set[int]:
    """The bots whose owners have been told of a challenge by this account lately."""
    own = set(Bot.objects.filter(owner=challenge.owner_id).values_list("pk", flat=True))
    since = timezone.now() - EVERY
    recent = Event.objects.filter(account__in=accounts, kind=Kind.CHALLENGE_OVER, at__gt=since)
    return {data["bot"] for data in recent.values_list("data", flat=True) if data["by"] in own}
