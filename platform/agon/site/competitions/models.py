"""A game that people compete in, those who run it, and what is not open yet."""

from typing import Any

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from agon.site.competitions import prizes, visibility
from agon.site.competitions.settings import (
    LONGEST_TITLE,
    NAMES,
    CompetitionSettings,
    Entry,
    Records,
    Sources,
    Stderr,
    Teams,
)
from agon.site.competitions.visibility import Audience, Subject
from games.core.broken import why_broken
from games.core.manifest import GameInfo, load


class Competition(models.Model):
    """One game, its bots, and their ladder."""

    class State(models.TextChoices):
        OPEN = "open", _("open")  # bots can be uploaded, and the ladder plays
        CLOSED = "closed", _("closed")  # read-only
        ARCHIVED = "archived", _("archived")  # closed, and in no list but one of its own

    Teams = Teams

    slug = models.SlugField(_("address"), unique=True, max_length=60)
    game = models.CharField(_("game"), max_length=60)  # the slug of a folder in games/
    # As it was when the site last started, or when this was opened after that; "" if it never worked here
    # (agon.site.competitions.game_versions).
    game_version = models.TextField(blank=True, default="", editable=False)
    title = models.CharField(_("title"), max_length=120)
    summary = models.CharField(_("summary"), max_length=400, blank=True)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.OPEN)
    teams = models.CharField(_("who takes part"), max_length=4, choices=Teams.choices, default=Teams.ANY)
    # What an organizer sets; see agon.site.competitions.settings.
    text = models.TextField(_("text"), blank=True)  # Markdown
    entry = models.CharField(_("who may enter"), max_length=10, choices=Entry.choices, default=Entry.ALL)
    entry_secret = models.CharField(max_length=64, blank=True, editable=False)  # of the link
    email_domains = models.JSONField(_("e-mail domains"), default=list, blank=True)
    entry_opens = models.DateTimeField(_("entry opens"), null=True, blank=True)
    entry_closes = models.DateTimeField(_("entry closes"), null=True, blank=True)
    time_zone = models.CharField(_("time zone"), max_length=60, default="UTC")
    bots_per_owner = models.PositiveSmallIntegerField(_("bots of one owner"), null=True, blank=True)
    languages = models.JSONField(_("languages"), default=list, blank=True)
    house_bots = models.BooleanField(_("house bots"), default=True)
    ladder = models.BooleanField(_("ladder"), default=True)
    prizes = models.JSONField(_("prizes"), default=list, blank=True)
    sources = models.CharField(_("programs"), max_length=10, choices=Sources.choices, default=Sources.AUTHOR)
    records = models.CharField(_("matches"), max_length=10, choices=Records.choices, default=Records.ALL)
    stderr = models.CharField(
        _("standard error"), max_length=10, choices=Stderr.choices, default=Stderr.AUTHOR
    )
    final_format = models.CharField(_("format of the final"), max_length=40, blank=True)
    final_rounds = models.PositiveIntegerField(_("rounds of the final"), null=True, blank=True)
    final_starts = models.DateTimeField(_("start of the final"), null=True, blank=True)
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

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self._state.adding and not self.game_version:
            self.note_game_version()
        super().save(*args, **kwargs)

    def get_absolute_url(self) -> str:
        return reverse("competition", args=[self.slug])

    def note_game_version(self) -> None:
        """Set the version that its game has here now, if that works."""
        self.game_version = "" if self.suspended else self.info.version

    @property
    def is_open(self) -> bool:
        return self.state == self.State.OPEN and not self.suspended

    @property
    def is_over(self) -> bool:
        """Whether it was closed or archived; a game that does not work now closes nothing."""
        return self.state != self.State.OPEN

    def shown_to(self, subject: Subject) -> Audience:
        """Who sees this of it now, beside organizers and staff."""
        return visibility.audience(subject, getattr(self, subject.value), not self.is_over)

    @property
    def has_entry_window(self) -> bool:
        return self.entry_opens is not None or self.entry_closes is not None

    @property
    def entry_is_ahead(self) -> bool:
        return self.entry_opens is not None and timezone.now() < self.entry_opens

    @property
    def entry_is_over(self) -> bool:
        return self.entry_closes is not None and timezone.now() >= self.entry_closes

    @property
    def takes_entries(self) -> bool:
        """Whether bots and versions can be entered now."""
        return self.is_open and not self.entry_is_ahead and not self.entry_is_over

    @property
    def has_ladder(self) -> bool:
        """Whether rated matches are queued."""
        return self.is_open and self.ladder

    @property
    def settings(self) -> CompetitionSettings:
        """What an organizer has set."""
        values: dict[str, Any] = {name: getattr(self, name) for name in NAMES}
        return CompetitionSettings(
            **values
            | {
                "email_domains": tuple(self.email_domains),
                "languages": tuple(self.languages),
                "prizes": tuple(map(prizes.from_json, self.prizes)),
            }
        )

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


class Organizer(models.Model):
    """A user who runs a competition, with rights for it alone."""

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="organizers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="organizes")
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["competition", "user"], name="organizers_once")]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.user} of {self.competition}"


class Participant(models.Model):
    """A user who was admitted to a competition that is not for everyone."""

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="participants")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="admitted_to")
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["competition", "user"], name="participants_once")]

    def __str__(self) -> str:
        return f"{self.user} in {self.competition}"


class Announcement(models.Model):
    """What organizers announce to those who take part in a competition or follow it, for everyone to read.

    revision: counts the changes, so that of two forms open at once the second is refused. withdrawn: since
    then no one can read it; the row stays, for the events that name it.
    """

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="announcements")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    title = models.CharField(_("title"), max_length=LONGEST_TITLE)
    text = models.TextField(_("text"))  # Markdown
    revision = models.PositiveIntegerField(default=1)
    created = models.DateTimeField(auto_now_add=True)
    edited = models.DateTimeField(null=True)
    withdrawn = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("announcement", args=[self.competition.slug, self.pk])


class CompetitionDraft(models.Model):
    """A competition that is not open yet: its settings, for its organizer alone.

    It is no Competition in a state of its own, so that no page, feed, archive or operation can show it.
    revision: counts the changes, so that of two forms open at once the second is refused.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="competition_drafts")
    settings = models.JSONField()  # CompetitionSettings.to_json
    revision = models.PositiveIntegerField(default=1)
    created = models.DateTimeField(auto_now_add=True)
    changed = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-changed", "-pk"]

    def __str__(self) -> str:
        return str(self.settings.get("title", ""))

    def get_absolute_url(self) -> str:
        return reverse("competition_draft", args=[self.pk])


class PastTable(models.Model):
    """A table of people or results that came with an import: see agon.site.competitions.past.

    It is of a draft, and then of the competition that the draft becomes. number: its place in the order.
    """

    competition = models.ForeignKey(Competition, models.CASCADE, null=True, related_name="past")
    draft = models.ForeignKey(CompetitionDraft, models.CASCADE, null=True, related_name="past")
    number = models.PositiveIntegerField()
    title = models.TextField()
    source = models.TextField()  # the address of the site that says so
    columns = models.JSONField()
    rows = models.JSONField()
    is_private = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["competition", "number"], name="past_tables_of_a_competition"),
            models.UniqueConstraint(fields=["draft", "number"], name="past_tables_of_a_draft"),
        ]
        ordering = ["number"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        assert self.competition is not None  # a draft has no page that shows it
        return reverse("competition_past_table", args=[self.competition.slug, self.number])
