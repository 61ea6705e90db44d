"""What changes a course: making it, its roster, its staff, and joining.

Each change locks the course's row first, so that of two people who change it at once the second one sees what
the first one did. Acts are recorded with the course's competition, and name no student.
"""

import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _

from agon.contest.text import escape_controls
from agon.site.accounts.models import User
from agon.site.audit import acts
from agon.site.audit.verbs import Verb
from agon.site.competitions import organizing
from agon.site.competitions.models import Competition, Participant
from agon.site.competitions.settings import LONGEST_ADDRESS, BadSettings, CompetitionSettings, Entry, Teams
from agon.site.core.db.name_keys import name_key
from agon.site.courses import pseudonyms, states
from agon.site.courses.models import Course, Role, Rule, Staff, Student
from agon.teaching.roster import Difference, Person, Roster, difference

MOST_STAFF = 20  # of a course
MOST_STUDENTS = 10_000  # of a course, former ones included
BYTES = 18  # of a link's secret
DRAWS = 50  # of a pseudonym, until one is free


class Refused(Exception):
    """A course cannot be changed so; str(e) says why, in the reader's language."""


class NoPlace(Exception):
    """No student has this link, or no more."""


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
def take_roster(
    course: Course, roster: Roster, revision: int, by: User, *, remove_missing: bool
) -> Difference:
    """Make the stored roster this one; returns what was changed.

    revision: of the course for which the difference was shown. remove_missing: whether students without a
    line are removed. Raises Refused if the roster was changed since.
    """
    current = _lock_open(course)
    if current.revision != revision:
        raise Refused(_("The roster was changed meanwhile. Look at the difference again."))
    stored = {student.number: student for student in current.students.all()}
    result = difference((student.person for student in stored.values() if student.removed is None), roster)
    if len(stored.keys() | {person.number for person in result.new}) > MOST_STUDENTS:
        raise Refused(_("At most %(most)d students in a course.") % {"most": MOST_STUDENTS})
    returning = [person for person in result.new if person.number in stored]
    for person in [*returning, *(change.new for change in result.changed)]:
        _store(stored[person.number], person)
    _admit(current, [stored[person.number] for person in returning])
    _add(current, [person for person in result.new if person.number not in stored])
    if remove_missing:
        _remove([stored[person.number] for person in result.missing])
    counts = {
        "new": len(result.new),
        "changed": len(result.changed),
        "removed": len(result.missing) if remove_missing else 0,
    }
    if any(counts.values()):
        current.milestones.filter(rule=Rule.BEATS).update(judge_at=timezone.now())  # extensions may differ
        current.revision += 1
        current.save(update_fields=["revision"])
        _record(Verb.ROSTER, current, by, counts)
    return result


@transaction.atomic
def renew_link(course: Course, student: int, by: User) -> Student:
    """A new personal link; the old one is worth nothing. Raises Refused.

    For a student whose account was made by the link, it sets a new password: there may be no mail. One whose
    account was closed joins anew.
    """
    result = _student(_lock_open(course), student)
    if result.user is not None and result.user.closed is not None:
        result.user, result.joined, result.own_account = None, None, False
    if result.own_account:
        raise Refused(_("This student joined with an account of their own, and can sign in with it."))
    _check_no_rights(result.user)
    _check_no_other_teachers(result.user, by)
    result.secret = _secret()
    result.save(update_fields=["secret", "user", "joined", "own_account"])
    _record(Verb.STUDENT_LINK, course, by, {"student": result.pk})
    return result


@transaction.atomic
def remove_student(course: Course, student: int, by: User) -> None:
    """Take a student off the roster. Their bots stay, under the pseudonym. Raises Refused."""
    current = _lock_open(course)
    _remove([_student(current, student)])
    current.revision += 1
    current.save(update_fields=["revision"])
    _record(Verb.ROSTER, current, by, {"new": 0, "changed": 0, "removed": 1})


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
    _record(Verb.COURSE_STAFF, current, by, {"account": user.pk, "role": role})


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
        _record(Verb.COURSE_STAFF, current, by, {"account": user, "role": ""})


