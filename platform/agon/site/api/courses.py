"""Courses for their teachers and assistants: the roster, its difference, and personal links."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from ninja import Router
from ninja.responses import Status
from pydantic import Field

from agon.site.accounts.models import User
from agon.site.api.access import ORGANIZE, check_whole_account
from agon.site.api.problems import Problem, invalid
from agon.site.api.shapes import Shape, link
from agon.site.competitions.access import may_create
from agon.site.competitions.models import Competition
from agon.site.competitions.settings import LONGEST_TITLE
from agon.site.courses import competing, queries, rosters, services
from agon.site.courses.changing import Refused
from agon.site.courses.models import Course, Role, Student
from agon.site.web.courses.roster_words import why_no_roster, why_unreadable
from agon.site.workers import tasks
from agon.teaching.roster import NoRoster, Person, difference, parse

LONGEST_ROSTER = 2 << 20  # characters

router = Router(tags=["courses"], auth=ORGANIZE)


class CourseShape(Shape):
    """role: yours, teacher or assistant."""

    slug: str
    title: str
    state: str
    role: str
    time_zone: str
    competitions: list[str]
    students: int
    joined: int
    url: str


class NewCourse(Shape):
    title: str = Field(min_length=1, max_length=LONGEST_TITLE)
    game: str = Field(description="The slug of a game.")
    time_zone: str = "UTC"


class CompetitionOfCourse(Shape):
    competition: str = Field(min_length=1, max_length=60, description="The slug of one that you run.")


class PersonShape(Shape):
    """extension: minutes beyond each deadline."""

    number: str
    name: str
    email: str
    group: str
    extension: int


class StudentShape(PersonShape):
    """account: null before the student has joined. link: for teachers, until it was used."""

    pseudonym: str
    account: str | None
    joined: datetime | None
    link: str | None


class RosterShape(Shape):
    """revision: to be sent with a new roster."""

    revision: int
    students: list[StudentShape]


class NewRoster(Shape):
    text: str = Field(
        max_length=LONGEST_ROSTER, description="As a file has it: CSV, or with tabs or semicolons."
    )
    revision: int = Field(ge=1, description="Of the roster that is replaced.")
    remove_missing: bool = Field(False, description="Whether students without a line are removed.")
    preview: bool = Field(False, description="Whether only to say what would change.")


class PersonChangeShape(Shape):
    old: PersonShape
    new: PersonShape


class UnreadableShape(Shape):
    line: int
    why: str


class DifferenceShape(Shape):
    """What changed, or would. unreadable: lines that are not used; their students stay as they are."""

    new: list[PersonShape]
    changed: list[PersonChangeShape]
    missing: list[PersonShape]
    same: int
    unreadable: list[UnreadableShape]


@router.get("/courses", response=list[CourseShape])
def courses(request: Any) -> list[dict[str, Any]]:
    """The courses that you teach or assist."""
    check_whole_account(request)
    taught = [(course, queries.role_in(course, request.user)) for course in queries.courses_of(request.user)]
    return [_shape(course, role) for course, role in taught if role is not None]


@router.post("/courses", response={201: CourseShape})
def create(request: Any, wanted: NewCourse) -> Status[Any]:
    """A new course, with a competition for its students alone."""
    check_whole_account(request)
    if not may_create(request.user):
        raise Problem("not_allowed", _("On this site organizers make competitions."))
    made = services.create(request.user, wanted.title, wanted.game, wanted.time_zone)
    transaction.on_commit(tasks.ask_for_house_bots, robust=True)
    return Status(201, _shape(made, Role.TEACHER))


@router.get("/courses/{slug}", response=CourseShape)
def course(request: Any, slug: str) -> dict[str, Any]:
    """A course that you teach or assist."""
    return _shape(*of_staff(request, slug))


@router.get("/courses/{slug}/roster", response=RosterShape)
def roster(request: Any, slug: str) -> dict[str, Any]:
    """The students, with names; for teachers, with the links that have not been used."""
    course, role = of_staff(request, slug)
    students = [_student_shape(student, role) for student in queries.students(course)]
    return {"revision": course.revision, "students": students}


@router.put("/courses/{slug}/roster", response=DifferenceShape)
def take_roster(request: Any, slug: str, wanted: NewRoster) -> dict[str, Any]:
    """Make the roster this one, or see what that would change. 409 if it was changed since that revision."""
    course = of_teachers(request, slug)
    try:
        given = parse(wanted.text)
    except NoRoster as error:
        raise invalid("/text", why_no_roster(error)) from None
    if wanted.preview:
        change = difference((student.person for student in queries.students(course)), given)
    else:
        try:
            change = rosters.take_roster(
                course, given, wanted.revision, request.user, remove_missing=wanted.remove_missing
            )
        except Refused as why:
            hint = _("Read it again, and send your change anew.")
            raise Problem("conflict", str(why), hint) from None
    return {
        "new": [vars(person) for person in change.new],
        "changed": [
            {"old": vars(correction.old), "new": vars(correction.new)} for correction in change.changed
        ],
        "missing": [vars(person) for person in change.missing],
        "same": change.same,
        "unreadable": [{"line": unread.line, "why": why_unreadable(unread)} for unread in given.unreadable],
    }


@router.post("/courses/{slug}/competitions", response=CourseShape)
def add_competition(request: Any, slug: str, wanted: CompetitionOfCourse) -> dict[str, Any]:
    """Make a competition that you run part of a course: its students take part, its teachers run it."""
    return _with_competition(request, slug, wanted.competition, competing.add)


@router.delete("/courses/{slug}/competitions/{name}", response=CourseShape)
def remove_competition(request: Any, slug: str, name: str) -> dict[str, Any]:
    """Take a competition out of a course. Bots, organizers and those who take part stay."""
    return _with_competition(request, slug, name, competing.remove)


def _with_competition(
    request: Any, slug: str, name: str, act: Callable[[Course, Competition, User], None]
) -> dict[str, Any]:
    course = of_teachers(request, slug)
    competition = Competition.objects.filter(slug=name).first()
    if competition is None:
        hint = "GET /api/v1/competitions"
        raise Problem("not_found", _("There is no “%(name)s”.") % {"name": name[:80]}, hint)
    act(course, competition, request.user)
    return _shape(course, Role.TEACHER)


def of_staff(request: Any, slug: str) -> tuple[Course, Role]:
    """A course and the part of the account in its staff; for others it does not exist. Raises Problem."""
    check_whole_account(request)
    course = Course.objects.filter(slug=slug).first()
    role = queries.role_in(course, request.user) if course is not None else None
    if course is None or role is None:
        raise Problem("not_found", _("There is no “%(name)s”.") % {"name": slug[:80]}, "GET /api/v1/courses")
    return course, role


def of_teachers(request: Any, slug: str) -> Course:
    """A course that the account teaches. Raises Problem."""
    course, role = of_staff(request, slug)
    if role != Role.TEACHER:
        raise Problem("not_allowed", _("Only its teachers may do this."))
    return course


def _shape(course: Course, role: Role) -> dict[str, Any]:
    students = queries.students(course)
    return CourseShape.from_row(
        course,
        role=role.value,
        competitions=[competition.slug for competition in course.competitions.all()],
        students=students.count(),
        joined=students.filter(joined__isnull=False).count(),
        url=link(course.get_absolute_url()),
    )


def _student_shape(student: Student, role: Role) -> dict[str, Any]:
    person: Person = student.person
    shown = role == Role.TEACHER and bool(student.secret)
    return vars(person) | {
        "pseudonym": student.pseudonym,
        "account": student.user.shown_name if student.user else None,
        "joined": student.joined,
        "link": link(f"/join/{student.secret}/") if shown else None,
    }
