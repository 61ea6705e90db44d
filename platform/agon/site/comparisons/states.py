"""The states of a comparison, and the transitions between them.

running -> finished
   |
   +-> cancelled       by its owner, or because a bot left play, its owner left the bot's team, or the
                      competition is no longer open
"""

from django.db import models
from django.utils.translation import pgettext_lazy

from agon.site.core.db.transitions import transition


class State(models.TextChoices):
    RUNNING = "running", pgettext_lazy("comparison", "running")
    FINISHED = "finished", pgettext_lazy("comparison", "finished")
    CANCELLED = "cancelled", pgettext_lazy("comparison", "cancelled")


FINISH = transition("finish", State.RUNNING, to=State.FINISHED)
CANCEL = transition("cancel", State.RUNNING, to=State.CANCELLED)
TRANSITIONS = (FINISH, CANCEL)
