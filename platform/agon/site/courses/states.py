"""The states of a course and of an assessment, and the transitions between them.

open -> closed      by a teacher: no one joins, and the roster stays as it is
closed -> open      by a teacher

waiting -> running -> passed
   |          |
   |----------+-----> failed        also if its bot was stopped
   +----------+-----> cancelled     its matches could not be played
"""

from django.db import models
from django.utils.translation import pgettext_lazy

from agon.site.core.db.transitions import transition


class State(models.TextChoices):
    OPEN = "open", pgettext_lazy("course", "open")
    CLOSED = "closed", pgettext_lazy("course", "closed")


CLOSE = transition("close", State.OPEN, to=State.CLOSED)
REOPEN = transition("reopen", State.CLOSED, to=State.OPEN)
TRANSITIONS = (CLOSE, REOPEN)


class AssessmentState(models.TextChoices):
    WAITING = "waiting", pgettext_lazy("assessment", "waiting")
    RUNNING = "running", pgettext_lazy("assessment", "running")
    PASSED = "passed", pgettext_lazy("assessment", "passed")
    FAILED = "failed", pgettext_lazy("assessment", "failed")
    CANCELLED = "cancelled", pgettext_lazy("assessment", "cancelled")


GOING_ON = (AssessmentState.WAITING, AssessmentState.RUNNING)
BEGIN = transition("begin", AssessmentState.WAITING, to=AssessmentState.RUNNING)
PASS = transition("pass", AssessmentState.RUNNING, to=AssessmentState.PASSED)
FAIL = transition("fail", *GOING_ON, to=AssessmentState.FAILED)
CANCEL = transition("cancel", *GOING_ON, to=AssessmentState.CANCELLED)