@transaction.atomic
def set_state(course: Course, state: states.State, by: User) -> None:
    """Close a course, or open it again; nothing if it is in that state."""
    current = lock(course)
    if current.state == state:
        return
    current.move_locked(states.CLOSE if state == states.State.CLOSED else states.REOPEN)
    _record(Verb.COURSE_STATE, current, by, {"state": state})


@transaction.atomic
def forget_names(course: Course, by: User) -> None:
    """Delete all that says who the students are: numbers, names, addresses, groups. Raises Refused.

    Pseudonyms, bots and points stay. Only of a closed course, whose grades were taken.
    """
    current = lock(course)
    if current.is_open:
        raise Refused(_("Close the course first."))
    for student in current.students.all():
        student.number, student.name, student.email, student.group = (
            f"#{student.pk}",
            student.pseudonym,
            "",
            "",
        )
        student.save(update_fields=["number", "name", "email", "group"])
    current.revision += 1
    current.save(update_fields=["revision"])
    _record(Verb.ROSTER, current, by, {"forgotten": current.students.count()})


def place_with(secret: str) -> Student:
    """The student of a personal link that holds. Raises NoPlace."""
    student = Student.objects.select_related("course", "user").filter(secret=secret, removed=None).first()
    if not secret or student is None or not student.course.is_open:
        raise NoPlace(secret)
    return student


@transaction.atomic
def join_with_account(secret: str, user: User) -> Student:
    """Join with an account that is there already. Raises NoPlace, Refused.

    Who was removed, and is on the roster under another number now, has the former place with all that belongs
    to it: often a number was corrected.
    """
    student = _locked_place(secret)
    if student.user is not None:
        raise NoPlace(secret)
    if student.course.staff.filter(user=user).exists():
        raise Refused(_("You teach this course, so you cannot be a student of it."))
    former = student.course.students.filter(user=user).first()
    if former is not None and former.removed is None:
        raise Refused(_("You are on the roster of this course already."))
    user.studies.update(secret="")  # who signs in needs no link that sets a password
    # What they uploaded before may count for a deadline that is over.
    student.course.milestones.filter(rule=Rule.BEATS).update(judge_at=timezone.now())
    return _join(student, user, own_account=True) if former is None else _return_to(former, student)


@transaction.atomic
def join_with_password(secret: str, password: str) -> Student:
    """Join with an account that is made for it; for one who has joined so, set another password.

    The caller has checked the password. Raises NoPlace, Refused.
    """
    student = _locked_place(secret)
    if student.user is not None:
        _check_no_rights(student.user)  # it may have got some since the link was made
        student.user.set_password(password)
        student.user.save(update_fields=["password"])
        student.secret = ""
        student.save(update_fields=["secret"])
        return student
    return _join(student, _make_account(student, password), own_account=False)


def forget(user: User) -> None:
    """Remove what a closed account leaves: its part in the staff of courses."""
    user.teaches.all().delete()


def _join(student: Student, user: User, *, own_account: bool) -> Student:
    student.user = user
    student.own_account = own_account
    student.joined = timezone.now()
    student.secret = ""
    student.save(update_fields=["user", "own_account", "joined", "secret", "pseudonym"])
    _admit(student.course, [student])
    return student


def _return_to(former: Student, place: Student) -> Student:
    """Give a student who was removed the number of another place, which is gone then."""
    person = place.person
    former.extensions.filter(milestone__in=place.extensions.values("milestone")).delete()
    place.extensions.update(student=former)
    place.delete()
    _store(former, person)
    _admit(former.course, [former])
    return former


def _make_account(student: Student, password: str) -> User:
    """An account under the pseudonym, or under another one if an account got it since."""
    for _attempt in range(DRAWS):
        account = User(username=student.pseudonym)
        account.set_password(password)
        try:
            account.clean()
            with transaction.atomic():
                account.save()
        except (ValidationError, IntegrityError):
            student.pseudonym = pseudonyms.draw()
        else:
            return account
    raise RuntimeError("no pseudonym is free")


