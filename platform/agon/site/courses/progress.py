"""How far the students of a course are: their standing with each milestone, last activity, what stopped them.

Everything follows from when students joined, when their versions were uploaded, and whether these were
accepted. So nothing has to be judged at a deadline: the same uploads give the same answer at any time later.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.utils import timezone

from agon.site.bots.models import Submission
from agon.site.bots.states import PENDING, State
from agon.site.courses.models import Course, Milestone, Rule, Student
from agon.teaching.grading import Item, Row
from agon.teaching.lateness import Upload, extended, from_json
from agon.teaching.standing import Standing, Verdict, standing_of


class Progress(NamedTuple):
    """A student: the standing with each milestone; active: when they last did something; stuck: their last
    version, if it was rejected.
    """

    student: Student
    standings: Sequence[Standing]
    active: datetime | None
    stuck: Submission | None


def progress_of(
    course: Course, students: Iterable[Student], milestones: Sequence[Milestone]
) -> list[Progress]:
    """In the order of `students`, with one query for all of them."""
    every = list(students)
    owners = [student.user_id for student in every if student.user_id is not None]
    uploads = Submission.objects.filter(
        bot__owner__in=owners, bot__competition__in=course.competitions.all(), bot__house=False
    )
    versions = defaultdict(list)
    for version in uploads.select_related("bot").defer("build_log").order_by("created", "pk"):
        versions[version.bot.owner_id].append(version)
    now, zone = timezone.now(), ZoneInfo(course.time_zone)
    found = []
    for student in every:
        own = versions.get(student.user_id or 0, [])
        standings = [_standing(student, own, milestone, zone, now) for milestone in milestones]
        last = own[-1] if own else None
        stuck = last if last is not None and last.state == State.REJECTED else None
        found.append(Progress(student, standings, last.created if last else student.joined, stuck))
    return found


def deadline_of(student: Student, milestone: Milestone) -> datetime | None:
    """The student's own deadline."""
    return milestone.deadline and extended(milestone.deadline, student.extension)


def items_of(milestones: Iterable[Milestone]) -> list[Item]:
    """The milestones as the columns of a file of grades."""
    return [Item(milestone.title, milestone.points) for milestone in milestones]


def rows_of(found: Iterable[Progress]) -> list[Row]:
    """The students as the rows of such a file. What can still be passed has no points yet."""
    rows = []
    for progress in found:
        points = tuple(
            None if standing.verdict == Verdict.PENDING else standing.points
            for standing in progress.standings
        )
        person = progress.student.person
        rows.append(Row(person.number, person.name, person.email, person.group, points))
    return rows


def _accepted(version: Submission) -> bool | None:
    """None while it is built or qualifies."""
    if version.activated is not None:
        return True
    return None if version.state in PENDING else False


def _standing(
    student: Student, versions: Iterable[Submission], milestone: Milestone, zone: ZoneInfo, now: datetime
) -> Standing:
    if milestone.rule == Rule.JOINED:
        uploads = [Upload(0, student.joined, True)] if student.joined else []
    else:
        uploads = [Upload(each.pk, each.created, _accepted(each)) for each in versions]
    deadline = deadline_of(student, milestone)
    return standing_of(uploads, deadline, from_json(milestone.policy), zone, milestone.points, now)
