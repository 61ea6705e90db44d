"""What organizers and administrators can do to a contest: one verb an act."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Verb(models.TextChoices):
    CREATE = "create", _("created")
    START = "start", _("started")
    PAUSE = "pause", _("paused")
    RESUME = "resume", _("resumed")
    CANCEL = "cancel", _("cancelled")
    SCHEDULE = "schedule", _("set the start")
    NOT_STARTED = "not started", _("could not start")
    WITHDRAW = "withdraw", _("withdrew")
    DISQUALIFY = "disqualify", _("disqualified")
    REINSTATE = "reinstate", _("reinstated")
    RELEASE = "release", _("released the results")
    REVEAL = "reveal", _("revealed a place")
    PRIZE = "prize", _("set the prize")
    SOURCES_OPEN = "sources open", _("opened the sources")
    SOURCES_CLOSED = "sources closed", _("closed the sources")
    DECIDE = "decide", _("had the first ranks decided")
    NO_DECIDE = "no decide", _("stopped deciding the first ranks")
    RERUN = "rerun", _("ran matches again")
    APPLY = "apply", _("applied new results")
    DISCARD = "discard", _("discarded new results")
