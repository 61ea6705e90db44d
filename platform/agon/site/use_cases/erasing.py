"""Erases the programs of deleted bots and removed submissions, once nothing needs them anymore.

Queued and running matches, tournaments that run or have matches run again, and judgings of a course that go
on or are to come still need them; `erase_due` erases them later. Otherwise a student who sees a defeat coming
would delete the bot, and get no verdict. So do finished tournaments, whose matches can be run again: for
KEPT_FOR, or until the owner closes the account, since nothing of a closed account is kept just in case.
Otherwise who won by an error would delete the bot, and keep the prize. Of a team they are kept though it is
closed: the account of a team is no person's, and its captain would lose nothing by that.

The digest stays, because archives name it. If a tournament offers its sources for download, that file is
made again without those of a bot when it is deleted (agon.site.use_cases.leaving_play). Files are deleted
before their names in the database: a process that is killed in between leaves work for the next sweep, but
no orphaned file.
"""

from datetime import timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from agon.site.archives import storing
from agon.site.bots import artifacts
from agon.site.bots.models import Submission
from agon.site.bots.states import BotState, State
from agon.site.core.isolation import for_each_isolated
from agon.site.courses import judging
from agon.site.matches.models import Seat
from agon.site.matches.states import OVER
from agon.site.tournaments.models import Entrant, Rerun
from agon.site.tournaments.states import State as TournamentState

GOING_ON = (TournamentState.RUNNING, TournamentState.PAUSED)
KEPT_FOR = timedelta(days=14)  # after the end of a tournament


def of_bot(pk: int) -> None:
    """Erase the programs of a deleted bot that nothing needs, now."""
    for_each_isolated(_due().filter(bot=pk), _erase_if_unneeded)


def of_submission(pk: int) -> None:
    """Erase the program of a removed submission now, if nothing needs it."""
    for_each_isolated(_due().filter(pk=pk), _erase_if_unneeded)


def erase_due() -> int:
    """Erase all programs that are due; returns the number of submissions."""
    return for_each_isolated(_due(), _erase_if_unneeded)


def _due() -> QuerySet[Submission]:
    gone = Submission.objects.filter(Q(bot__state=BotState.DELETED) | Q(state=State.REMOVED))
    return gone.exclude(source="", artifact="")


def _erase_if_unneeded(submission: Submission) -> bool:
    seats = Seat.objects.filter(submission=submission)
    played = seats.exclude(match__state__in=OVER)
    # The results of a re-run may call for another round.
    goes_on = Q(tournament__state__in=GOING_ON) | Q(tournament__reruns__state=Rerun.State.PLAYING)
    may_be_run_again = Q(
        Q(bot__owner__closed=None) | Q(bot__owner__team__isnull=False),
        tournament__state=TournamentState.FINISHED,
        tournament__finished_at__gt=timezone.now() - KEPT_FOR,
    )
    entered = Entrant.objects.filter(goes_on | may_be_run_again, submission=submission)
    if played.exists() or entered.exists() or judging.needs(submission):
        return False
    artifacts.forget(submission.pk)
    if submission.source:
        submission.source.delete(save=False)
    with transaction.atomic():
        storing.forget_programs(submission.bot_id)
        Submission.objects.filter(pk=submission.pk).update(
            source="", source_bytes=0, filename="", build_log=""
        )
    return True
