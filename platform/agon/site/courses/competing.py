"""The competitions of a course: its students take part in all of them, under the same pseudonym."""

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.audit import acts
from agon.site.audit.verbs import Verb
from agon.site.competitions import organizing
from agon.site.competitions.access import may_run, run_by
from agon.site.competitions.models import Competition, Participant
from agon.site.courses.changing import Refused, lock, lock_open
from agon.site.courses.models import Course, Role

MOST_COMPETITIONS = 10  # of a course


def possible(course: Course, user: User) -> QuerySet[Competition]:
    """The competitions that `user` runs and that are no part of the course yet."""
    every = run_by(user).exclude(state=Competition.State.ARCHIVED)
    return every.exclude(pk__in=course.competitions.all()).distinct().order_by("title", "pk")


@transaction.atomic
def add(course: Course, competition: Competition, by: User) -> None:
    """Make a competition that `by` runs part of the course; nothing if it is.

    All who have joined take part in it from now on, and all teachers become its organizers. Raises Refused.
    """
    current = lock_open(course)
    if not may_run(by, competition):
        raise Refused(_("Choose a competition that you run."))
    if current.competitions.filter(pk=competition.pk).exists():
        return
    if current.competitions.count() >= MOST_COMPETITIONS:
        raise Refused(_("At most %(most)d competitions of a course.") % {"most": MOST_COMPETITIONS})
    current.competitions.add(competition)
    try:
        for teacher in current.staff.filter(role=Role.TEACHER).select_related("user"):
            organizing.let_run(competition, teacher.user, by)
    except organizing.NotPossible as why:
        raise Refused(str(why)) from None
    joined = current.students.filter(removed=None, user__isnull=False).values_list("user", flat=True)
    Participant.objects.bulk_create(
        (Participant(competition=competition, user_id=user) for user in joined),
        batch_size=500,
        ignore_conflicts=True,
    )
    _record(current, competition, by, is_added=True)


@transaction.atomic
def remove(course: Course, competition: Competition, by: User) -> None:
    """Take a competition out of the course; nothing if it is no part of it.

    Its bots, its organizers and those who take part stay as they are. Raises Refused for the last one, and if
    a milestone asks for it.
    """
    current = lock(course)
    if not current.competitions.filter(pk=competition.pk).exists():
        return
    if current.competitions.count() == 1:
        raise Refused(_("A course needs a competition. Add another one first."))
    if current.milestones.filter(competition=competition).exists():
        raise Refused(_("A milestone asks for this competition. Change or delete the milestone first."))
    current.competitions.remove(competition)
    _record(current, competition, by, is_added=False)


def _record(course: Course, competition: Competition, by: User, *, is_added: bool) -> None:
    acts.record(
        Verb.COURSE_COMPETITIONS,
        by,
        competition,
        subject=course.title,
        details={"competition": competition.slug, "added": is_added},
    )
