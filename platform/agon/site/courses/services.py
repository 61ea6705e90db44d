"""What changes a course: making it, its staff, its state. `roster.py` and `joining.py` are about students."""

from contextlib import suppress

from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from agon.contest.text import escape_controls
from agon.site.accounts.models import User
from agon.site.audit.verbs import Verb
from agon.site.competitions import organizing
from agon.site.competitions.models import Competition
from agon.site.competitions.settings import LONGEST_ADDRESS, BadSettings, CompetitionSettings, Entry, Teams
from agon.site.core.db.name_keys import name_key
from agon.site.courses import states
from agon.site.courses.changing import Refused, lock, record
from agon.site.courses.models import Course, Role, Staff

MOST_STAFF = 20  # of a course


@transaction.atomic
def create(by: User, title: str, game: str, time_zone: str) -> Course:
    """A course with a competition of its own, which is open to its students alone.

    Raises BadSettings, and Refused for one competition too many.
    """
    settings = CompetitionSettings(
        title=title,
        slug=_free_address(title),
        game=game,
        entry=Entry.ROSTER,
        teams=Teams.NONE,
        time_zone=time_zone,
    )
    try:
        competition = organizing.open_draft(organizing.create_draft(by, settings), by)
    except organizing.NotPossible as error:
        raise Refused(str(error)) from None
    course = Course.objects.create(
        slug=competition.slug, title=competition.title, time_zone=competition.time_zone
    )
    course.competitions.add(competition)
    Staff.objects.create(course=course, user=by, role=Role.TEACHER)
    return course


@transaction.atomic
def add_staff(course: Course, name: str, role: Role, by: User) -> None:
    """Make an account a teacher or an assistant, or change which of them it is. Raises Refused."""
    current = lock(course)
    wanted = escape_controls(name.strip())
    user = User.objects.filter(name_key=name_key(wanted), closed=None, is_active=True).first()
    if user is None:
        raise Refused(_("There is no account “%(name)s”.") % {"name": wanted[:60]})
    if current.students.filter(user=user, removed=None).exists():
        raise Refused(_("This account is a student of the course."))
    if current.staff.exclude(user=user).count() >= MOST_STAFF:
        raise Refused(_("At most %(most)d teachers and assistants.") % {"most": MOST_STAFF})
    if role != Role.TEACHER:
        _check_other_teacher(current, user.pk)
    was_teacher = current.staff.filter(user=user, role=Role.TEACHER).exists()
    Staff.objects.update_or_create(course=current, user=user, defaults={"role": role})
    if role == Role.TEACHER:
        _let_run(current, user, by)
    elif was_teacher:
        _let_run_no_more(current, user, by)
    record(Verb.COURSE_STAFF, current, by, {"account": user.pk, "role": role})


@transaction.atomic
def remove_staff(course: Course, user: int, by: User) -> None:
    """Take a teacher or an assistant from the staff. Raises Refused for the last teacher."""
    current = lock(course)
    _check_other_teacher(current, user)
    staff = current.staff.filter(user=user).select_related("user").first()
    if staff is not None:
        staff.delete()
        if staff.role == Role.TEACHER:
            _let_run_no_more(current, staff.user, by)
        record(Verb.COURSE_STAFF, current, by, {"account": user, "role": ""})


@transaction.atomic
def set_state(course: Course, state: states.State, by: User) -> None:
    """Close a course, or open it again; nothing if it is in that state."""
    current = lock(course)
    if current.state == state:
        return
    current.move_locked(states.CLOSE if state == states.State.CLOSED else states.REOPEN)
    record(Verb.COURSE_STATE, current, by, {"state": state})


def forget(user: User) -> None:
    """Remove what a closed account leaves: its part in the staff of courses."""
    user.teaches.all().delete()


def _let_run(course: Course, user: User, by: User) -> None:
    """Make a teacher an organizer of the competitions. Raises Refused."""
    for competition in course.competitions.all():
        try:
            organizing.let_run(competition, user, by)
        except organizing.NotPossible as why:
            raise Refused(str(why)) from None


def _let_run_no_more(course: Course, user: User, by: User) -> None:
    """Take that back, except from the last organizer, and where they teach another course."""
    taught = Competition.objects.filter(courses__staff__user=user, courses__staff__role=Role.TEACHER)
    for competition in course.competitions.exclude(pk__in=taught):
        with suppress(organizing.NotPossible):
            organizing.remove_organizer(competition, user.pk, by)


def _check_other_teacher(course: Course, user: int) -> None:
    if not course.staff.filter(role=Role.TEACHER).exclude(user=user).exists():
        raise Refused(_("A course needs a teacher. Add another one first."))


def _free_address(title: str) -> str:
    """An address made of the title, with a number if it is taken."""
    base = slugify(title)[: LONGEST_ADDRESS - 5].strip("-_").replace("_", "-") or "course"
    taken = set(Competition.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    taken |= set(Course.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    names = (base, *(f"{base}-{number}" for number in range(2, 1000)))
    result = next((name for name in names if name not in taken), None)
    if result is None:
        raise BadSettings({"title": _("A competition has this address.")})
    return result