def _add(course: Course, people: Iterable[Person]) -> None:
    taken = set(Student.objects.values_list("pseudonym", flat=True))
    made = []
    for person in people:
        pseudonym = pseudonyms.draw()
        for _attempt in range(DRAWS):
            if pseudonym not in taken:
                break
            pseudonym = pseudonyms.draw()
        taken.add(pseudonym)
        made.append(Student(course=course, pseudonym=pseudonym, secret=_secret(), **vars(person)))
    Student.objects.bulk_create(made, batch_size=500)


def _store(student: Student, person: Person) -> None:
    for name, value in vars(person).items():
        setattr(student, name, value)
    student.removed = None
    student.save()


def _remove(gone: Iterable[Student]) -> None:
    for student in gone:
        student.removed = timezone.now()
        student.save(update_fields=["removed"])
        if student.user_id is not None:
            elsewhere = Course.objects.filter(students__user=student.user_id, students__removed=None)
            still = Competition.objects.filter(courses__in=elsewhere)
            gone_from = student.course.competitions.exclude(pk__in=still)
            Participant.objects.filter(competition__in=gone_from, user=student.user_id).delete()


def _admit(course: Course, joined: Iterable[Student]) -> None:
    for student in joined:
        if student.user_id is not None:
            for competition in course.competitions.all():
                Participant.objects.get_or_create(competition=competition, user_id=student.user_id)


def _locked_place(secret: str) -> Student:
    """The student of a link, with course and row locked. Raises NoPlace."""
    lock(place_with(secret).course)
    return place_with(secret)  # as it is now


def _let_run(course: Course, user: User, by: User) -> None:
    """Make a teacher an organizer of the competitions. Raises Refused."""
    for competition in course.competitions.all():
        try:
            organizing.add_organizer(competition, user.username, by)
        except organizing.NotPossible as why:
            raise Refused(str(why)) from None


def _let_run_no_more(course: Course, user: User, by: User) -> None:
    """Take that back, except from the last organizer, and where they teach another course."""
    taught = Competition.objects.filter(courses__staff__user=user, courses__staff__role=Role.TEACHER)
    for competition in course.competitions.exclude(pk__in=taught):
        with suppress(organizing.NotPossible):
            organizing.remove_organizer(competition, user.pk, by)


def _student(course: Course, pk: int) -> Student:
    student = course.students.filter(pk=pk, removed=None).select_related("user").first()
    if student is None:
        raise Refused(_("This student is no longer on the roster."))
    return student


def _check_no_rights(account: User | None) -> None:
    """Raises Refused for an account with more rights than a student's: teachers must not get at these."""
    if account is None:
        return
    powers = (account.groups, account.user_permissions, account.organizes, account.teaches)
    if account.is_staff or account.is_superuser or any(rights.exists() for rights in powers):
        raise Refused(
            _("This account has rights beyond those of a student. An administrator sets its password.")
        )


def _check_no_other_teachers(account: User | None, by: User) -> None:
    """Raises Refused for a student of other teachers, too: `by` must not get at what is theirs."""
    if account is None or by.is_superuser:
        return
    taught = Course.objects.filter(staff__user=by, staff__role=Role.TEACHER)
    if account.studies.filter(removed=None).exclude(course__in=taught).exists():
        raise Refused(
            _("This account is also in a course of other teachers. An administrator sets its password.")
        )


def _check_other_teacher(course: Course, user: int) -> None:
    if not course.staff.filter(role=Role.TEACHER).exclude(user=user).exists():
        raise Refused(_("A course needs a teacher. Add another one first."))


def _record(verb: Verb, course: Course, by: User, details: Mapping[str, object]) -> None:
    acts.record(verb, by, course.competitions.first(), subject=course.title, details=details)


def _secret() -> str:
    return secrets.token_urlsafe(BYTES)


def lock(course: Course) -> Course:
    """The course, locked as every change of it does first."""
    return Course.objects.select_for_update(no_key=True).get(pk=course.pk)


def _lock_open(course: Course) -> Course:
    """The course, locked. Raises Refused if it is closed."""
    current = lock(course)
    if not current.is_open:
        raise Refused(_("The course is closed."))
    return current


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
