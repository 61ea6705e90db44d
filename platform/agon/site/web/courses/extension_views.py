"""Who has more time for one milestone, and the form that gives it."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from agon.contest.text import escape_controls
from agon.site.courses.changing import Refused
from agon.site.courses.extending import extend
from agon.site.courses.models import Milestone, Role
from agon.site.courses.progress import deadline_of
from agon.site.courses.queries import role_in
from agon.site.web.core import refused, signed_in
from agon.site.web.core.requests import SignedInRequest
from agon.site.web.courses.access import for_staff
from agon.teaching.roster import format_extension, parse_extension


@signed_in.form
def extensions(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """POST number, extension: as the roster has them."""
    course = for_staff(request, slug)
    milestone = get_object_or_404(course.milestones, pk=pk)
    role = role_in(course, request.user)
    if request.method == "POST":
        if role != Role.TEACHER:
            raise Http404
        if _extend(request, milestone):
            return redirect("course_extensions", course.slug, milestone.pk)
    extensions = milestone.extensions.filter(student__removed=None).select_related("student")
    rows = [
        (extension.student, format_extension(extension.minutes), deadline_of(extension.student, milestone))
        for extension in extensions
    ]
    context = {
        "course": course,
        "milestone": milestone,
        "rows": rows,
        "is_teacher": role == Role.TEACHER,
        "refused": {name: request.POST.get(name, "") for name in ("number", "extension")},
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "courses/extensions.html", context, status=status)


def _extend(request: SignedInRequest, milestone: Milestone) -> bool:
    """Whether it is given; else the page says why not."""
    given = request.POST.get("extension", "")
    try:
        minutes = parse_extension(given)
    except ValueError:
        words = _("Expected an extension such as 2d, 36h or 90m, of at most a year; got “%(got)s”.")
        messages.error(request, words % {"got": escape_controls(given)[:60]})
        return False
    with refused.as_message(request, Refused):
        extend(milestone, escape_controls(request.POST.get("number", "")), minutes, request.user)
        messages.success(request, _("The extension was saved."))
        return True
    return False
