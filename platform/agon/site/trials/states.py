"""The states of a trial, and the transitions between them.

queued -> running -> finished       played to its end, perhaps with a fault
  ^          |  |
  +----------+  +-> rejected        it could not be built: the program's own fault
             +----> failed          the platform gave up, or the match took too long for a trial
"""

from django.db import models
from django.utils.translation import pgettext_lazy

from agon.site.core.db.transitions import transition


class State(models.TextChoices):
    QUEUED = "queued", pgettext_lazy("trial", "queued")
    RUNNING = "running", pgettext_lazy("trial", "running")
    FINISHED = "finished", pgettext_lazy("trial", "finished")
    REJECTED = "rejected", pgettext_lazy("trial", "rejected")
    FAILED = "failed", pgettext_lazy("trial", "failed")


GOING_ON = (State.QUEUED, State.RUNNING)

CLAIM = transition("claim", State.QUEUED, to=State.RUNNING)
FINISH = transition("finish", State.RUNNING, to=State.FINISHED)
REJECT = transition("reject", State.RUNNING, to=State.REJECTED)
REQUEUE = transition("queue again", State.RUNNING, to=State.QUEUED)
GIVE_UP = transition("give up", State.RUNNING, to=State.FAILED)
TRANSITIONS = (CLAIM, FINISH, REJECT, REQUEUE, GIVE_UP)
