"""Judges milestones that ask for matches: which version of each student is judged, and when.

A version is judged once no other one can count: after the student's own deadline, when all uploads before it
were checked. No one can choose which version or match counts: the sweeper begins judging (`tick`). That a
bot was withdrawn since, or replaced, changes nothing.

- Times are the database's: several machines may look for what is due.
- Milestone.judge_at says when a milestone has to be looked at, so that a sweep with nothing to do is one
  query. It is set again whenever a deadline or an extension may have changed.
- All students are judged against the same version of the opponent, the one that was active when the first was
  judged.
- `again` judges all students anew, beside the former judging. Of the verdicts on the version that counts, the
  last one holds. Whose version was not certain then, after an extension, is judged by the same terms later,
  also if it is a version that the former judging knew.
- If another version counts since a deadline was moved, it is judged in a further judging, by the terms and
  against the opponent of the last one.
- `try_house_bots` shows a teacher what a rule asks for, before any student is judged.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, Q
from django.utils.translation import gettext as _

from agon.contest.text import escape_controls
from agon.site.accounts.models import User
from agon.site.audit.verbs import Verb
from agon.site.bots.models import Submission
from agon.site.bots.states import State
from agon.site.core.db.leases import now
from agon.site.core.isolation import for_each_isolated
from agon.site.courses import queries
from agon.site.courses.changing import Refused, lock, record
from agon.site.courses.models import Assessment, Judging, Milestone, Rule
from agon.site.courses.progress import Candidate, candidates
from agon.site.courses.states import GOING_ON

SETTLED = timedelta(minutes=1)  # after which no transaction can still store an upload from before
SOON = timedelta(seconds=30)  # until the next look, while uploads are checked
LATER = timedelta(minutes=10)  # while the opponent does not play
MOST_JUDGINGS = 50  # of a milestone, trials included; the first one of students always begins
LONGEST_REASON = 300  # characters
MOST_TRIED = 20  # house bots in a trial


def tick() -> None:
    """Judge what is due. Called by the sweeper."""
    due = Milestone.objects.filter(judge_at__lte=now()).values_list("pk", flat=True)
    for_each_isolated(list(due), judge_due)


def needs(version: Submission) -> bool:
    """Whether a judging that goes on, or is to come, may play this version.

    In one query: between two of them, one that is to come may begin.
    """
    seats = Q(submission=version) | Q(judging__opponent=version)
    goes_on = Assessment.objects.filter(seats, state__in=GOING_ON)
    to_come = Milestone.objects.filter(
        judge_at__isnull=False,
        competition=version.bot.competition_id,
        course__students__user=version.bot.owner_id,
        course__students__removed=None,
    )
    needed = Submission.objects.filter(Exists(goes_on) | Exists(to_come), pk=version.pk)
    return needed.exists()


@transaction.atomic
def judge_due(pk: int) -> None:
    """Judge the students whose version is certain and who were not judged yet; set the time of the next look.

    pk: of a milestone; nothing if it is gone.
    """
    milestone = _locked(pk)
    if milestone is None:
        return
    candidates = _candidates(milestone)
    judging = _current(milestone)
    if judging is not None and judging.opponent and judging.opponent.bot.competition != milestone.competition:
        judging = None  # the milestone asks for another game now
    known = _judged_since_begun_anew(milestone)
    certain = {pk: version for pk, version in _certain(candidates).items() if (pk, version) not in known}
    if certain and judging is None:
        judging = _begin(milestone)
    elif certain and judging is not None and judging.assessments.filter(student__in=certain).exists():
        judging = _go_on_beside(judging)
    if certain and judging is not None:
        _assess(judging, certain)
    is_held_up = bool(certain) and judging is None
    milestone.judge_at = now() + LATER if is_held_up else _next_look(candidates)
    milestone.save(update_fields=["judge_at"])


@transaction.atomic
def again(milestone: Milestone, why: str, by: User) -> Judging:
    """Judge all students again whose version is certain. Raises Refused.

    Each is judged by the version that counts now, by the terms as they are now.
    """
    current = _locked(milestone.pk)
    if current is None:
        raise Refused(_("This milestone is not judged by matches."))
    reason = escape_controls(" ".join(why.split()))[:LONGEST_REASON]
    if not reason:
        raise Refused(_("Give a reason: students see it."))
    former = _current(current)
    if former is None:
        raise Refused(_("Nothing was judged yet: it begins by itself after the deadline."))
    if former.assessments.filter(state__in=GOING_ON).exists():
        raise Refused(_("The last judging is still going on."))
    judging = _begin(current, by=by, why=reason)
    if judging is None:
        raise Refused(_("The bot to beat does not play now."))
    candidates = _candidates(current)
    _assess(judging, _certain(candidates))
    details = {"milestone": current.pk, "judging": judging.number, "reason": reason}
    record(Verb.MILESTONE, current.course, by, details)
    return judging


@transaction.atomic
def try_house_bots(milestone: Milestone, by: User) -> Judging:
    """Judge the house bots by the terms of a milestone. Raises Refused."""
    current = _locked(milestone.pk)
    if current is None:
        raise Refused(_("This milestone is not judged by matches."))
    running = current.judgings.filter(is_trial=True, assessments__state__in=GOING_ON)
    if running.exists():
        raise Refused(_("The house bots are being tried."))
    judging = _begin(current, by=by, is_trial=True)
    if judging is None:
        raise Refused(_("The bot to beat does not play now."))
    house = Submission.objects.filter(
        bot__competition=current.competition, bot__house=True, state=State.ACTIVE
    )
    others = house.exclude(bot=current.opponent).order_by("bot__name")
    tried = list(others[:MOST_TRIED])
    if not tried:
        raise Refused(_("There is no house bot besides the one to beat."))
    Assessment.objects.bulk_create(Assessment(judging=judging, submission=submission) for submission in tried)
    details = {"milestone": current.pk, "judging": judging.number, "trial": True}
    record(Verb.MILESTONE, current.course, by, details)
    return judging


def _locked(pk: int) -> Milestone | None:
    milestones = Milestone.objects.filter(pk=pk, rule=Rule.BEATS)
    milestone = milestones.select_related("course").first()
    if milestone is None:
        return None
    lock(milestone.course)
    return milestones.select_related("course", "opponent__active__bot", "competition").first()  # as it is now


def _current(milestone: Milestone) -> Judging | None:
    """The last judging of the students."""
    judgings = milestone.judgings.select_related("opponent__bot__competition")
    return judgings.filter(is_trial=False).last()


def _judged_since_begun_anew(milestone: Milestone) -> set[tuple[int | None, int]]:
    """The students and versions of the judgings since a teacher began one; of all, if none did."""
    judgings = milestone.judgings.filter(is_trial=False)
    begun_anew = judgings.exclude(why="").last()
    if begun_anew is not None:
        judgings = judgings.filter(number__gte=begun_anew.number)
    return set(Assessment.objects.filter(judging__in=judgings).values_list("student", "submission"))


def _begin(
    milestone: Milestone, *, by: User | None = None, why: str = "", is_trial: bool = False
) -> Judging | None:
    """A new judging; None if the opponent does not play. Raises Refused for one too many."""
    opponent = milestone.opponent
    if opponent is None or opponent.active is None:
        return None
    number = milestone.judgings.count() + 1
    if by is not None and number > MOST_JUDGINGS:
        raise Refused(_("At most %(most)d judgings of a milestone.") % {"most": MOST_JUDGINGS})
    return Judging.objects.create(
        milestone=milestone,
        number=number,
        is_trial=is_trial,
        terms=milestone.terms,
        opponent=opponent.active,
        by=by,
        why=why,
    )


def _go_on_beside(former: Judging) -> Judging:
    """A judging of versions that count since a deadline was moved, by the same terms."""
    return Judging.objects.create(
        milestone=former.milestone,
        number=former.milestone.judgings.count() + 1,
        terms=former.terms,
        opponent=former.opponent,
    )


def _assess(judging: Judging, certain: Mapping[int, int]) -> None:
    """certain: the version of each student."""
    Assessment.objects.bulk_create(
        Assessment(judging=judging, student_id=student, submission_id=version)
        for student, version in certain.items()
    )


def _certain(candidates: Iterable[Candidate]) -> dict[int, int]:
    """By student, the version that counts, where it cannot change anymore."""
    return {
        candidate.student.pk: candidate.version for candidate in candidates if candidate.version is not None
    }


def _candidates(milestone: Milestone) -> list[Candidate]:
    return candidates(milestone, queries.students(milestone.course), now() - SETTLED)


def _next_look(candidates: Iterable[Candidate]) -> datetime | None:
    """When the next version can be certain; None if none will be."""
    soon = now() + SOON
    return min(
        (max(candidate.end + SETTLED, soon) for candidate in candidates if candidate.is_open), default=None
    )
