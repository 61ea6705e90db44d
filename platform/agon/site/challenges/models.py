"""Challenges: unrated matches of an author's bot against bots that the author chose."""

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from agon.site.bots.models import Submission
from agon.site.challenges.states import State
from agon.site.competitions.models import Competition
from agon.site.core.db.transitions import Stateful
from agon.site.core.texts.reason_field import ReasonField


class Challenge(Stateful):
    """The versions that were active when it began play all of its matches.

    They are queued at once (services.py), and each has a seed of its own, so all results are independent.
    """

    State = State

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="challenges")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="challenges")
    challenger = models.ForeignKey(Submission, models.CASCADE, related_name="own_challenges")
    state = models.CharField(_("state"), max_length=12, choices=State.choices, default=State.RUNNING)
    reason = ReasonField(default=dict, blank=True)  # why it was cancelled
    planned = models.PositiveIntegerField()  # the number of its matches
    created = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("challenge")
        verbose_name_plural = _("challenges")
        indexes = [models.Index(fields=["owner", "-id"], name="challenge_of_owner")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=State.values), name="challenge_in_known_state"
            ),
        ]

    def __str__(self) -> str:
        return f"challenge {self.pk} of {self.challenger}"

    def get_absolute_url(self) -> str:
        return reverse("challenge", args=[self.pk])

    @property
    def is_over(self) -> bool:
        return self.state != State.RUNNING


class Opponent(models.Model):
    """A version that is challenged; in the order in which they were chosen, then house bots in free seats."""

    challenge = models.ForeignKey(Challenge, models.CASCADE, related_name="opponents")
    submission = models.ForeignKey(Submission, models.CASCADE, related_name="challenged")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["challenge", "submission"], name="an_opponent_is_challenged_once")
        ]

    def __str__(self) -> str:
        return f"{self.submission}"
