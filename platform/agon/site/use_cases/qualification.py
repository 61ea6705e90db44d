"""The first match of a submission: it must play to the end without a fault before it may compete.

    built -> start() -> qualifying -> decide() -> active, or rejected with the fault as the reason
                            +-------> postpone() -> built: the platform failed; start_due() starts another;
                                                    after MATCHES of them rejected, with that reason

The first fault decides: the arena does not ask the submission on trial again after it, so that the verdict
comes soon. `start`, `decide` and `postpone` run inside the transaction that stores a finished build, or a
finished or void match.
"""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, Q
from django.utils import timezone

from agon.site.bots import artifacts, reasons, states
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import State
from agon.site.core.isolation import for_each_isolated
from agon.site.leaderboards import ladder, ratings
from agon.site.matches import queueing
from agon.site.matches.models import Fault, Match
from agon.site.matches.states import State as MatchState
from games.core.broken import working_games
from games.core.manifest import GameInfo
from games.core.reason import NO_REASON, Reason

PAUSE = timedelta(minutes=1)  # after a void match, before the next one; then doubled
LONGEST_PAUSE = timedelta(hours=1)
MATCHES = 6  # void ones, after which the platform gives up: half an hour
VOID = Q(qualifications__state=Match.State.VOID)


def start(submission: Submission) -> Match:
    """Queue the qualification match of `submission`, against the weakest house bots."""
    info = submission.bot.competition.info
    match = queueing.queue(
        submission.bot.competition,
        Match.Kind.QUALIFICATION,
        Match.Queue.INTERACTIVE,
        [submission, *_opponents(submission, info)],
        qualifies=submission,
    )
    submission.move(states.QUALIFY, reason=NO_REASON)
    return match


def decide(match: Match) -> None:
    """Activate the submission on trial after its match, or reject it if it made a fault."""
    submission = _if_on_trial(match)
    if submission is None:
        return
    faults = Fault.objects.filter(seat__match=match, seat__submission=submission)
    fault = faults.order_by("step", "id").first()
    if fault is None:
        activate(submission)
    else:
        submission.move(states.REJECT, reason=reasons.fault(fault.kind, fault.reason))
        transaction.on_commit(lambda: artifacts.forget(submission.pk), robust=True)


def postpone(match: Match, why: Reason) -> None:
    """After a void match, try again later, or reject the submission after MATCHES void ones.

    why: how the platform failed, for the author.
    """
    submission = _if_on_trial(match)
    if submission is None:
        return
    void = submission.qualifications.filter(state=MatchState.VOID).count()
    if void >= MATCHES:
        submission.move(states.REJECT, reason=reasons.not_tried(why, void))
    else:
        submission.move(states.RETRY_QUALIFICATION, reason=reasons.no_match_yet(why))


def restart(submission: Submission) -> None:
    """Queue another match, after one was withdrawn because an opponent left play.

    Does nothing if the submission is no longer on trial, because its own bot left play.
    """
    current = Submission.objects.select_related("bot__competition").get(pk=submission.pk)
    if current.state == State.QUALIFYING:
        current.move(states.RETRY_QUALIFICATION, reason=NO_REASON)
        start(current)


def _if_on_trial(match: Match) -> Submission | None:
    """The submission that this match qualifies; None if its bot left play meanwhile."""
    # The bot's row first, as in agon.site.use_cases.leaving_play.
    Bot.objects.select_for_update(no_key=True).get(pk=match.on_trial.bot_id)
    submission = Submission.objects.get(pk=match.on_trial.pk)
    return submission if submission.state == State.QUALIFYING else None


@transaction.atomic
def activate(submission: Submission) -> None:
    """Activate a submission, unless a newer one of its bot is active, and queue its first rated match."""
    if enter_play(submission):
        ladder.first_match(submission)


@transaction.atomic
def enter_play(submission: Submission) -> bool:
    """Make this the active submission of its bot, with a rating; False if a newer one is active already."""
    # Read the active version after locking the bot: in one query, PostgreSQL would join its old row to a bot
    # that it had to wait for.
    bot = Bot.objects.select_for_update(no_key=True).get(pk=submission.bot_id)
    older = bot.active
    if older is not None and older.number > submission.number:
        submission.move(states.REPLACE)
        return False
    if older is not None:
        older.move(states.REPLACE)
    submission.move(states.ACTIVATE, activated=timezone.now(), reason=NO_REASON)
    bot.active = submission
    bot.save(update_fields=["active"])
    ratings.enter(submission, predecessor=older)
    return True


def start_due() -> int:
    """Start the qualification matches that are due; returns how many."""
    working = [info.slug for info in working_games()]
    built = Submission.objects.filter(state=State.BUILT, bot__competition__game__in=working)
    built = built.select_related("bot__competition")
    counted = built.annotate(
        void=Count("qualifications", filter=VOID), last=Max("qualifications__finished_at")
    )
    return for_each_isolated([submission for submission in counted if _is_due(submission)], _start_if_built)


def _is_due(submission: Any) -> bool:
    pause = min(PAUSE * 2 ** max(0, min(submission.void - 1, 10)), LONGEST_PAUSE)
    return submission.last is None or submission.last + pause <= timezone.now()


@transaction.atomic
def _start_if_built(submission: Submission) -> bool:
    built = Submission.objects.select_for_update(no_key=True).filter(pk=submission.pk, state=State.BUILT)
    if not built.exists():
        return False
    start(submission)
    return True


def _opponents(submission: Submission, info: GameInfo) -> list[Submission]:
    """As many opponents as the game needs: house bots, weakest first; then other bots, lowest rating first.

    If there are too few, the submission plays against itself.
    """
    active = Submission.objects.filter(
        bot__competition=submission.bot.competition, state=State.ACTIVE
    ).select_related("bot", "rated__rating")
    strength = {bot.name: bot.strength for bot in info.house}
    weakest_first = sorted(
        active.exclude(bot=submission.bot),
        key=lambda version: (
            not version.bot.house,
            strength.get(version.bot.name, 0),
            version.rated.rating.rating,
        ),
    )
    others = info.min_seats - 1
    return (weakest_first + [submission] * others)[:others]
