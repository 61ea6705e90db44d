"""How far a class is, for its staff: the matrix of students and milestones, and the files of grades."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from agon.site.courses import queries
from agon.site.courses.milestones import scale_of
from agon.site.courses.models import Course, Milestone, Role, Student
from agon.site.courses.progress import Progress, deadline_of, items_of, progress_of, rows_of
from agon.site.web.core.downloads import download
from agon.site.web.core.requests import SignedInRequest
from agon.site.web.courses.access import for_staff
from agon.site.web.courses.milestone_words import (
    describe_deadline,
    describe_policy,
    describe_rule,
    describe_standing,
)
from agon.site.web.courses.scale_text import format_scale
from agon.teaching.grading import to_canvas, to_csv, to_moodle
from agon.teaching.lateness import from_json


@never_cache
@require_safe
@login_required
def progress(request: SignedInRequest, slug: str) -> HttpResponse:
    """The milestones in sentences, and where each student stands."""
    course = for_staff(request, slug)
    milestones, found = _progress(course)
    scale = scale_of(course)
    totals = [row.total for row in rows_of(found)]
    context: dict[str, Any] = {
        "course": course,
        "is_teacher": queries.role_in(course, request.user) == Role.TEACHER,
        "milestones": [milestone_in_words(course, each) for each in milestones],
        "rows": [
            (
                each,
                [(standing, describe_standing(standing)) for standing in each.standings],
                total,
                scale.grade(total),
            )
            for each, total in zip(found, totals, strict=True)
        ],
        "scale": format_scale(scale),
    }
    return render(request, "courses/progress.html", context)


@never_cache
@require_safe
@login_required
def grades(request: SignedInRequest, slug: str, form: str) -> HttpResponse:
    """The points as a file. form: csv, moodle or canvas."""
    course = for_staff(request, slug)
    milestones, found = _progress(course)
    items, rows = items_of(milestones), rows_of(found)
    if form == "moodle":
        text = to_moodle(items, rows)
    elif form == "canvas":
        text = to_canvas(items, rows)
    else:
        text = to_csv(items, rows, scale_of(course))
    return download(
        text.encode(), f"{course.slug}-{form}.csv" if form != "csv" else f"{course.slug}-grades.csv"
    )


def milestone_in_words(
    course: Course, milestone: Milestone, student: Student | None = None
) -> dict[str, Any]:
    """What a page shows of a milestone: its sentences and its deadline, or that of `student`."""
    deadline = deadline_of(student, milestone) if student else milestone.deadline
    return {
        "milestone": milestone,
        "rule": describe_rule(milestone.rule),
        "deadline": deadline,
        "local": describe_deadline(deadline, course.time_zone) if deadline else "",
        "policy": describe_policy(from_json(milestone.policy)) if deadline else "",
    }


def _progress(course: Course) -> tuple[list[Milestone], list[Progress]]:
    milestones = list(course.milestones.all())
    return milestones, progress_of(course, queries.students(course), milestones)
