"""The states of a challenge, and the transitions between them.

running -> finished
   |
   +-> cancelled       by its owner, because a bot left play, or because the competition was closed or
                       archived
"""

from django.db import models
from django.utils.translation import pgettext_lazy

from agon.site.core.db.transitions import transition


class State(models.TextChoices):
    RUNNING = "running", pgettext_lazy("challenge", "running")
    FINISHED = "finished", pgettext_lazy("challenge", "finished")
    CANCELLED = "cancelled", pgettext_lazy("challenge", "cancelled")


FINISH = transition("finish", State.RUNNING, to=State.FINISHED)
CANCEL = transition("cancel", State.RUNNING, to=State.CANCELLED)
TRANSITIONS = (FINISH, CANCEL)
