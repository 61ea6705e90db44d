"""Who may do what with a course, and what its staff reads."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from agon.site.accounts.models import User
from agon.site.courses.models import Course, Role, Student


def role_in(course: Course, user: User | AnonymousUser) -> Role | None:
    """The part of `user` in the staff; administrators are teachers everywhere, to be able to help."""
    if not user.is_authenticated:
        return None
    if user.is_superuser:
        return Role.TEACHER
    staff = course.staff.filter(user=user.pk).first()
    return Role(staff.role) if staff else None


def place_of(course: Course, user: User | AnonymousUser) -> Student | None:
    """The place of `user` on the roster; None for others, and for those who were removed."""
    if not user.is_authenticated:
        return None
    return students(course).filter(user=user.pk).first()


def courses_of(user: User) -> QuerySet[Course]:
    """The courses in which `user` is staff or a student."""
    taught = Q(staff__user=user.pk)
    return Course.objects.filter(taught | Q(students__user=user.pk, students__removed=None)).distinct()


def matching(students: QuerySet[Student], search: str) -> QuerySet[Student]:
    """Those with `search` in their number, name, e-mail, group or pseudonym."""
    fields = ("number", "name", "email", "group", "pseudonym", "user__username")
    wanted = Q()
    for field in fields if search else ():
        wanted |= Q(**{f"{field}__icontains": search})
    return students.filter(wanted)


def students(course: Course) -> QuerySet[Student]:
    """Those on the roster, by group and name, with their extensions."""
    return course.students.filter(removed=None).select_related("user").prefetch_related("extensions")
