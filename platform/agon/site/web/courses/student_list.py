"""A part of the students on a roster: those that a search finds, a page at a time."""

from typing import NamedTuple

from django.http import HttpRequest

from agon.contest.text import escape_controls
from agon.site.courses import queries
from agon.site.courses.models import Course
from agon.site.web.core.paging import Page

ROWS = 100
LONGEST_SEARCH = 60  # characters


class Part(NamedTuple):
    """page: of students. total: the number of students on the roster, whatever is searched for."""

    page: Page
    search: str
    total: int


def part_of(request: HttpRequest, course: Course) -> Part:
    """What ?q= and ?page= ask for."""
    search = escape_controls(" ".join(request.GET.get("q", "").split()))[:LONGEST_SEARCH]
    students = queries.matching(queries.students(course), search)
    total = queries.students(course).count()
    return Part(Page(students, ROWS, request.GET.get("page")), search, total)
