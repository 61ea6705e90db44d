"""Notifies owners that a challenge of their bot is over: once in EVERY for a bot and challenging account."""

from collections.abc import Collection
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from agon.site.bots.models import Bot
from agon.site.challenges.models import Challenge
from agon.site.core.db.transitions import Transition
from agon.site.events.feed import add
from agon.site.events.models import Event, Kind
from agon.site.matches.states import State
from agon.site.teams.locking import lock_owners
from agon.site.teams.queries import people_of
from agon.site.teams.states import State as TeamState

EVERY = timedelta(days=1)


def challenge_moved(challenge: Challenge, _transition: Transition) -> None:
    """It is over, in one way or another. One of which nothing was played is no news."""
    if not challenge.matches.filter(state=State.FINISHED).exists():
        return
    by = challenge.challenger.bot
    challengers = {challenge.owner_id, by.owner_id}
    present = Q(owner__is_active=True) | Q(owner__team__state=TeamState.OPEN)
    bots = Bot.objects.filter(present, submissions__challenged__challenge=challenge, house=False)
    owners = dict(bots.exclude(owner__in=challengers).order_by("pk").values_list("pk", "owner"))
    lock_owners(set(owners.values()))  # of two challenges that end at once, one is notified
    notified = _notified_lately(challengers, set(owners.values()))
    for bot, owner in owners.items():
        if bot not in notified:
            add(Kind.CHALLENGE_OVER, None, owner, challenge=challenge.pk, bot=bot, by=by.pk)


def _notified_lately(challengers: Collection[int], owners: Collection[int]) -> set[int]:
    """The bots whose owners have learned of a challenge by these accounts lately; of a team, its members."""
    own = set(Bot.objects.filter(owner__in=challengers).values_list("pk", flat=True))
    people = set().union(*people_of(owners).values())
    since = timezone.now() - EVERY
    recent = Event.objects.filter(account__in=people, kind=Kind.CHALLENGE_OVER, at__gt=since)
    return {data["bot"] for data in recent.values_list("data", flat=True) if data["by"] in own}
