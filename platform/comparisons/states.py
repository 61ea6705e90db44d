"""The states of a comparison, and the transitions between them.

running -> finished
   |
   +-> cancelled       by its owner, or because a bot left play
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from agon.db.transitions import transition


class State(models.TextChoices):
    RUNNING = "running", _("running")
    FINISHED = "finished", _("finished")
    CANCELLED = "cancelled", _("cancelled")


FINISH = transition("finish", State.RUNNING, to=State.FINISHED)
CANCEL = transition("cancel", State.RUNNING, to=State.CANCELLED)
TRANSITIONS = (FINISH, CANCEL)
