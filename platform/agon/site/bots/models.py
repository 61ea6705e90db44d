"""What people enter: bots, and their uploaded versions."""

from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from agon.site.bots.states import BotState, State
from agon.site.competitions.models import Competition
from agon.site.core.content_names import name_by
from agon.site.core.db.leases import now
from agon.site.core.db.name_keys import name_key, skeletons_of
from agon.site.core.db.transitions import Stateful
from agon.site.core.texts.reason_field import ReasonField


class Bot(Stateful):
    """A competitor's entry in a competition. Its versions are its submissions; one at most is active."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="bots")
    competition = models.ForeignKey(Competition, models.CASCADE, related_name="bots")
    name = models.CharField(_("name"), max_length=40)
    # For comparing names; see agon.site.core.db.name_keys.
    name_key = models.CharField(max_length=800, editable=False)
    skeleton_folded = models.CharField(
        max_length=64, default="", db_index=True, editable=False, db_column="look_folded"
    )
    skeleton_written = models.CharField(
        max_length=64, default="", db_index=True, editable=False, db_column="look_written"
    )
    house = models.BooleanField(_("house bot"), default=False)
    # It runs on its owner's machine, and never has an active version: see agon.site.bots.at_home.
    home = models.BooleanField(_("at home"), default=False, editable=False)
    active = models.ForeignKey(
        "Submission",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("active submission"),
    )
    state = models.CharField(_("state"), max_length=12, choices=BotState.choices, default=BotState.ENTERED)
    reason = ReasonField(default=dict, blank=True)  # why it was stopped; see agon.site.bots.reasons
    changed = models.DateTimeField(_("since"), null=True, blank=True)  # when the state changed last
    cleared = models.DateTimeField(null=True, blank=True)  # void matches until then are settled
    first_win_shown = models.DateTimeField(null=True, blank=True, editable=False)  # to its owner
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("bot")
        verbose_name_plural = _("bots")
        constraints = [
            models.UniqueConstraint(
                fields=["competition", "name_key"],
                condition=~models.Q(state=BotState.DELETED),
                name="one_bot_a_name",
            ),
            models.CheckConstraint(
                condition=models.Q(active=None) | models.Q(state=BotState.ENTERED),
                name="only_entered_bots_have_an_active_submission",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=BotState.values), name="bot_in_a_known_state"
            ),
            models.CheckConstraint(
                condition=models.Q(home=False) | models.Q(active=None),
                name="bots_at_home_have_no_active_submission",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Update the keys that are derived from the name."""
        self.name_key = name_key(self.name)
        self.skeleton_folded, self.skeleton_written = skeletons_of(self.name)
        super().save(*args, **kwargs)

    def get_absolute_url(self) -> str:
        return reverse("bot", args=[self.pk])

    @property
    def is_stopped(self) -> bool:
        """Whether it was stopped and not released; its owner may have deleted it, before or afterwards."""
        return self.state == BotState.STOPPED or (self.state == BotState.DELETED and bool(self.reason))


class HomeLine(models.Model):
    """The line to a bot at home. number: of the connection that counts; each new one takes over.

    seen: when a connection last asked for work. no_clock: it wants no time limit, against house bots alone.
    is_open: whether other authors may challenge the bot.
    """

    bot = models.OneToOneField(Bot, models.CASCADE, primary_key=True, related_name="line")
    is_open = models.BooleanField(default=False)
    number = models.PositiveIntegerField(default=0)
    seen = models.DateTimeField(null=True)
    no_clock = models.BooleanField(default=False)

    def __str__(self) -> str:
        return f"line to {self.bot_id}"


class FormerName(models.Model):
    """A name that a bot which competed gave up: for a while no bot of another owner gets it (naming.py)."""

    competition = models.ForeignKey(Competition, models.CASCADE, related_name="+")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    name_key = models.CharField(max_length=800)
    given_up = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["competition", "name_key"], name="former_name_of_a_bot")]

    def __str__(self) -> str:
        return self.name_key


# Every submission has files of its own, whatever the storage does with a taken name: removing one
# submission's file never removes another's.
def source_path(submission: "Submission", sha256: str) -> str:
    return name_by("sources", sha256)


def artifact_path(submission: "Submission", sha256: str) -> str:
    return name_by("artifacts", sha256, ".tar")


class Submission(Stateful):
    """One uploaded version of a bot. The upload never changes; only its state does."""

    State = State

    bot = models.ForeignKey(Bot, models.CASCADE, related_name="submissions")
    # Who uploaded it. None: before there were teams, or by the house, that is the bot's owner.
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="uploads")
    number = models.PositiveIntegerField(_("version"))  # 1, 2, 3... of the bot, in order of arrival
    digest = models.CharField(_("digest"), max_length=64)  # SHA-256 over the names and contents of the source
    program = models.CharField(
        max_length=64, blank=True, editable=False
    )  # agon.site.bots.programs, once it is built
    source = models.FileField(_("source"), upload_to=source_path)  # the upload itself
    filename = models.CharField(_("file name"), max_length=255)  # its name on the author's disk
    pasted = models.BooleanField(default=False)
    language = models.CharField(_("language"), max_length=40, blank=True)
    state = models.CharField(_("state"), max_length=12, choices=State.choices, default=State.RECEIVED)
    reason = ReasonField(
        default=dict, blank=True
    )  # why it was rejected, or waits; see agon.site.bots.reasons
    build_log = models.TextField(_("build log"), blank=True)
    # A tar of the artifact's folder.
    artifact = models.FileField(_("artifact"), upload_to=artifact_path, blank=True)
    artifact_digest = models.CharField(max_length=64, blank=True)
    source_bytes = models.PositiveBigIntegerField(default=0, editable=False)
    artifact_bytes = models.PositiveBigIntegerField(default=0, editable=False)  # 0 once it is removed
    attempt = models.PositiveSmallIntegerField(default=0)  # of building
    lease_until = models.DateTimeField(null=True, blank=True)
    created = models.DateTimeField(default=now, editable=False)  # by the clock that deadlines go by
    activated = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("submission")
        verbose_name_plural = _("submissions")
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["bot", "number"], name="submissions_are_numbered")]
        indexes = [
            models.Index(fields=["state", "id"], name="submission_by_state"),
        ]

    def __str__(self) -> str:
        return f"{self.bot.name} #{self.number}"

    def get_absolute_url(self) -> str:
        """Its own page; of what stands for a bot at home, the bot's."""
        return reverse("bot", args=[self.bot_id]) if self.is_home else reverse("submission", args=[self.pk])

    @property
    def is_home(self) -> bool:
        """Whether it is what stands for a bot at home: there is no program."""
        return self.state == State.HOME

    @property
    def qualification(self) -> Any:
        """The last match that tried this submission, a Match, or None."""
        return self.qualifications.order_by("-pk").first()
