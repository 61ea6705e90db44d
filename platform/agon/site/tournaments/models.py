"""Tournaments, their entrants, and re-runs of their matches."""

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from agon.contest.formats import FORMATS, Format
from agon.contest.secret_seeds import Seeding, Seeds, commitment, new_draw, new_salt
from agon.site.bots.models import Bot, Submission
from agon.site.competitions.models import Competition
from agon.site.core.db.transitions import Stateful
from agon.site.tournaments.states import OVER, State
from games.core.record import SeatInfo


class Tournament(Stateful):
    """A tournament: format, settings, seed and salt determine its schedule; entrants are frozen at the start.

    The salt, and with it every match's seed, is secret until the tournament is over. The draw is made when
    the entrants are frozen, so that seeds cannot be chosen by choosing entrants.
    """

    State = State

    class Field(models.TextChoices):
        """The entrants: the bots that were chosen, or all that are active at the start."""

        CHOSEN = "chosen", _("the chosen bots")
        PEOPLE = "people", _("all active bots except house bots, when it starts")
        ALL = "all", _("all active bots, when it starts")

    class Priority(models.IntegerChoices):
        """How many shares of the workers' time it has beside other running tournaments."""

        USUAL = 1, _("as any other")
        FINAL = 4, _("a final: four times as much")

    class Release(models.TextChoices):
        """The users who may see standings and matches."""

        ORGANIZERS = "organizers", _("organizers")
        ENTRANTS = "entrants", _("entrants")
        PUBLIC = "public", _("everyone")

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="tournaments")
    name = models.CharField(_("name"), max_length=120)
    format = models.CharField(_("format"), max_length=40)  # a name of agon.contest.formats
    rounds = models.PositiveIntegerField(_("rounds"), default=1)
    # As many as the format proposes for those who enter (Format.rounds_rule): decided at the start.
    rounds_by_field = models.BooleanField(default=False)
    seats = models.PositiveSmallIntegerField(_("seats"))  # of each match
    seed = models.BigIntegerField(_("seed"), default=1)  # what the organizer adds to the salt
    salt = models.CharField(max_length=64, default=new_salt, editable=False)
    draw = models.CharField(max_length=64, blank=True, default="", editable=False)
    format_settings = models.JSONField(default=dict, blank=True)  # by name
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.DRAFT)
    organizer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="tournaments")
    # To everyone, when it is over. Chosen when it is made, since owners enter their bots knowing it.
    sources_open = models.BooleanField(_("sources open"), default=False)
    # Matches in the schedule. If the format needs results: the largest possible number, until all are known.
    total = models.PositiveIntegerField(default=0)
    # How many are likely to be played, where `total` is the largest possible number; None where it is exact.
    expected = models.PositiveIntegerField(null=True, blank=True, editable=False)
    scheduled = models.PositiveIntegerField(default=0)  # of these, how many exist already
    created = models.DateTimeField(auto_now_add=True)
    starts_at = models.DateTimeField(_("starts at"), null=True, blank=True)  # None: an organizer starts it
    field = models.CharField(max_length=10, choices=Field.choices, default=Field.CHOSEN)
    release = models.CharField(
        _("results for"), max_length=10, choices=Release.choices, default=Release.PUBLIC
    )
    # How many places everyone sees before the release, counted from the last one.
    revealed = models.PositiveIntegerField(default=0)
    priority = models.PositiveSmallIntegerField(choices=Priority.choices, default=Priority.USUAL)
    prize = models.CharField(_("prize"), max_length=200, blank=True)
    awards = models.BooleanField(default=False)  # the prizes of its competition go to its ranks
    # Of the game, when it started. Matches by other rules would not belong to the same result. "": not known.
    game_version = models.TextField(blank=True, default="", editable=False)
    # Its rules for results at that time (agon.site.tournaments.game_rules). "" and None: not known.
    points = models.TextField(blank=True, default="", editable=False)
    disqualifying = models.JSONField(null=True, blank=True, editable=False)
    started = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("tournament")
        verbose_name_plural = _("tournaments")
        ordering = ["-id"]
        indexes = [
            # Each claim of a match reads them.
            models.Index(fields=["id"], name="tournament_is_running", condition=models.Q(state="running")),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["competition"], name="one_awards_the_prizes", condition=models.Q(awards=True)
            )
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("tournament", args=[self.pk])

    @property
    def is_over(self) -> bool:
        return self.state in OVER

    @property
    def chosen_format(self) -> Format:
        """The format that `format` names."""
        return FORMATS[self.format]

    @property
    def seeds(self) -> Seeds:
        """The values that seeds of matches are derived from; meaningless until the entrants are frozen."""
        entrants = self.entrants.exclude(submission=None).select_related("submission")
        frozen = tuple(entrant.info for entrant in entrants)
        return Seeds(self.salt, self.seed, Seeding.PLACED, frozen, self.draw)

    def seeds_from(self, index: int) -> Seeds:
        """The values for the match at this place of the schedule, unless a re-run replaced it."""
        reopened = self.draws.filter(since__lte=index).last()
        return self.seeds if reopened is None else reopened.seeds

    @property
    def likely_total(self) -> int:
        """How many matches will be played, or are likely to be."""
        return self.total if self.expected is None else max(self.expected, self.scheduled)

    @property
    def ratings(self) -> tuple[int | None, ...]:
        """The entrants' ratings when they were frozen, by number; None for one that had none."""
        return tuple(self.entrants.values_list("rating", flat=True))

    @property
    def reopened_at(self) -> int:
        """The index of the first match since it was last reopened; 0 if it was not."""
        reopened = self.draws.filter(since__isnull=False).last()
        return 0 if reopened is None or reopened.since is None else reopened.since

    @property
    def commitment(self) -> str:
        """The digest of the salt, published from the start."""
        return commitment(self.salt)

    @property
    def salt_is_public(self) -> bool:
        """Whether everyone may see the salt: it is over, and its results are released."""
        return self.is_over and self.release == self.Release.PUBLIC


