"""Joining a course: personal links, and the accounts of students."""

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.audit.verbs import Verb
from agon.site.courses import pseudonyms
from agon.site.courses.changing import Refused, lock, lock_open, record
from agon.site.courses.models import Course, Role, Rule, Student
from agon.site.courses.rosters import DRAWS, admit, new_secret, store, student_of


class NoPlace(Exception):
    """No student has this link, or no more."""


def place_with(secret: str) -> Student:
    """The student of a personal link that holds. Raises NoPlace."""
    student = Student.objects.select_related("course", "user").filter(secret=secret, removed=None).first()
    if not secret or student is None or not student.course.is_open:
        raise NoPlace(secret)
    _leave_closed_account(student)
    return student


@transaction.atomic
def renew_link(course: Course, student: int, by: User) -> Student:
    """A new personal link; the old one is worth nothing. Raises Refused.

    For a student whose account was made by the link, it sets a new password: there may be no mail. One whose
    account was closed joins anew.
    """
    result = student_of(lock_open(course), student)
    _leave_closed_account(result)
    if result.own_account:
        raise Refused(_("This student joined with an account of their own, and can sign in with it."))
    _check_no_rights(result.user)
    _check_no_other_teachers(result.user, by)
    result.secret = new_secret()
    result.save(update_fields=["secret", "user", "joined", "own_account"])
    record(Verb.STUDENT_LINK, course, by, {"student": result.pk})
    return result


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


def _join(student: Student, user: User, *, own_account: bool) -> Student:
    student.user = user
    student.own_account = own_account
    student.joined = timezone.now()
    student.secret = ""
    student.save(update_fields=["user", "own_account", "joined", "secret", "pseudonym"])
    admit(student.course, [student])
    return student


def _return_to(former: Student, place: Student) -> Student:
    """Give a student who was removed the number of another place, which is gone then."""
    person = place.person
    former.extensions.filter(milestone__in=place.extensions.values("milestone")).delete()
    place.extensions.update(student=former)
    place.delete()
    store(former, person)
    admit(former.course, [former])
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


def _leave_closed_account(student: Student) -> None:
    """A student whose account was closed joins anew. The caller saves it."""
    if student.user is not None and student.user.closed is not None:
        student.user, student.joined, student.own_account = None, None, False


def _locked_place(secret: str) -> Student:
    """The student of a link, with course and row locked. Raises NoPlace."""
    lock(place_with(secret).course)
    return place_with(secret)  # as it is now


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
