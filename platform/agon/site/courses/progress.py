"""How far the students of a course are: their standing with each milestone, last activity, what stopped them.

Everything follows from when students joined, when their versions were uploaded, whether these were accepted,
and the assessments of the versions that count (judging.py): the same uploads give the same answer at any time
later.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import Q
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import PENDING, State
from agon.site.competitions.models import Competition
from agon.site.core.db import leases
from agon.site.courses.models import Assessment, Course, Milestone, Rule, Student
from agon.site.courses.states import AssessmentState
from agon.teaching import beats
from agon.teaching.grading import Item, Row
from agon.teaching.lateness import Upload, counted, extended, from_json, last_moment, settled
from agon.teaching.standing import Standing, Verdict, judged, standing_of


class Progress(NamedTuple):
    """A student: the standing with each milestone. assessments: by milestone, in the order of judgings.
    active: when they last did something. stuck: their last version, if it was rejected.
    """

    student: Student
    standings: Sequence[Standing]
    assessments: Mapping[int, Sequence[Assessment]]
    active: datetime | None
    stuck: Submission | None


class Candidate(NamedTuple):
    """version: the one of this student that is to be judged; None while it is uncertain, or if there is none.

    end: the moment from which no new upload can take its place. is_open: whether another one may still count.
    """

    student: Student
    version: int | None
    end: datetime
    is_open: bool


def progress_of(
    course: Course, students: Iterable[Student], milestones: Sequence[Milestone]
) -> list[Progress]:
    """In the order of `students`, with two queries for all of them."""
    every = list(students)
    versions, assessments = _versions_of(course, every), _assessments_of(course, every)
    now, zone = timezone.now(), ZoneInfo(course.time_zone)
    progress = []
    for student in every:
        own, assessed = versions.get(student.user_id or 0, []), assessments.get(student.pk, {})
        standings = [
            _standing(student, own, assessed.get(milestone.pk, []), milestone, zone, now)
            for milestone in milestones
        ]
        last = own[-1] if own else None
        stuck = last if last is not None and last.state == State.REJECTED else None
        progress.append(
            Progress(student, standings, assessed, last.created if last else student.joined, stuck)
        )
    return progress


def candidates(milestone: Milestone, students: Iterable[Student], now: datetime) -> list[Candidate]:
    """Of each student the version that is to be judged by matches. milestone: one with a deadline."""
    every, zone = list(students), ZoneInfo(milestone.course.time_zone)
    versions = _versions_of(milestone.course, every)
    result = []
    for student in every:
        uploads = _uploads(versions.get(student.user_id or 0, []), milestone)
        deadline, policy = deadline_of(student, milestone), from_json(milestone.policy)
        assert deadline is not None  # a milestone that asks for matches has one
        end = settled(uploads, deadline, policy, zone)
        is_checked = any(upload.accepted is None and upload.time <= end for upload in uploads)
        last = counted(uploads, deadline, policy, zone)
        is_open = now <= end or is_checked
        version = last.upload.id if last is not None and last.upload.accepted and not is_open else None
        result.append(Candidate(student, version, end, is_open))
    return result


def deadline_of(student: Student, milestone: Milestone) -> datetime | None:
    """The student's own deadline. Of many students, fetch the extensions beforehand."""
    own = sum(
        extension.minutes for extension in student.extensions.all() if extension.milestone_id == milestone.pk
    )
    return milestone.deadline and extended(milestone.deadline, student.extension + own)


class Due(NamedTuple):
    """A milestone that can still be passed. deadline: the student's own."""

    milestone: Milestone
    deadline: datetime


def due_in(user: User, competition: Competition) -> list[Due]:
    """What courses ask of `user` in this competition whose deadline is to come; the next one first."""
    due_milestones = [
        Due(milestone, deadline)
        for place, milestone in _asked_of(user.pk, competition.pk)
        if place.course.is_open
        if (deadline := deadline_of(place, milestone)) and deadline > timezone.now()
    ]
    return sorted(due_milestones, key=lambda due: due.deadline)


def milestone_waiting_for(bot: Bot) -> Milestone | None:
    """A milestone whose deadline has passed, and for which an upload of `bot` is still being checked.

    If the bot left play now, that upload would be rejected, and an earlier one would count: by choice.
    """
    pending = [version.created for version in bot.submissions.filter(state__in=PENDING)]
    for place, milestone in _asked_of(bot.owner_id, bot.competition_id) if pending else ():
        deadline = deadline_of(place, milestone)
        if milestone.rule == Rule.JOINED or deadline is None or deadline >= leases.now():
            continue
        if min(pending) <= last_moment(
            deadline, from_json(milestone.policy), ZoneInfo(place.course.time_zone)
        ):
            return milestone
    return None


