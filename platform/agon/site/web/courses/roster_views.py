"""The roster: what a new one would change, taking it, and what comes out: links, a sheet to print, a file."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from agon.site.courses import joining, queries, rosters
from agon.site.courses.changing import Refused
from agon.site.courses.models import Course
from agon.site.web.core import refused, signed_in
from agon.site.web.core.downloads import download
from agon.site.web.core.paging import whole_number
from agon.site.web.core.requests import SignedInRequest
from agon.site.web.core.tables import as_csv
from agon.site.web.courses.access import for_staff, for_teachers
from agon.site.web.courses.roster_words import FIELDS, why_no_roster, why_unreadable
from agon.teaching import encodings
from agon.teaching.roster import Difference, NoRoster, Roster, difference, format_extension, lines, parse

MOST_BYTES = 2 << 20


@signed_in.form
def roster(request: SignedInRequest, slug: str) -> HttpResponse:
    """The form; then the difference that its roster makes; then, by `take`, the roster is taken."""
    course = for_teachers(request, slug)
    if request.method != "POST":
        return _form(request, course)
    try:
        text = _text_of(request)
        given = parse(text)
    except NoRoster as error:
        return _form(request, course, request.POST.get("text", ""), why_no_roster(error))
    except UnicodeDecodeError as error:
        words = _("The file is not in the encoding %(encoding)s. Choose another one.")
        return _form(request, course, "", words % {"encoding": error.encoding})
    if not given.people and not given.unreadable:
        return _form(request, course, text, _("Paste a roster, or choose a file."))
    if "take" in request.POST:
        return _take(request, course, given)
    return _preview(request, course, text, given)


def _text_of(request: SignedInRequest) -> str:
    """The text that was pasted, or that of the file. Raises UnicodeDecodeError, NoRoster."""
    sent = request.FILES.get("file")
    if sent is None:
        return request.POST.get("text", "")
    encoding = request.POST.get("encoding", "")
    data = sent.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES or data.startswith(b"PK\x03\x04"):  # a spreadsheet as it is, not as CSV
        return _refuse_file(data)
    return encodings.decode(data, encoding if encoding in encodings.ENCODINGS else "")


def _refuse_file(data: bytes) -> str:
    raise NoRoster("too_large" if len(data) > MOST_BYTES else "workbook", most=MOST_BYTES >> 20)


def _form(request: SignedInRequest, course: Course, text: str = "", problem: str = "") -> HttpResponse:
    context = {
        "course": course,
        "text": text,
        "problem": problem,
        "encodings": encodings.ENCODINGS,
        "count": queries.students(course).count(),
    }
    return render(request, "courses/roster.html", context, status=422 if problem else 200)


def _preview(request: SignedInRequest, course: Course, text: str, given: Roster) -> HttpResponse:
    preview = difference((student.person for student in queries.students(course)), given)
    context = {
        "course": course,
        "text": text,
        "revision": course.revision,
        "difference": preview,
        "new": [(person, format_extension(person.extension)) for person in preview.new],
        "changed": [(change, [str(FIELDS[name]) for name in change.fields]) for change in preview.changed],
        "unreadable": [(unread.line, why_unreadable(unread)) for unread in given.unreadable],
        "sample": given.people[:3],
        "sentence": _sentence(preview, len(given.unreadable)),
    }
    return render(request, "courses/difference.html", context)


def _sentence(difference: Difference, unreadable: int) -> str:
    """The difference in numbers: 28 new, 1 changed, 1 unreadable."""
    parts = [
        ngettext("%(count)d new", "%(count)d new", len(difference.new)) % {"count": len(difference.new)},
        ngettext("%(count)d changed", "%(count)d changed", len(difference.changed))
        % {"count": len(difference.changed)},
        ngettext("%(count)d missing", "%(count)d missing", len(difference.missing))
        % {"count": len(difference.missing)},
        ngettext("%(count)d as before", "%(count)d as before", difference.same) % {"count": difference.same},
        ngettext("%(count)d line unreadable", "%(count)d lines unreadable", unreadable)
        % {"count": unreadable},
    ]
    return ", ".join(parts)


def _take(request: SignedInRequest, course: Course, given: Roster) -> HttpResponse:
    revision = whole_number(request.POST.get("revision"), 0)
    remove = "remove_missing" in request.POST
    with refused.as_message(request, Refused):
        rosters.take_roster(course, given, revision, request.user, remove_missing=remove)
        messages.success(request, _("The roster was taken."))
        return redirect(course)
    course.refresh_from_db()
    return _preview(request, course, request.POST.get("text", ""), given)


@require_safe
@login_required
def roster_csv(request: SignedInRequest, slug: str) -> HttpResponse:
    """The roster as a file to change and take again: UTF-8 with the mark that spreadsheets expect."""
    course = for_staff(request, slug)
    rows = lines(student.person for student in queries.students(course))
    answer = download(as_csv(rows, "\r\n").encode("utf-8-sig"), f"{course.slug}-roster.csv")
    answer["Cache-Control"] = "private, no-store"
    return answer


@signed_in.page
def links(request: SignedInRequest, slug: str) -> HttpResponse:
    """A sheet to print: a strip for each student who has not joined."""
    course = for_teachers(request, slug)
    waiting = [student for student in queries.students(course) if student.secret]
    strips = [(student, _address(request, student.secret)) for student in waiting]
    return render(request, "courses/links.html", {"course": course, "strips": strips})


@signed_in.act
def student(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Renew a student's link, or remove the student: `act` says which."""
    course = for_teachers(request, slug)
    with refused.as_message(request, Refused):
        if request.POST.get("act") == "renew":
            student = joining.renew_link(course, pk, request.user)
            done = _("The new link of %(name)s: %(link)s")
            facts: dict[str, Any] = {"name": student.name, "link": _address(request, student.secret)}
        elif request.POST.get("act") == "remove":
            rosters.remove_student(course, pk, request.user)
            done, facts = _("The student was removed from the roster."), {}
        else:
            raise Refused(_("There is no such act."))
        messages.success(request, done % facts)
    return redirect(course)


def _address(request: SignedInRequest, secret: str) -> str:
    return request.build_absolute_uri(reverse("course_join", args=[secret]))
