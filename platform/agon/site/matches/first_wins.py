"""A bot's first win in a rated match, of which its owner is notified once."""

from collections.abc import Sequence
from datetime import timedelta

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots.access import own_bots, owns
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.matches.models import Match, Seat
from agon.site.matches.states import State

RECENT = timedelta(days=7)  # an older one is not shown


def awaiting(owner: User, competition: Competition) -> QuerySet[Bot]:
    """The owner's bots in a competition whose first win has not been shown."""
    return own_bots(owner, competition).filter(first_win_shown=None)


def is_awaited(bot: Bot, user: User | AnonymousUser) -> bool:
    """Whether `user` is the owner of the bot, and its first win has not been shown."""
    return owns(user, bot) and bot.first_win_shown is None


def first_win(bots: Sequence[Bot]) -> Seat | None:
    """The winning seat of the first of these bots whose first win is recent; None if there is none."""
    wins = (_first_win_of(bot) for bot in bots)
    return next((seat for seat in wins if seat and seat.match.ended > timezone.now() - RECENT), None)


def mark_shown(bot: Bot) -> None:
    """Remember that the first win was shown, so that it is shown once."""
    Bot.objects.filter(pk=bot.pk, first_win_shown=None).update(first_win_shown=timezone.now())


def _first_win_of(bot: Bot) -> Seat | None:
    rated = Seat.objects.filter(match__kind=Match.Kind.LADDER, match__state=State.FINISHED)
    won = rated.filter(submission__bot=bot, won=True)
    return won.select_related("match", "submission__bot").order_by("match_id").first()
