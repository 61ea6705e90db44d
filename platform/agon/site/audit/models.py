"""The audit log: who did what to a contest, when, and why."""

from typing import Any, Never

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from agon.site.audit.verbs import Verb


class AppendOnly(TypeError):
    """An attempt to change or delete an entry."""


class ActQuerySet(models.QuerySet["Act"]):
    """Entries are added, and never changed or deleted."""

    def update(self, **changes: Any) -> Never:
        raise AppendOnly("an entry of the audit log is never changed")

    def bulk_update(self, *arguments: Any, **options: Any) -> Never:
        raise AppendOnly("an entry of the audit log is never changed")

    def delete(self) -> Never:
        raise AppendOnly("an entry of the audit log is never deleted")


class Act(models.Model):
    """One act. Written by agon.site.audit.acts.record in the transaction of the act itself, so that neither
    is without the other.

    actor: None for the site itself. A closed account stays as a row without a name, so the log holds no
    personal data of its own. competition: None for an act that concerns none, such as on an account. team:
    the one that it was done to or, for an act on a bot, that owned the bot. subject: what the act was done
    to, by its name at the time, such as a bot's; an account by its number, because its name is erased when it
    is closed; "" for the whole contest. details: whatever else it takes to carry the act out once more, as
    JSON.
    """

    at = models.DateTimeField(_("time"), default=timezone.now)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="acts", verbose_name=_("by")
    )
    verb = models.CharField(_("act"), max_length=20, choices=Verb.choices)
    competition = models.ForeignKey(
        "competitions.Competition", models.PROTECT, null=True, blank=True, related_name="acts"
    )
    tournament = models.ForeignKey("tournaments.Tournament", models.PROTECT, null=True, related_name="acts")
    team = models.ForeignKey("teams.Team", models.PROTECT, null=True, related_name="acts")
    subject = models.CharField(_("subject"), max_length=120, blank=True)
    reason = models.TextField(_("reason"), blank=True)
    details = models.JSONField(_("details"), default=dict)

    objects = ActQuerySet.as_manager()

    class Meta:
        verbose_name = _("act")
        verbose_name_plural = _("acts")
        ordering = ["pk"]

    def __str__(self) -> str:
        return " ".join(filter(None, (f"{self.at:%Y-%m-%d %H:%M}", self.verb, self.subject)))

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnly("an entry of the audit log is never changed")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> Never:
        raise AppendOnly("an entry of the audit log is never deleted")

    @property
    def named(self) -> int:
        """How many matches the details of a re-run name; they also say `of` how many these are the first."""
        return len(self.details.get("matches") or self.details.get("replaced") or ())

    @property
    def is_cut(self) -> bool:
        """Whether the details do not name all the matches of a re-run."""
        return bool(self.details.get("of", 0) > self.named)
