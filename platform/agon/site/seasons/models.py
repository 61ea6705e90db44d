"""Seasons: several tournaments whose places make one board."""

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from agon.contest.season import Kind, Rule
from agon.site.tournaments.models import Tournament


class Season(models.Model):
    """Tournaments, of one competition or of several, and the rule by which their places make points.

    kind, table, best: see agon.contest.season. revision: counts the changes, so that of two forms open at
    once the second is refused.
    """

    class Kinds(models.TextChoices):
        TABLE = Kind.TABLE.value, _("the sum of points by place")
        MEAN = Kind.MEAN.value, _("the mean of places, 1 for the first and 0 for the last")

    title = models.CharField(_("title"), max_length=120)
    organizer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="seasons")
    kind = models.CharField(_("rule"), max_length=10, choices=Kinds.choices)
    table = models.JSONField(default=list, blank=True)
    best = models.PositiveSmallIntegerField(null=True, blank=True)
    tournaments: "models.ManyToManyField[Tournament, SeasonTournament]" = models.ManyToManyField(
        Tournament, through="SeasonTournament", related_name="seasons"
    )
    revision = models.PositiveIntegerField(default=1)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("season")
        verbose_name_plural = _("seasons")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("season", args=[self.pk])

    @property
    def rule(self) -> Rule:
        """The rule, as the board is computed by it."""
        return Rule(Kind(self.kind), tuple(self.table), self.best)


class SeasonTournament(models.Model):
    """A tournament of a season; number: its place in the order."""

    season = models.ForeignKey(Season, models.CASCADE, related_name="entries")
    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="+")
    number = models.PositiveIntegerField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["season", "tournament"], name="a_tournament_is_once_in_a_season"),
            models.UniqueConstraint(fields=["season", "number"], name="tournaments_of_a_season_are_numbered"),
        ]

    def __str__(self) -> str:
        return f"{self.season}: {self.tournament}"
