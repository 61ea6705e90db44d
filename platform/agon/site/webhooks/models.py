"""Webhooks: addresses elsewhere that get the events of a feed, and what became of each event."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from agon.site.competitions.models import Competition
from agon.site.events.models import Event

LONGEST_URL = 500


class Outcome(models.TextChoices):
    """How an attempt to deliver an event ended."""

    DELIVERED = "delivered", _("delivered")
    STATUS = "status", _("refused by the receiver")
    REDIRECT = "redirect", _("redirected; redirects are not followed")
    ADDRESS = "address", _("the address is not a public one")
    UNKNOWN_HOST = "unknown_host", _("there is no such host")
    UNREACHABLE = "unreachable", _("no connection")
    TLS = "tls", _("the certificate is not valid")
    TIMEOUT = "timeout", _("no answer in time")


class Hook(models.Model):
    """A webhook. competition: whose feed it gets; None: that of its owner's account.

    position: the number of the last event that is done. due: when the next one may be tried. failures: since
    the last delivery; failing: since when. off: when it was switched off. claimed: until when a task has it.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="webhooks")
    competition = models.ForeignKey(Competition, models.CASCADE, null=True, related_name="+")
    url = models.CharField(max_length=LONGEST_URL)
    secret = models.CharField(max_length=64)
    created = models.DateTimeField(auto_now_add=True)
    position = models.PositiveBigIntegerField()
    due = models.DateTimeField(default=timezone.now, db_index=True)
    failures = models.PositiveIntegerField(default=0)
    failing = models.DateTimeField(null=True)
    off = models.DateTimeField(null=True)
    claimed = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.url


class Delivery(models.Model):
    """An event that was sent to a webhook, or could not be. again: it is to be sent once more."""

    hook = models.ForeignKey(Hook, models.CASCADE, related_name="deliveries")
    event = models.ForeignKey(Event, models.CASCADE, related_name="+")
    outcome = models.CharField(max_length=20, choices=Outcome.choices)
    status = models.PositiveSmallIntegerField(null=True)  # of HTTP, if there was an answer
    tries = models.PositiveIntegerField(default=0)
    first = models.DateTimeField(default=timezone.now)
    tried = models.DateTimeField(default=timezone.now)
    again = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["hook", "event"], name="one_delivery_an_event")]
        indexes = [
            models.Index(fields=["hook"], name="deliveries_again", condition=models.Q(again=True)),
        ]

    def __str__(self) -> str:
        return f"event {self.event_id} to {self.hook}: {self.outcome}"

    @property
    def is_delivered(self) -> bool:
        return self.outcome == Outcome.DELIVERED
