"""What each change of a course does.

It locks the course's row first, so that of two people who change it at once the second one sees what the
first one did. Acts are recorded with the course's competition, and name no student.
"""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.audit import acts
from agon.site.audit.verbs import Verb
from agon.site.courses.models import Course


class Refused(Exception):
    """A course cannot be changed so; str(e) says why, in the reader's language."""


def lock(course: Course) -> Course:
    """The course, locked as every change of it does first."""
    return Course.objects.select_for_update(no_key=True).get(pk=course.pk)


def lock_open(course: Course) -> Course:
    """The course, locked. Raises Refused if it is closed."""
    current = lock(course)
    if not current.is_open:
        raise Refused(_("The course is closed."))
    return current


def record(verb: Verb, course: Course, by: User, details: Mapping[str, object]) -> None:
    acts.record(verb, by, course.competitions.first(), subject=course.title, details=details)
