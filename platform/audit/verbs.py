"""What organizers and administrators can do to a contest: one verb an act."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Verb(models.TextChoices):
    CREATE = "create", _("created")
    START = "start", _("started")
    PAUSE = "pause", _("paused")
    RESUME = "resume", _("resumed")
    CANCEL = "cancel", _("cancelled")
