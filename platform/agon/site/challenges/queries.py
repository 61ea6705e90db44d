"""Lists of challenges, the newest first. Everyone may see them, as everyone may see their matches."""

from django.db.models import Count, Q, QuerySet

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.challenges.models import Challenge
from agon.site.matches.states import State


def shown() -> QuerySet[Challenge]:
    """All challenges, with what a page shows of them. played: how many of their matches are finished."""
    challenges = Challenge.objects.select_related("competition", "challenger__bot__owner")
    challenges = challenges.prefetch_related("opponents__submission__bot__owner")
    played = Count("matches", filter=Q(matches__state=State.FINISHED))
    return challenges.annotate(played=played).order_by("-pk")


def of_owner(owner: User) -> QuerySet[Challenge]:
    return shown().filter(owner=owner)


def of_bot(bot: Bot) -> QuerySet[Challenge]:
    """Those that any version of the bot began, or was challenged to."""
    own = Challenge.objects.filter(challenger__bot=bot).values("pk")
    challenged = Challenge.objects.filter(opponents__submission__bot=bot).values("pk")
    return shown().filter(Q(pk__in=own) | Q(pk__in=challenged))
