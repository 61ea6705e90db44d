"""Comparisons of two submissions (agon.statistics.compare), played by the site's workers."""

from fractions import Fraction

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from agon.site.bots.models import Submission
from agon.site.comparisons.states import State
from agon.site.competitions.models import Competition
from agon.site.core.db.fields import SeedField
from agon.site.core.db.transitions import Stateful
from agon.statistics.compare.cycles import matches_in
from agon.statistics.compare.sequential import ComparisonPlan, Verdict


class Comparison(Stateful):
    """A sequential test of whether `new` is better than `old`, in unrated matches (progress.py)."""

    State = State

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="comparisons")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="comparisons")
    new = models.ForeignKey(Submission, models.CASCADE, related_name="+")
    old = models.ForeignKey(Submission, models.CASCADE, related_name="+")
    state = models.CharField(_("state"), max_length=12, choices=State.choices, default=State.RUNNING)
    seed = SeedField(_("seed"))  # each cycle's seed is derived from it
    seats = models.PositiveSmallIntegerField(_("seats"))
    # Submissions that fill the other seats in games of more than two; with none the two share all seats.
    opponents = models.JSONField(default=list, blank=True)
    least = models.CharField(max_length=8)  # the difference that matters, as a share: "1/10"
    most_cycles = models.PositiveIntegerField()
    queued = models.PositiveIntegerField(default=0)  # the number of cycles that were queued
    verdict = models.CharField(
        _("verdict"), max_length=16, blank=True
    )  # agon.statistics.compare.sequential.Verdict
    value = models.FloatField(null=True, blank=True)  # the difference: estimate and 95 % interval
    low = models.FloatField(null=True, blank=True)
    high = models.FloatField(null=True, blank=True)
    created = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("comparison")
        verbose_name_plural = _("comparisons")
        constraints = [
            models.UniqueConstraint(
                fields=["owner"], condition=models.Q(state=State.RUNNING), name="one_comparison_at_a_time"
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=State.values), name="comparison_in_known_state"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.new} : {self.old}"

    def get_absolute_url(self) -> str:
        return reverse("comparison", args=[self.pk])

    @property
    def is_over(self) -> bool:
        return self.state != State.RUNNING

    @property
    def plan(self) -> ComparisonPlan:
        """The parameters of the sequential test."""
        return ComparisonPlan(Fraction(self.least), self.most_cycles)

    @property
    def per_cycle(self) -> int:
        """The number of matches of a cycle."""
        return matches_in(self.seats, len(self.opponents))

    @property
    def most_matches(self) -> int:
        """The largest possible number of matches."""
        return self.most_cycles * self.per_cycle

    @property
    def known_verdict(self) -> Verdict | None:
        """The verdict; None while it is running, or if it was cancelled."""
        return Verdict(self.verdict) if self.verdict else None
