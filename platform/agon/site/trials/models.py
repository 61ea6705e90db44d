"""Trials: unrated matches of programs that were not submitted. As rows of their own they count nowhere.

Matches that were asked for together are a trial each, with the same `batch`.
"""

from secrets import token_urlsafe

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from agon.site.bots.models import Bot, Submission
from agon.site.competitions.models import Competition
from agon.site.core.db.fields import SeedField
from agon.site.core.db.transitions import Stateful
from agon.site.core.texts.reason_field import ReasonField
from agon.site.matches.models import Match
from agon.site.trials.states import GOING_ON, State


class Outcome(models.TextChoices):
    """How a match ended for the program: it was first alone, shared the first place, or neither."""

    WON = "won", pgettext_lazy("result of a match", "won")
    DRAWN = "drawn", pgettext_lazy("result of a match", "drawn")
    LOST = "lost", pgettext_lazy("result of a match", "lost")


def new_token() -> str:
    """A random name for the URL of a trial, which cannot be guessed."""
    return token_urlsafe(16)


class Trial(Stateful):
    """A program, its opponent, and the result. It is deleted a day after it was made.

    Bytes are compressed with zlib, as those of matches.Recording are.
    """

    State = State

    token = models.CharField(max_length=32, unique=True, default=new_token)  # its address: a secret
    competition = models.ForeignKey(Competition, models.CASCADE, related_name="trials")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="trials"
    )
    # The bot that the program is to become a version of; None: a new one.
    bot = models.ForeignKey(Bot, models.SET_NULL, null=True, blank=True, related_name="+")
    person = models.CharField(max_length=64)  # account or browser; see agon.site.trials.visitors
    network = models.CharField(max_length=64)  # a keyed digest of the address
    name = models.CharField(max_length=40)  # of the program in the match, in its author's language
    language = models.CharField(max_length=40)
    text = models.TextField()
    # The match that it plays again from the same seat.
    again = models.ForeignKey(Match, models.SET_NULL, null=True, blank=True, related_name="+")
    opponent = models.ForeignKey(Submission, models.CASCADE, related_name="+")
    others = models.JSONField(default=list, blank=True)  # primary keys: who is in the other seats, in order
    seat = models.PositiveSmallIntegerField(default=0)  # of the program
    seed = SeedField(null=True, blank=True)  # None: it is drawn
    batch = models.CharField(max_length=32, default="", blank=True, db_index=True)  # "": it is alone
    number = models.PositiveSmallIntegerField(default=0)  # in its batch, from 0
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.QUEUED)
    reason = ReasonField(default=dict, blank=True)  # why it was not built, or not played
    build_log = models.TextField(blank=True)
    attempt = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=120, blank=True)
    used = models.FloatField(default=0.0)  # seconds of worker time, of all attempts
    record = models.BinaryField(default=b"")
    times = models.BinaryField(default=b"")
    stderr = models.BinaryField(default=b"")
    stderr_asks = models.BinaryField(default=b"")  # as matches.Stderr.asks
    won = models.BooleanField(default=False)  # it was ranked above its opponent
    outcome = models.CharField(max_length=5, choices=Outcome.choices, default="", blank=True)
    fault = models.CharField(max_length=12, default="", blank=True)  # the kind of the program's first fault
    doubts = models.PositiveSmallIntegerField(default=0)  # answers that were no faults, but odd
    stored_bytes = models.PositiveIntegerField(default=0)  # of all that it stores, once it is over
    created = models.DateTimeField(auto_now_add=True, db_index=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("trial")
        verbose_name_plural = _("trials")
        ordering = ["id"]
        indexes = [
            models.Index(fields=["state", "id"], name="trial_by_state"),
            models.Index(fields=["id", "stored_bytes"], name="trial_sizes"),  # the sum reads no bytes
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["person", "number"],
                condition=models.Q(state__in=GOING_ON),
                name="one_trial_at_a_time",
            )
        ]

    def __str__(self) -> str:
        return f"trial {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("trial", args=[self.token])

    @property
    def is_over(self) -> bool:
        return self.state not in GOING_ON
