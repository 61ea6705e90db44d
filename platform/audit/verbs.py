"""What organizers and administrators can do to a contest: one verb an act."""

from django.db import models
from django.utils.translation import pgettext_lazy


class Verb(models.TextChoices):
    CREATE = "create", pgettext_lazy("act", "created")
    START = "start", pgettext_lazy("act", "started")
    PAUSE = "pause", pgettext_lazy("act", "paused")
    RESUME = "resume", pgettext_lazy("act", "resumed")
    CANCEL = "cancel", pgettext_lazy("act", "cancelled")
    SCHEDULE = "schedule", pgettext_lazy("act", "set the start")
    NOT_STARTED = "not started", pgettext_lazy("act", "could not start")
    WITHDRAW = "withdraw", pgettext_lazy("act", "withdrew")
    DISQUALIFY = "disqualify", pgettext_lazy("act", "disqualified")
    REINSTATE = "reinstate", pgettext_lazy("act", "reinstated")
    RELEASE = "release", pgettext_lazy("act", "released the results")
    REVEAL = "reveal", pgettext_lazy("act", "revealed a place")
    PRIZE = "prize", pgettext_lazy("act", "set the prize")
    SOURCES_OPEN = "sources open", pgettext_lazy("act", "opened the sources")
    SOURCES_CLOSED = "sources closed", pgettext_lazy("act", "closed the sources")
    DECIDE = "decide", pgettext_lazy("act", "had the first ranks decided")
    NO_DECIDE = "no decide", pgettext_lazy("act", "stopped deciding the first ranks")
    RERUN = "rerun", pgettext_lazy("act", "ran matches again")
    APPLY = "apply", pgettext_lazy("act", "applied new results")
    REOPEN = "reopen", pgettext_lazy("act", "reopened the tournament")
    DISCARD = "discard", pgettext_lazy("act", "discarded new results")
