"""Ends a challenge: when its matches are over, when its owner cancels it, when a bot has left play.

`settle` is idempotent. If a process dies before it, the sweeper calls it (`tick`).
"""

from contextlib import suppress
from datetime import timedelta

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots.access import owns
from agon.site.bots.states import BotState
from agon.site.challenges import states
from agon.site.challenges.models import Challenge, Opponent
from agon.site.challenges.states import State
from agon.site.competitions.models import Competition
from agon.site.core.db.transitions import IllegalTransition
from agon.site.core.isolation import for_each_isolated
from agon.site.core.texts.reasons import StoredReason
from agon.site.matches import queueing
from agon.site.matches.models import Match, Seat
from agon.site.matches.queueing import BOT_LEFT
from agon.site.matches.states import GOING_ON
from agon.site.matches.states import State as MatchState

CANCELLED = StoredReason("challenge_cancelled")
CLOSED = StoredReason("competition_closed")
AWAY = StoredReason("home_away")
WAITS_FOR = timedelta(days=1)  # for a bot at home to connect


def settle(pk: int) -> None:
    """Finish the challenge if none of its matches is left to be played."""
    with transaction.atomic():
        challenge = Challenge.objects.select_for_update(of=("self",), no_key=True).get(pk=pk)
        matches = Match.objects.filter(challenge=pk)
        if challenge.state != State.RUNNING or matches.filter(state__in=GOING_ON).exists():
            return
        if matches.filter(state=MatchState.WITHDRAWN).exists():
            challenge.move_locked(states.CANCEL, reason=BOT_LEFT, finished_at=timezone.now())
        else:
            challenge.move_locked(states.FINISH, finished_at=timezone.now())


def may_cancel(user: User | AnonymousUser, challenge: Challenge) -> bool:
    """Whether it counts against `user`, who may have left the team since, or plays with a bot of theirs."""
    return challenge.owner_id == user.pk or owns(user, challenge.challenger.bot)


@transaction.atomic
def cancel(challenge: Challenge, why: StoredReason = CANCELLED) -> None:
    """End a challenge and withdraw its queued matches. Raises IllegalTransition if it is over."""
    challenge.move(states.CANCEL, reason=why, finished_at=timezone.now())
    queueing.withdraw(Match.objects.filter(challenge=challenge, state=MatchState.QUEUED), why)


def tick() -> None:
    """End challenges of bots that left play and of closed or archived competitions; settle those that a dead
    process left behind.

    Called by the sweeper.
    """
    running = Challenge.objects.filter(state=State.RUNNING)
    gone = Opponent.objects.filter(challenge=OuterRef("pk")).exclude(submission__bot__state=BotState.ENTERED)
    abandoned = running.filter(~Q(challenger__bot__state=BotState.ENTERED) | Exists(gone))
    for_each_isolated(abandoned, lambda challenge: _end(challenge, BOT_LEFT))
    closed = running.exclude(competition__state=Competition.State.OPEN)
    for_each_isolated(closed, lambda challenge: _end(challenge, CLOSED))
    for_each_isolated(running.filter(pk__in=_waiting_in_vain()), lambda challenge: _end(challenge, AWAY))
    unfinished = Match.objects.filter(challenge=OuterRef("pk"), state__in=GOING_ON)
    idle = running.filter(~Exists(unfinished)).values_list("pk", flat=True)
    for_each_isolated(list(idle), settle)


def _waiting_in_vain() -> QuerySet[Match, int | None]:
    """The challenges that wait for a bot at home which has not connected for long."""
    long_ago = timezone.now() - WAITS_FOR
    waiting = Match.objects.filter(state=MatchState.QUEUED, queue=Match.Queue.HOME, created__lt=long_ago)
    away = Q(submission__bot__line__seen=None) | Q(submission__bot__line__seen__lt=long_ago)
    seats = Seat.objects.filter(away, match=OuterRef("pk"), submission__bot__home=True)
    return waiting.filter(Exists(seats)).values_list("challenge", flat=True)


def _end(challenge: Challenge, why: StoredReason) -> None:
    with suppress(IllegalTransition):  # another process was first
        cancel(challenge, why)