def _asked_of(user: int, competition: int) -> Iterator[tuple[Student, Milestone]]:
    """The places of a user on rosters, and the milestones that bots in this competition count for."""
    places = Student.objects.filter(user=user, removed=None, course__competitions=competition)
    here = Q(competition=None) | Q(competition=competition)
    for place in places.prefetch_related("course", "extensions"):
        for milestone in place.course.milestones.filter(here).select_related("course", "opponent"):
            yield place, milestone


def items_of(milestones: Iterable[Milestone]) -> list[Item]:
    """The milestones as the columns of a file of grades."""
    return [Item(milestone.title, milestone.points) for milestone in milestones]


def rows_of(progress_rows: Iterable[Progress]) -> list[Row]:
    """The students as the rows of such a file. What can still be passed has no points yet."""
    rows = []
    for progress in progress_rows:
        points = tuple(
            None if standing.verdict == Verdict.PENDING else standing.points
            for standing in progress.standings
        )
        person = progress.student.person
        rows.append(Row(person.number, person.name, person.email, person.group, points))
    return rows


def _accepted(version: Submission) -> bool | None:
    """None while it is built or qualifies.

    One that passed after a newer one is replaced at once, and never active.
    """
    if version.activated is not None or version.state == State.REPLACED:
        return True
    return None if version.state in PENDING else False


def _uploads(versions: Iterable[Submission], milestone: Milestone) -> list[Upload]:
    """Those that can count for a milestone."""
    where = milestone.competition_id
    return [
        Upload(version.pk, version.created, _accepted(version))
        for version in versions
        if where is None or where == version.bot.competition_id
    ]


def _versions_of(course: Course, students: Iterable[Student]) -> dict[int, list[Submission]]:
    """The versions of each account, the oldest first."""
    owners = [student.user_id for student in students if student.user_id is not None]
    uploads = Submission.objects.filter(
        bot__owner__in=owners,
        bot__competition__in=course.competitions.all(),
        bot__house=False,
        bot__home=False,
    )
    versions = defaultdict(list)
    for version in uploads.select_related("bot").defer("build_log").order_by("created", "pk"):
        versions[version.bot.owner_id].append(version)
    return versions


def _assessments_of(course: Course, students: Iterable[Student]) -> dict[int, dict[int, list[Assessment]]]:
    """By student and milestone, in the order of the judgings."""
    assessments: dict[int, dict[int, list[Assessment]]] = defaultdict(lambda: defaultdict(list))
    rows = Assessment.objects.filter(judging__milestone__course=course, student__in=students)
    for row in rows.select_related("judging__milestone__course").order_by("judging__number"):
        assert row.student_id is not None  # only a trial is of no student
        assessments[row.student_id][row.judging.milestone_id].append(row)
    return assessments


def _standing(
    student: Student,
    versions: Iterable[Submission],
    assessments: Sequence[Assessment],
    milestone: Milestone,
    zone: ZoneInfo,
    now: datetime,
) -> Standing:
    if milestone.rule == Rule.JOINED:
        uploads = [Upload(0, student.joined, True)] if student.joined else []
    else:
        uploads = _uploads(versions, milestone)
    deadline, policy = deadline_of(student, milestone), from_json(milestone.policy)
    standing = standing_of(uploads, deadline, policy, zone, milestone.points, now)
    if milestone.rule != Rule.BEATS or standing.counted is None:
        return standing
    is_over = deadline is not None and now > settled(uploads, deadline, policy, zone)
    last = last_verdict(assessments, standing.counted.upload.id)
    if last is not None and last.points is not None:
        most = min(last.points, milestone.points)
        standing = standing_of(uploads, deadline, policy, zone, most, now)
    return judged(standing, is_over, beats.Verdict(last.state) if last else None)


def last_verdict(assessments: Iterable[Assessment], version: int) -> Assessment | None:
    """The last one of those of a student that has a verdict on this version."""
    decided = (AssessmentState.PASSED, AssessmentState.FAILED)
    of_version = [
        assessment
        for assessment in assessments
        if assessment.submission_id == version and assessment.state in decided
    ]
    return of_version[-1] if of_version else None
