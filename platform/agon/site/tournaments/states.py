"""The states of a tournament, and the transitions between them.

draft -> running <-> paused
  |       ^ |  \\       |
  |       | |   +-> cancelled
  |       | v        ^
  |      finished    |
  +------------------+

A finished tournament is reopened if new results that were applied to its last round require another round.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from agon.site.core.db.transitions import transition


class State(models.TextChoices):
    DRAFT = "draft", _("draft")
    RUNNING = "running", _("running")
    PAUSED = "paused", _("paused")
    FINISHED = "finished", _("finished")
    CANCELLED = "cancelled", _("cancelled")


OVER = (State.FINISHED, State.CANCELLED)

START = transition("start", State.DRAFT, to=State.RUNNING)
PAUSE = transition("pause", State.RUNNING, to=State.PAUSED)
RESUME = transition("resume", State.PAUSED, to=State.RUNNING)
FINISH = transition("finish", State.RUNNING, to=State.FINISHED)
REOPEN = transition("reopen", State.FINISHED, to=State.RUNNING)
CANCEL = transition("cancel", State.DRAFT, State.RUNNING, State.PAUSED, to=State.CANCELLED)
TRANSITIONS = (START, PAUSE, RESUME, FINISH, REOPEN, CANCEL)
