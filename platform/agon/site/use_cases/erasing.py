"""Erases the programs of deleted bots and removed submissions, once nothing needs them anymore.

Queued and running matches, running tournaments, and judgings of a course that go on or are to come still need
them; `erase_due` erases them later. Otherwise a student who sees a defeat coming would delete the bot, and
get no verdict. The digest stays, because archives name it. If a tournament offers its sources for download,
that file is made again without them. Files are deleted before their names in the database: a process that is
killed in between leaves work for the next sweep, but no orphaned file.
"""

from django.db.models import Q, QuerySet

from agon.site.archives import storing
from agon.site.bots import artifacts
from agon.site.bots.models import Submission
from agon.site.bots.states import BotState, State
from agon.site.core.isolation import for_each_isolated
from agon.site.courses import judging
from agon.site.matches.models import Seat
from agon.site.matches.states import OVER
from agon.site.tournaments.models import Entrant
from agon.site.tournaments.states import State as TournamentState

GOING_ON = (TournamentState.RUNNING, TournamentState.PAUSED)


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
    played = Seat.objects.filter(submission=submission).exclude(match__state__in=OVER)
    entered = Entrant.objects.filter(submission=submission, tournament__state__in=GOING_ON)
    if played.exists() or entered.exists() or judging.needs(submission):
        return False
    artifacts.forget(submission.pk)
    if submission.source:
        submission.source.delete(save=False)
    storing.forget_program(submission.pk)
    Submission.objects.filter(pk=submission.pk).update(source="", source_bytes=0, filename="", build_log="")
    return True
