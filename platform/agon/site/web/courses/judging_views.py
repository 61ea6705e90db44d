"""Judging a milestone by matches: its judgings for the staff, and the evidence of one assessment."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from agon.site.courses import judging as services
from agon.site.courses.changing import Refused
from agon.site.courses.models import Assessment, Course, Judging, Milestone, Role, Rule, Student
from agon.site.courses.queries import place_of, role_in
from agon.site.matches.states import State as MatchState
from agon.site.teams.queries import acting_accounts
from agon.site.use_cases import waiting
from agon.site.web.core import refused, signed_in
from agon.site.web.core.requests import SignedInRequest
from agon.site.web.courses.access import for_staff
from agon.site.web.courses.milestone_words import (
    chance_of_step,
    describe_beats,
    describe_result,
    shown_points,
)
from agon.site.web.courses.progress_views import milestone_card
from agon.site.web.courses.student_list import part_of
from agon.site.web.matches import listed
from agon.teaching.beats import chance, rounded

_SHARES = range(-10, 11, 5)  # percent points from the share that is asked for


class Likely(NamedTuple):
    """How likely a bot that wins this share of its matches in the long run passes, or gets so many points.

    chances: of passing; with thresholds, of the points of each or more. matches: that are played on average.
    """

    share: float
    chances: list[float]
    matches: float


@signed_in.form
def judging(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """What a milestone asks for, how sure it is, and what was judged. POST act: try, or again with why."""
    course = for_staff(request, slug)
    milestone = get_object_or_404(
        course.milestones.select_related("opponent__competition"), pk=pk, rule=Rule.BEATS
    )
    role = role_in(course, request.user)
    if request.method == "POST":
        if role != Role.TEACHER:
            raise Http404
        _act(request, milestone)
        return redirect("course_judging", course.slug, milestone.pk)
    part = part_of(request, course)
    every = list(milestone.judgings.select_related("opponent__bot").reverse())
    rows = [(judging, _sentence(judging), _assessments(judging, part.page.items)) for judging in every]
    by_itself = [judging.pk for judging in reversed(every) if judging.by_id is None]
    context = {
        "moved": by_itself[1:],
        "part": part,
        "course": course,
        "role": role,
        "is_teacher": role == Role.TEACHER,
        "milestone": milestone,
        "card": milestone_card(course, milestone),
        "likely": _likely(milestone),
        "steps": [shown_points(step.points) for step in milestone.beats.steps] if milestone.beats else [],
        "judgings": [row for row in rows if row[2] or row[0].is_trial],
        "is_judged": bool(every),
        "may_judge_again": any(not judging.is_trial for judging in every),
        "longest": services.LONGEST_REASON,
    }
    return render(request, "courses/judging.html", context)


@signed_in.page
def assessment(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """The evidence: terms, versions, matches. For the staff, and for the student."""
    course = get_object_or_404(Course, slug=slug)
    role, place = role_in(course, request.user), place_of(course, request.user)
    every = Assessment.objects.filter(judging__milestone__course=course)
    if role is None:
        if place is None:
            raise Http404
        every = every.filter(student=place)
    related = ("judging__milestone__course", "judging__opponent__bot", "submission__bot__owner", "student")
    assessment = get_object_or_404(every.select_related(*related), pk=pk)
    matches = assessment.matches.order_by("-index")
    begun = matches.exclude(state__in=[MatchState.QUEUED, MatchState.WITHDRAWN])
    going_on = matches.filter(state__in=[MatchState.QUEUED, MatchState.RUNNING])
    context: dict[str, Any] = {
        "course": course,
        "role": role,
        "assessment": assessment,
        "rule": _sentence(assessment.judging),
        "result": describe_result(assessment),
        "place": waiting.of_matches(list(going_on.select_related("competition", "assessment"))),
        "rows": listed.rows(list(begun.values_list(*listed.STAMP)), acting_accounts(request.user)),
    }
    return render(request, "courses/assessment.html", context)


def _act(request: SignedInRequest, milestone: Milestone) -> None:
    with refused.as_message(request, Refused):
        if request.POST.get("act") == "try":
            services.try_house_bots(milestone, request.user)
            messages.success(request, _("The house bots are being tried."))
        elif request.POST.get("act") == "again":
            services.again(milestone, request.POST.get("why", ""), request.user)
            messages.success(request, _("All students are judged again."))
        else:
            messages.error(request, _("There is no such act."))


def _sentence(judging: Judging) -> str:
    name = judging.opponent.bot.name if judging.opponent else "…"
    return describe_beats(judging.beats, name)


def _assessments(judging: Judging, students: Iterable[Student]) -> Sequence[tuple[Assessment, str]]:
    """Of house bots that were tried, or of these students."""
    shown = (
        judging.assessments.all() if judging.is_trial else judging.assessments.filter(student__in=students)
    )
    assessments = shown.select_related("student", "submission__bot", "judging__milestone__course").order_by(
        "student__group", "student__name", "submission__bot__name"
    )
    return [(assessment, describe_result(assessment)) for assessment in assessments]


def _likely(milestone: Milestone) -> list[Likely]:
    rule, cycle = milestone.beats, milestone.cycle
    if rule is None or cycle is None:
        return []
    asked = [step.percent for step in rule.steps] or [rule.percent]
    near = sorted({percent + step for percent in asked for step in _SHARES if 0 < percent + step < 100})
    result = []
    for share in (nearby / 100 for nearby in near):
        passes, matches = chance(rounded(rule, cycle), cycle, share)
        chances = [chance_of_step(rule, step, cycle, share) for step in rule.steps] or [passes]
        result.append(Likely(share, chances, matches))
    return result
