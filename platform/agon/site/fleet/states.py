"""The states of a worker that was found to play differently from the others, and the transitions.

parked   --> released      it claims no matches until an operator releases it
reported --> released      it keeps playing, because there are too few other workers
reported --> parked        by an operator
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from agon.site.core.db.transitions import transition


class WorkerState(models.TextChoices):
    PARKED = "parked", _("parked")
    REPORTED = "reported", _("reported")
    RELEASED = "released", _("released")


PARK = transition("park", WorkerState.REPORTED, to=WorkerState.PARKED)
RELEASE = transition("release", WorkerState.PARKED, WorkerState.REPORTED, to=WorkerState.RELEASED)
TRANSITIONS = (PARK, RELEASE)
