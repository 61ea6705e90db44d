"""What the site knows about its workers: what they play in, which are paused, and which play differently."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from agon.site.competitions.models import Competition
from agon.site.core.db.transitions import Stateful
from agon.site.core.texts.reason_field import ReasonField
from agon.site.fleet.states import WorkerState


class Environment(models.Model):
    """An environment that matches were played in: sandbox, images, and versions. See environments.py."""

    digest = models.CharField(max_length=64, primary_key=True)
    facts = models.JSONField()

    def __str__(self) -> str:
        return self.digest[:12]


class PausedWorker(models.Model):
    """A worker that claims no matches because of what is wrong with its machine. See pausing.py."""

    worker = models.CharField(_("worker"), max_length=120, unique=True)  # the machine and the place in it
    details = ReasonField(_("details"), default=dict)  # for staff: may name files and addresses of the site
    since = models.DateTimeField(_("paused since"))
    tried = models.DateTimeField(_("last tried"))

    class Meta:
        verbose_name = _("paused worker")
        verbose_name_plural = _("paused workers")

    def __str__(self) -> str:
        return self.worker


class Watch(models.Model):
    """The progress of comparing a competition's workers: see agon.site.fleet.watching."""

    competition = models.OneToOneField(Competition, models.CASCADE, primary_key=True, related_name="+")
    looks = models.PositiveIntegerField(default=0)
    looked = models.DateTimeField(null=True)
    latest = models.BigIntegerField(default=0)  # the number of the last match that was seen

    def __str__(self) -> str:
        return f"{self.looks} looks at {self.competition_id}"


class OddWorker(Stateful):
    """A worker that played differently from the others, as the watch found."""

    State = WorkerState

    worker = models.CharField(_("worker"), max_length=120)  # the machine and the place in it
    # None: an operator parked it, and it has never played.
    competition = models.ForeignKey(Competition, models.CASCADE, related_name="+", null=True, blank=True)
    state = models.CharField(_("state"), max_length=10, choices=WorkerState.choices)
    finding = ReasonField(_("finding"), default=dict)  # with the matches that are the evidence
    found = models.DateTimeField(_("found"))
    released = models.DateTimeField(_("released"), null=True, blank=True)  # earlier matches are settled
    seen = models.DateTimeField(
        _("last seen"), null=True, blank=True
    )  # when it last wanted to play while parked

    class Meta:
        verbose_name = _("odd worker")
        verbose_name_plural = _("odd workers")
        constraints = [
            models.UniqueConstraint(
                fields=["worker"], condition=~models.Q(state="released"), name="worker_is_odd_once"
            )
        ]

    def __str__(self) -> str:
        return self.worker


class Process(models.Model):
    """A process of the site, and when it was last alive. Written by heartbeat.py, read by presence.py."""

    class Kind(models.TextChoices):
        WEB = "web", _("web server")
        PLAYER = "player", _("plays matches")
        BUILDER = "builder", _("builds")
        SCHEDULER = "scheduler", _("scheduler")
        ARCHIVES = "archives", _("makes archives")
        SIGNER = "signer", _("signs downloads")

    place = models.CharField(_("process"), max_length=140, unique=True)  # machine:name
    kind = models.CharField(_("kind"), max_length=10, choices=Kind.choices)
    machine = models.CharField(_("machine"), max_length=60)
    version = models.CharField(_("version"), max_length=40)  # of Agon
    pid = models.PositiveIntegerField()
    since = models.DateTimeField(_("since"))
    seen = models.DateTimeField(_("last seen"))
    stopped = models.BooleanField(default=False)  # it ended as requested, or is known to be gone
    facts = models.JSONField(default=dict)  # what it does, by its kind

    def __str__(self) -> str:
        return self.place


class Total(models.Model):
    """How often something happened on the site, over all processes. Only ever raised. See totals.py."""

    name = models.CharField(max_length=60)
    labels = models.CharField(max_length=300)  # "name=value,name=value", sorted; of our own making
    value = models.FloatField(default=0.0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "labels"], name="total_once")]

    def __str__(self) -> str:
        return f"{self.name} {self.labels}: {self.value}"


class Canary(models.Model):
    """The one row (1) of the canary, a trial that the site makes by itself: see use_cases/canary.py."""

    asked = models.DateTimeField()  # when the latest one was queued
    token = models.CharField(max_length=32, default="", blank=True)  # of its trial, while it is not over
    since = models.DateTimeField()  # when the first one was asked for
    succeeded = models.DateTimeField(null=True)  # when one was last played to its end
    seconds = models.FloatField(null=True)  # how long that took, from upload to result
    why = models.CharField(max_length=500, default="", blank=True)  # the latest one failed; "" if it did not

    def __str__(self) -> str:
        return f"canary, last well at {self.succeeded}"


class LoggedError(models.Model):
    """An error that processes of the site have logged: see core/errors_seen.py. Written by heartbeat.py."""

    key = models.CharField(max_length=32, unique=True)
    logger = models.CharField(max_length=100)
    text = models.CharField(max_length=500)  # the latest
    place = models.CharField(max_length=140)  # of the process that logged the latest
    count = models.PositiveIntegerField()  # since `first`
    first = models.DateTimeField()
    last = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.logger}: {self.text}"
