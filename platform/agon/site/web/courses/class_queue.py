"""What of a class is still on its way: versions that are checked, and assessments that are played."""

from typing import NamedTuple

from agon.site.bots.models import Submission
from agon.site.bots.states import PENDING
from agon.site.courses import queries
from agon.site.courses.models import Assessment, Course
from agon.site.courses.states import GOING_ON
from agon.site.use_cases import waiting
from agon.site.use_cases.waiting import Place


class ClassQueue(NamedTuple):
    """checked, judged: how many versions. last: the place of the one that was uploaded last, if it waits."""

    checked: int
    judged: int
    last: Place | None


def class_queue(course: Course) -> ClassQueue:
    owners = queries.students(course).values("user")
    checked = Submission.objects.filter(
        bot__owner__in=owners, bot__competition__in=course.competitions.all(), state__in=PENDING
    )
    last = checked.select_related("bot__competition").order_by("pk").last()
    judged = Assessment.objects.filter(judging__milestone__course=course, state__in=GOING_ON).count()
    if last is None:
        return ClassQueue(0, judged, None)
    matches = last.qualifications.select_related("competition").order_by("pk")
    return ClassQueue(checked.count(), judged, waiting.of_submission(last, list(matches)[-1:]))
