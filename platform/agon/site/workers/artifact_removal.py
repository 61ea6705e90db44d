"""Removes from the storage the artifacts of versions that will never play again."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from agon.site.bots import artifacts
from agon.site.bots.models import Submission
from agon.site.bots.states import State
from agon.site.comparisons.models import Comparison
from agon.site.core.isolation import for_each_isolated
from agon.site.courses.models import Assessment, Milestone, Rule
from agon.site.courses.states import GOING_ON
from agon.site.courses.states import State as CourseState
from agon.site.matches.states import State as MatchState
from agon.site.tournaments.models import Rerun
from agon.site.tournaments.states import State as TournamentState

UNPLAYED = (MatchState.QUEUED, MatchState.HELD, MatchState.RUNNING)
UNFINISHED = (TournamentState.DRAFT, TournamentState.RUNNING, TournamentState.PAUSED)
DISPUTABLE = timedelta(days=14)  # after its end, during which matches of a tournament may be run again
SETTLED = timedelta(hours=1)  # after which no open transaction can still enter a replaced version


def remove_unneeded() -> int:
    """Remove the artifacts of up to 100 versions that will never play again; returns how many."""
    return for_each_isolated(list(_removable().values_list("pk", flat=True)[:100]), _forget_if_removable)


@transaction.atomic
def _forget_if_removable(pk: int) -> bool:
    return _removable().filter(pk=pk).exists() and artifacts.forget(pk)


def _removable() -> QuerySet[Submission]:
    """Rejected versions, and replaced ones that no match, tournament, comparison or course still needs.

    A course that is closed is judged to the end.

    The version that was replaced last is kept, so that the active one can be compared with it.
    """
    this = Submission.objects.filter(pk=OuterRef("pk"))
    playing = Exists(this.filter(seats__match__state__in=UNPLAYED))
    disputable = Q(entries__tournament__finished_at__gt=timezone.now() - DISPUTABLE)
    run_again = Q(entries__tournament__reruns__state=Rerun.State.PLAYING)
    entered = Exists(this.filter(Q(entries__tournament__state__in=UNFINISHED) | disputable | run_again))
    compared = Comparison.objects.filter(
        Q(new=OuterRef("pk")) | Q(old=OuterRef("pk")), state=Comparison.State.RUNNING
    )
    may_be_judged = Q(course__state=CourseState.OPEN, rule=Rule.BEATS) | Q(judge_at__isnull=False)
    taught = Milestone.objects.filter(  # any version of a student, or of the opponent
        may_be_judged, course__competitions=OuterRef("bot__competition")
    )
    judged = Assessment.objects.filter(
        submission__bot__competition=OuterRef("bot__competition"), state__in=GOING_ON
    )
    newer = Submission.objects.filter(
        bot=OuterRef("bot"), state=State.REPLACED, number__gt=OuterRef("number")
    ).exclude(artifact="")
    settled = Q(bot__active__activated__lt=timezone.now() - SETTLED) & ~Q(bot__active=F("pk"))
    unneeded = settled & Exists(newer) & ~entered & ~Exists(taught) & ~Exists(judged)
    over = Q(state=State.REJECTED) | (Q(state=State.REPLACED) & unneeded)
    return Submission.objects.exclude(artifact="").filter(over & ~playing & ~Exists(compared))
