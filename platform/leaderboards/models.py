"""How good the bots are."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from bots.models import Submission
from competitions.models import Competition

MU, SIGMA = 25.0, 25.0 / 3.0  # of a newcomer: openskill's own defaults


class Rating(models.Model):
    """A submission's skill as estimated from its rated matches: mean `mu`, standard deviation `sigma`."""

    submission = models.OneToOneField(Submission, models.CASCADE, related_name="rating")
    mu = models.FloatField(default=MU)
    sigma = models.FloatField(default=SIGMA)
    played = models.PositiveIntegerField(_("played"), default=0)
    won = models.PositiveIntegerField(_("won"), default=0)
    faults = models.PositiveIntegerField(_("faults"), default=0)

    class Meta:
        verbose_name = _("rating")
        verbose_name_plural = _("ratings")

    def __str__(self) -> str:
        return f"{self.submission}: {self.mu:.1f} ± {self.sigma:.1f}"


class Leaderboard(models.Model):
    """The version of a competition's leaderboard, raised by each change, for open pages to see.

    Its row is also the lock under which ratings of the competition change.
    """

    competition = models.OneToOneField(Competition, models.CASCADE, related_name="leaderboard")
    version = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.competition}, version {self.version}"
