"""A game that people compete in."""

from django.core.validators import MinValueValidator
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from games.core.broken import why_broken
from games.core.manifest import GameInfo, load


class Competition(models.Model):
    """One game, its bots, and their ladder."""

    class State(models.TextChoices):
        OPEN = "open", _("open")  # bots can be uploaded, and the ladder plays
        CLOSED = "closed", _("closed")  # read-only

    class Teams(models.TextChoices):
        """Who may own bots here; agon.site.bots.taking_part checks it."""

        ANY = "any", _("people and teams; one person in several of them")
        ONE = "one", _("people and teams; every person alone or in one team")
        NONE = "none", _("people alone")

    slug = models.SlugField(_("address"), unique=True, max_length=60)
    game = models.CharField(_("game"), max_length=60)  # the slug of a folder in games/
    title = models.CharField(_("title"), max_length=120)
    summary = models.CharField(_("summary"), max_length=400, blank=True)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.OPEN)
    teams = models.CharField(_("who takes part"), max_length=4, choices=Teams.choices, default=Teams.ANY)
    # How long records and standard error are kept (agon.site.workers.retention). Those of tournaments always
    # are.
    keep_days = models.PositiveIntegerField(
        _("days that records are kept"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    keep_mib = models.PositiveIntegerField(
        _("MiB of records that are kept"), default=8192, validators=[MinValueValidator(1)]
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("competition")
        verbose_name_plural = _("competitions")
        ordering = ["title"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("competition", args=[self.slug])

    @property
    def is_open(self) -> bool:
        return self.state == self.State.OPEN and not self.suspended

    @property
    def suspended(self) -> str:
        """Why nothing can be played here: what is wrong with the game. "" if nothing is."""
        return why_broken(self.game)

    @property
    def about(self) -> str:
        """What is played here: the summary, or what the game says of itself. Pages translate it."""
        return self.summary or ("" if self.suspended else self.info.summary)

    @property
    def info(self) -> GameInfo:
        """The game's manifest. Raises UnknownGame if its folder is gone."""
        return load(self.game)
