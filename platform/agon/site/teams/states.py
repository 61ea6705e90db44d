"""The states of a team, and the transition between them.

open -> closed      when its last member has left, or by a captain or an administrator
"""

from django.db import models
from django.utils.translation import pgettext_lazy

from agon.site.core.db.transitions import transition


class State(models.TextChoices):
    OPEN = "open", pgettext_lazy("team", "open")
    CLOSED = "closed", pgettext_lazy("team", "closed")


CLOSE = transition("close", State.OPEN, to=State.CLOSED)
TRANSITIONS = (CLOSE,)
