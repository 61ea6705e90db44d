"""The states of a course, and the transitions between them.

open -> closed      by a teacher: nobody joins, and the roster stays as it is
closed -> open      by a teacher
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
