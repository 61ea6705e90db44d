"""Plays the matches of assessments, and decides them.

- `advance` is idempotent: each time it reads all results from the matches, in the order of the schedule. If a
  process dies, the sweeper calls it (`tick`) for assessments that have no match left to be played.
- Matches are queued a few at a time, of at most RUNNING assessments of a judging: a judging of thousands of
  matches has a share of the workers (agon.site.matches.shares), and no queue that slows down every claim.
- In a cycle each bot has each seat once. A cycle in which a match is void proves nothing: another one is
  played in its place. Whether a student's bot was withdrawn or replaced meanwhile changes nothing.
- An assessment is failed if the bot was stopped: bots can bring that about. That its owner deletes it, before
  or afterwards, changes nothing. If it is released, a teacher may judge again.
- An assessment is cancelled, and so decides nothing, if the program is not kept anymore, if seats stay empty,
  if another bot was stopped, or if too many cycles are void. Its reason says so.
"""

import random
from functools import partial
from itertools import groupby
from operator import itemgetter

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from agon.contest import secret_seeds
from agon.contest.rotation import rotated
from agon.site.bots.models import Submission
from agon.site.core.isolation import for_each_isolated
from agon.site.core.texts.reasons import StoredReason
from agon.site.courses import states
from agon.site.courses.models import Assessment, Judging
from agon.site.courses.states import AssessmentState as State
from agon.site.leaderboards.house_bots import best_house_bots
from agon.site.matches import queueing
from agon.site.matches.models import Match, Seat
from agon.site.matches.states import GOING_ON
from agon.site.matches.states import State as MatchState
from agon.teaching.beats import Beats, Tally, Verdict, decide, rounded

RUNNING = 10  # assessments of a judging at once
AT_ONCE = 10  # matches of an assessment, rounded up to whole cycles
_NO_PROGRAM = StoredReason("assessment_without_program")
_NO_SEATS = StoredReason("assessment_without_seats")
_STOPPED = StoredReason("one_bot_stopped")
_NOT_PLAYED = StoredReason("assessment_not_played")


def tick() -> None:
    """Begin assessments that wait, and advance those that a dead process left behind. For the sweeper."""
    waiting = Assessment.objects.filter(state=State.WAITING).order_by().values_list("judging", flat=True)
    for_each_isolated(list(waiting.distinct()), begin_waiting)
    unfinished = Match.objects.filter(assessment=OuterRef("pk"), state__in=GOING_ON)
    idle = Assessment.objects.filter(~Exists(unfinished), state=State.RUNNING).values_list("pk", flat=True)
    for_each_isolated(list(idle), advance)


@transaction.atomic
def begin_waiting(judging: int) -> None:
    """Begin as many assessments of a judging as may run at once."""
    current = Judging.objects.select_for_update(no_key=True).select_related("milestone").get(pk=judging)
    running = current.assessments.filter(state=State.RUNNING).count()
    waiting = current.assessments.filter(state=State.WAITING).select_related("submission__bot__competition")
    for assessment in waiting.order_by("pk")[: max(RUNNING - running, 0)]:
        _begin(current, assessment)


def advance(pk: int) -> None:
    """Count, and decide or queue the next matches if none is left to be played."""
    with transaction.atomic():
        assessment = Assessment.objects.select_for_update(of=("self",), no_key=True).get(pk=pk)
        matches = Match.objects.filter(assessment=pk)
        if assessment.state != State.RUNNING or matches.filter(state__in=GOING_ON).exists():
            return
        if _has_stopped_bot(assessment) or matches.filter(state=MatchState.WITHDRAWN).exists():
            _end_stopped(assessment)
            return
        rule = rounded(assessment.judging.beats, assessment.cycle)
        tally, verdict = count(assessment, rule)
        if verdict is not None:
            _decide(assessment, verdict, tally)
        elif assessment.queued * assessment.cycle >= 2 * rule.matches:
            _cancel(assessment, _NOT_PLAYED)
        else:
            _queue(assessment, rule, tally)


