"""The first rated match that a bot won. Its owner is shown it, once."""

from collections.abc import Sequence
from datetime import timedelta

from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from bots.models import Bot
from competitions.models import Competition
from matches.models import Match, Seat
from matches.states import State

RECENT = timedelta(days=7)  # an older one is not shown


def awaiting(owner: User, competition: Competition) -> QuerySet[Bot]:
    """The owner's bots in a competition whose first win has not been shown."""
    return owner.bots.filter(competition=competition, house=False, first_win_shown=None)


def first_win(bots: Sequence[Bot]) -> Seat | None:
    """The seat of the first win of the first of these bots that has a recent one; None if none has."""
    wins = (_first_of(bot) for bot in bots)
    return next((seat for seat in wins if seat and seat.match.ended > timezone.now() - RECENT), None)


def mark_shown(bot: Bot) -> None:
    """Remember that the first win was shown, so that it is shown once."""
    Bot.objects.filter(pk=bot.pk, first_win_shown=None).update(first_win_shown=timezone.now())


def _first_of(bot: Bot) -> Seat | None:
    rated = Seat.objects.filter(match__kind=Match.Kind.LADDER, match__state=State.FINISHED)
    won = rated.filter(submission__bot=bot, won=True)
    return won.select_related("match", "submission__bot").order_by("match_id").first()
