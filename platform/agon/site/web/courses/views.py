"""Courses: one's own, a new one, and the page of one for its staff and for its students."""

from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agon.contest.text import escape_controls
from agon.site.competitions.access import may_create
from agon.site.competitions.models import Competition
from agon.site.competitions.settings import LONGEST_TITLE, BadSettings
from agon.site.courses import competing, queries, rosters, services
from agon.site.courses.changing import Refused
from agon.site.courses.models import Course, Role
from agon.site.courses.progress import progress_of
from agon.site.courses.states import State
from agon.site.web.core import refused, signed_in
from agon.site.web.core.form_fields import choice_field
from agon.site.web.core.requests import SignedInRequest
from agon.site.web.courses.access import for_teachers
from agon.site.web.courses.milestone_changes import changes_of
from agon.site.web.courses.milestone_words import describe_result, describe_standing
from agon.site.web.courses.progress_views import milestone_card
from agon.site.web.courses.student_list import part_of
from agon.site.workers import tasks
from games.core.broken import working_games

MOST_OFFERED = 200  # competitions


class CourseForm(forms.Form):
    title = forms.CharField(label=gettext_lazy("Title"), max_length=LONGEST_TITLE)
    game = forms.ChoiceField(label=gettext_lazy("Game"))
    time_zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"),
        choices=[(zone, zone) for zone in sorted(available_timezones())],
        initial="UTC",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choice_field(self, "game").choices = [(info.slug, info.title) for info in working_games()]


@signed_in.page
def own(request: SignedInRequest) -> HttpResponse:
    """The courses that the reader teaches or takes."""
    courses = [(course, queries.role_in(course, request.user)) for course in queries.courses_of(request.user)]
    return render(request, "courses/own.html", {"courses": courses, "may_create": may_create(request.user)})


@signed_in.form
def new(request: SignedInRequest) -> HttpResponse:
    """The form of a new course."""
    if not may_create(request.user):
        raise Http404
    form = CourseForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refused.in_form(form, BadSettings, Refused):
            course = services.create(request.user, **form.cleaned_data)
            transaction.on_commit(tasks.ask_for_house_bots, robust=True)
            return redirect("course_roster", course.slug)
    return render(request, "courses/new.html", {"form": form}, status=422 if form.errors else 200)


@signed_in.page
def course(request: SignedInRequest, slug: str) -> HttpResponse:
    """For the staff, the roster and what to do; for a student, where to go on."""
    course = get_object_or_404(Course, slug=slug)
    role = queries.role_in(course, request.user)
    competitions = course.competitions.all()
    if role is None:
        place = queries.place_of(course, request.user)
        if place is None:
            raise Http404
        milestones = list(course.milestones.select_related("opponent__competition", "competition"))
        [own] = progress_of(course, [place], milestones)
        shown = [
            milestone_card(course, milestone, place)
            | {
                "standing": standing,
                "words": describe_standing(standing, milestone),
                "assessments": [
                    (assessment, describe_result(assessment))
                    for assessment in own.assessments.get(milestone.pk, ())
                ],
            }
            for milestone, standing in zip(milestones, own.standings, strict=True)
        ]
        context: dict[str, Any] = {
            "course": course,
            "competitions": competitions,
            "milestones": shown,
            "changes": changes_of(course),
        }
        return render(request, "courses/for_students.html", context)
    context = {
        "course": course,
        "role": role,
        "is_teacher": role == Role.TEACHER,
        "roles": Role,
        "competitions": competitions,
        "possible": competing.possible(course, request.user)[:MOST_OFFERED] if role == Role.TEACHER else [],
        "part": part_of(request, course),
        "joined": queries.students(course).filter(joined__isnull=False).count(),
        "staff": course.staff.select_related("user"),
    }
    return render(request, "courses/for_staff.html", context)


@signed_in.act
def competitions(request: SignedInRequest, slug: str) -> HttpResponse:
    """Add a competition to the course (add: its address), or take one out (remove)."""
    course = for_teachers(request, slug)
    act = competing.remove if "remove" in request.POST else competing.add
    address = escape_controls(request.POST.get("remove") or request.POST.get("add", ""))
    with refused.as_message(request, Refused):
        competition = Competition.objects.filter(slug=address).first()
        if competition is None:
            raise Refused(_("Choose a competition that you run."))
        act(course, competition, request.user)
    return redirect(course)


@signed_in.act
def staff(request: SignedInRequest, slug: str) -> HttpResponse:
    """Add a person to the staff (name, role), or remove an account (remove: its number)."""
    course = for_teachers(request, slug)
    removed, role = request.POST.get("remove", ""), request.POST.get("role", "")
    with refused.as_message(request, Refused):
        if removed.isdecimal() and len(removed) < 18:
            services.remove_staff(course, int(removed), request.user)
        elif role in Role.values:
            services.add_staff(course, request.POST.get("name", ""), Role(role), request.user)
        else:
            messages.error(request, _("There is no such act."))
    return redirect(course if queries.role_in(course, request.user) else "own_courses")


@signed_in.act
def state(request: SignedInRequest, slug: str) -> HttpResponse:
    """Close the course, open it again, or delete the names of a closed one."""
    course = for_teachers(request, slug)
    wanted = request.POST.get("state", "")
    if wanted == "forget":
        with refused.as_message(request, Refused):
            rosters.forget_names(course, request.user)
            messages.success(request, _("The names were deleted."))
    elif wanted not in State.values:
        messages.error(request, _("There is no such act."))
    else:
        services.set_state(course, State(wanted), request.user)
    return redirect(course)
