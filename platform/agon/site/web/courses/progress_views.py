"""How far a class is, for its staff: the matrix of students and milestones, and the files of grades."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.shortcuts import render

from agon.site.courses import queries
from agon.site.courses.milestones import scale_digest, scale_of
from agon.site.courses.models import Assessment, Course, Judging, Milestone, Role, Student
from agon.site.courses.progress import Progress, deadline_of, items_of, last_verdict, progress_of, rows_of
from agon.site.web.core import signed_in
from agon.site.web.core.downloads import download
from agon.site.web.core.requests import SignedInRequest
from agon.site.web.courses.access import for_staff
from agon.site.web.courses.class_queue import class_queue
from agon.site.web.courses.milestone_words import (
    describe_deadline,
    describe_doubt,
    describe_policy,
    describe_result,
    describe_rule,
    describe_standing,
)
from agon.site.web.courses.scale_text import format_scale
from agon.site.web.courses.student_list import part_of
from agon.teaching.grading import to_canvas, to_csv, to_moodle
from agon.teaching.lateness import from_json
from agon.teaching.standing import Standing


@signed_in.page
def progress(request: SignedInRequest, slug: str) -> HttpResponse:
    """The milestones in sentences, and where each student stands."""
    return progress_page(request, for_staff(request, slug))


def progress_page(request: SignedInRequest, course: Course, refused_scale: str | None = None) -> HttpResponse:
    """refused_scale: the text of a scale that was not stored, for its author to go on with."""
    role = queries.role_in(course, request.user)
    part = part_of(request, course)
    milestones = _milestones(course)
    progress_rows = progress_of(course, part.page.items, milestones)
    scale = scale_of(course)
    totals = [row.total for row in rows_of(progress_rows)]
    columns = _columns(course, milestones)
    context: dict[str, Any] = {
        "part": part,
        "course": course,
        "columns": columns,
        "role": role,
        "is_teacher": role == Role.TEACHER,
        "milestones": [milestone_card(course, milestone) for milestone in milestones],
        "rows": [
            (
                progress,
                [_cell(column, progress) for column in columns],
                total,
                scale.grade(total),
            )
            for progress, total in zip(progress_rows, totals, strict=True)
        ],
        "scale": format_scale(scale) if refused_scale is None else refused_scale,
        "seen": scale_digest(course),
        "queue": class_queue(course),
    }
    status = 200 if refused_scale is None else 422
    return render(request, "courses/progress.html", context, status=status)


@signed_in.page
def grades(request: SignedInRequest, slug: str, form: str) -> HttpResponse:
    """The points as a file. form: csv, moodle or canvas."""
    course = for_staff(request, slug)
    milestones = _milestones(course)
    progress_rows = progress_of(course, queries.students(course), milestones)
    items, rows = items_of(milestones), rows_of(progress_rows)
    if form == "moodle":
        text = to_moodle(items, rows)
    elif form == "canvas":
        text = to_canvas(items, rows)
    else:
        text = to_csv(items, rows, scale_of(course))
    return download(
        text.encode(), f"{course.slug}-{form}.csv" if form != "csv" else f"{course.slug}-grades.csv"
    )


class Column(NamedTuple):
    """A milestone, and its standings; or the results of one judging of it, beside those of the last."""

    milestone: Milestone
    place: int  # of the milestone among all
    judging: int | None


class Cell(NamedTuple):
    standing: Standing | None
    words: str
    assessment: Assessment | None


def _columns(course: Course, milestones: Sequence[Milestone]) -> list[Column]:
    """A column for each milestone; before it one for each judging but the last, if it was judged again."""
    columns = []
    judged = Judging.objects.filter(milestone__course=course, is_trial=False)
    numbers = list(judged.order_by("number").values_list("milestone", "number"))
    for place, milestone in enumerate(milestones):
        judgings = [number for pk, number in numbers if pk == milestone.pk]
        columns += [Column(milestone, place, number) for number in judgings[:-1]]
        columns.append(Column(milestone, place, None))
    return columns


def _cell(column: Column, progress: Progress) -> Cell:
    assessments = progress.assessments.get(column.milestone.pk, ())
    if column.judging is None:
        standing = progress.standings[column.place]
        evidence = assessments[-1] if assessments else None
        if standing.counted is not None:
            evidence = last_verdict(assessments, standing.counted.upload.id) or evidence
        return Cell(standing, describe_standing(standing, column.milestone), evidence)
    row = next(
        (assessment for assessment in assessments if assessment.judging.number == column.judging), None
    )
    return Cell(None, describe_result(row) if row else "", row)


def milestone_card(course: Course, milestone: Milestone, student: Student | None = None) -> dict[str, Any]:
    """What a page shows of a milestone: its sentences and its deadline, or that of `student`."""
    deadline = deadline_of(student, milestone) if student else milestone.deadline
    return {
        "milestone": milestone,
        "rule": describe_rule(milestone),
        "competition": milestone.competition if course.competitions.count() > 1 else None,
        "doubt": _doubt(milestone),
        "deadline": deadline,
        "local": describe_deadline(deadline, course.time_zone) if deadline else "",
        "policy": describe_policy(from_json(milestone.policy)) if deadline else "",
    }


def _doubt(milestone: Milestone) -> str:
    rule, cycle = milestone.beats, milestone.cycle
    return "" if rule is None or cycle is None else describe_doubt(rule, cycle)


def _milestones(course: Course) -> list[Milestone]:
    return list(course.milestones.select_related("opponent__competition", "competition"))
