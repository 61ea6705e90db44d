"""Extensions of one student for one milestone, beyond that of the roster.

The reason is the student's own affair, and is stored nowhere. If a version was judged already, and
another one counts by the new deadline, that one is judged too, and its result stands beside the former one
(judging.py).
"""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.audit.verbs import Verb
from agon.site.courses.changing import Refused, lock, record
from agon.site.courses.models import Extension, Milestone, Rule
from agon.teaching.roster import MOST_MINUTES, visible


@transaction.atomic
def extend(milestone: Milestone, number: str, minutes: int, by: User) -> Extension | None:
    """Give the student with this number so many minutes beyond the deadline; 0 takes an extension back.

    Raises Refused for a milestone that is gone or has no deadline, and for a number that is on no roster.
    """
    course = lock(milestone.course)
    current = course.milestones.filter(pk=milestone.pk).first()
    if current is None:
        raise Refused(_("This milestone was deleted."))
    if current.deadline is None:
        raise Refused(_("This milestone has no deadline."))
    if not 0 <= minutes <= MOST_MINUTES:
        raise Refused(_("An extension has at most 366 days."))
    number = visible(number)
    student = course.students.filter(number=number, removed=None).first()
    if student is None:
        raise Refused(_("There is no student “%(number)s” on the roster.") % {"number": number[:64]})
    made = None
    if minutes:
        made, _is_new = Extension.objects.update_or_create(
            milestone=current, student=student, defaults={"minutes": minutes}
        )
    else:
        Extension.objects.filter(milestone=current, student=student).delete()
    if current.rule == Rule.BEATS:
        current.judge_at = timezone.now()
        current.save(update_fields=["judge_at"])
    details = {"milestone": current.pk, "student": student.pk, "extension": minutes}
    record(Verb.MILESTONE, course, by, details)
    return made