class Entrant(models.Model):
    """A bot in a tournament, in the order of entry.

    `submission`, `name` and `rating` are frozen at the start.
    """

    class Left(models.TextChoices):
        """The way in which an entrant left the tournament."""

        WITHDRAWN = "withdrawn", _("withdrawn")
        DISQUALIFIED = "disqualified", _("disqualified")
        STOPPED = "stopped", _("disqualified")  # because the bot was stopped, until it is released

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="entrants")
    number = models.PositiveIntegerField()  # from 0
    bot = models.ForeignKey(Bot, models.CASCADE, related_name="entries")
    submission = models.ForeignKey(Submission, models.RESTRICT, null=True, blank=True, related_name="entries")
    name = models.CharField(max_length=40, blank=True)  # the bot's at the start; it may be renamed later
    rating = models.IntegerField(null=True, blank=True)  # at the start, as shown; None: it had none
    left = models.CharField(max_length=12, choices=Left.choices, blank=True)
    stopped = models.TextField(blank=True)  # why it was disqualified or withdrawn, or ""
    # [[since, until], ...]: numbers of rounds; until is null if it is still out.
    absences = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["tournament", "number"], name="entrants_are_numbered"),
            models.UniqueConstraint(fields=["tournament", "bot"], name="a_bot_enters_once"),
        ]

    def __str__(self) -> str:
        return f"{self.tournament}: {self.bot}"

    @property
    def is_out(self) -> bool:
        """Whether it has left the tournament."""
        return bool(self.stopped)

    @property
    def frozen(self) -> Submission:
        """The submission that plays, in a tournament that was started."""
        assert self.submission is not None
        return self.submission

    @property
    def info(self) -> SeatInfo:
        """The bot's name and digest as in records, in a tournament that was started."""
        return SeatInfo(self.name, self.frozen.digest)


class Rerun(models.Model):
    """A re-run of matches, whose new results an organizer applies or discards; see reruns.py."""

    class State(models.TextChoices):
        PLAYING = "playing", _("open")
        APPLIED = "applied", _("applied")
        DISCARDED = "discarded", _("discarded")

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="reruns")
    state = models.CharField(max_length=10, choices=State.choices, default=State.PLAYING)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    reason = models.TextField()
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tournament"], name="one_open_rerun", condition=models.Q(state="playing")
            )
        ]

    def __str__(self) -> str:
        return f"{self.tournament}, {self.created:%Y-%m-%d %H:%M}"

    @property
    def seeds(self) -> Seeds:
        """The values that the seeds of its matches are derived from."""
        return self.draw.seeds


class SeedDraw(models.Model):
    """A salt and a draw of their own for matches that are queued when the tournament's salt may be public.

    These are the matches of a re-run, or those of a reopened tournament from the index `since` on. The draw
    and the digest of the salt are public at once; the salt is shown with the tournament's, and not before the
    re-run was applied or discarded.
    """

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="draws")
    rerun = models.OneToOneField(Rerun, models.CASCADE, null=True, related_name="draw")
    since = models.PositiveIntegerField(null=True)
    salt = models.CharField(max_length=64, default=new_salt)
    draw = models.CharField(max_length=64, default=new_draw)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(rerun__isnull=True) ^ models.Q(since__isnull=True),
                name="for_a_rerun_or_new_rounds",
            )
        ]

    def __str__(self) -> str:
        return f"{self.tournament}, {self.created:%Y-%m-%d %H:%M}"

    @property
    def seeds(self) -> Seeds:
        return self.tournament.seeds.anew(self.salt, self.draw)

    @property
    def commitment(self) -> str:
        """The digest of the salt."""
        return commitment(self.salt)

    @property
    def published(self) -> dict[str, object]:
        """What the log says of it when it is made."""
        return {"commitment": self.commitment, "draw": self.draw}

    @property
    def is_open(self) -> bool:
        """Whether its re-run was neither applied nor discarded yet."""
        return self.rerun is not None and self.rerun.state == Rerun.State.PLAYING


class RerunMatch(models.Model):
    """An old match and the new one that may take its place."""

    rerun = models.ForeignKey(Rerun, models.CASCADE, related_name="matches")
    old = models.ForeignKey("matches.Match", models.CASCADE, related_name="+")
    new = models.OneToOneField("matches.Match", models.CASCADE, related_name="rerun")

    def __str__(self) -> str:
        return f"{self.old} again: {self.new}"