def count(assessment: Assessment, rule: Beats) -> tuple[Tally, Verdict | None]:
    """What the cycles say that were played, in their order, up to the one that decides."""
    rows = Seat.objects.filter(match__assessment=assessment).order_by("match__index", "number")
    fields = ("match__index", "match__state", "submission", "rank")
    matches = [list(seats) for _, seats in groupby(rows.values_list(*fields), key=itemgetter(0))]
    tally = Tally()
    for first in range(0, len(matches), assessment.cycle):
        cycle = matches[first : first + assessment.cycle]
        if any(state != MatchState.FINISHED for seats in cycle for _, state, _, _ in seats):
            continue
        halves = 0
        for seats in cycle:
            ranks = {submission: rank for _, _, submission, rank in seats}
            own, other = ranks[assessment.submission_id], ranks[assessment.seated[0]]
            halves += 2 * (own < other) + (own == other)
        tally = Tally(tally.matches + len(cycle), tally.halves + halves)
        verdict = decide(rule, tally)
        if verdict is not None:
            return tally, verdict
    return tally, None


def _begin(judging: Judging, assessment: Assessment) -> None:
    competition = assessment.submission.bot.competition
    if judging.opponent is None or not judging.opponent.artifact or not assessment.submission.artifact:
        _cancel(assessment, _NO_PROGRAM)
        return
    if assessment.submission.bot.is_stopped or judging.opponent.bot.is_stopped:
        _end_stopped(assessment)
        return
    missing = competition.info.min_seats - 2
    bots = [assessment.submission.bot_id, judging.opponent.bot_id]
    house = best_house_bots(competition, missing, bots)
    if len(house) < missing:
        _cancel(assessment, _NO_SEATS)
        return
    assessment.move(states.BEGIN, seated=[judging.opponent.pk, *(submission.pk for submission in house)])
    _queue(assessment, rounded(judging.beats, assessment.cycle), Tally())


def _queue(assessment: Assessment, rule: Beats, tally: Tally) -> None:
    """Queue the next cycles: some, and no more than the rule still asks for."""
    left = -(-(rule.matches - tally.matches) // assessment.cycle)
    cycles = min(-(-AT_ONCE // assessment.cycle), left)
    bots = [assessment.submission_id, *assessment.seated]
    names = dict(Submission.objects.filter(pk__in=bots).values_list("pk", "bot__name"))
    first = assessment.queued * assessment.cycle
    draw = random.SystemRandom()
    seatings = [seats for _cycle in range(cycles) for seats in rotated(draw.sample(bots, len(bots)))]
    planned = (
        queueing.Planned([(pk, names[pk]) for pk in seats], secret_seeds.draw(), index)
        for index, seats in enumerate(seatings, first)
    )
    competition = assessment.submission.bot.competition
    queueing.queue_many(competition, Match.Kind.ASSESSMENT, planned, assessment=assessment)
    assessment.queued += cycles
    assessment.save(update_fields=["queued"])


def _decide(assessment: Assessment, verdict: Verdict, tally: Tally) -> None:
    made = states.PASS if verdict == Verdict.PASSED else states.FAIL
    assessment.move_locked(
        made, matches_counted=tally.matches, halves=tally.halves, finished_at=timezone.now()
    )
    _begin_others(assessment)


def _has_stopped_bot(assessment: Assessment) -> bool:
    """Also if none of its matches waited when the bot was stopped, so that none was withdrawn."""
    seated = Submission.objects.filter(pk__in=[assessment.submission_id, *assessment.seated])
    return any(version.bot.is_stopped for version in seated.select_related("bot"))


def _end_stopped(assessment: Assessment) -> None:
    """End an assessment one of whose bots was stopped. Only its own bot has failed by that."""
    if assessment.submission.bot.is_stopped:
        assessment.move(states.FAIL, reason=_STOPPED, finished_at=timezone.now())
        _begin_others(assessment)
    else:
        _cancel(assessment, _STOPPED)


def _cancel(assessment: Assessment, why: StoredReason) -> None:
    assessment.move(states.CANCEL, reason=why, finished_at=timezone.now())
    queueing.withdraw(Match.objects.filter(assessment=assessment, state=MatchState.QUEUED), why)
    _begin_others(assessment)


def _begin_others(assessment: Assessment) -> None:
    transaction.on_commit(partial(begin_waiting, assessment.judging_id), robust=True)
