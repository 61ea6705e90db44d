"""Personal access tokens, with which a program acts as its account."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from agon.site.competitions.models import Competition


class Scope(models.TextChoices):
    """What a token may be used for. Its account's own permissions are the limit in any case."""

    READ = "read", _("read what you may see")
    SUBMIT = "submit", _("enter and manage your bots")
    ORGANIZE = "organize", _("run tournaments")
    OPERATE = "operate", _("manage workers and queues")


class Token(models.Model):
    """A token. The token itself is not kept, only its digest and its end, by which its owner knows it.

    competition: the only one that it is good for, or None.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tokens")
    name = models.CharField(pgettext_lazy("token", "name"), max_length=60)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    ending = models.CharField(max_length=4, editable=False)
    scopes = models.JSONField(default=list)
    competition = models.ForeignKey(
        Competition, models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("competition")
    )
    created = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField(_("expires"), null=True, blank=True)
    used = models.DateTimeField(_("last used"), null=True, blank=True)

    class Meta:
        verbose_name = _("access token")
        verbose_name_plural = _("access tokens")

    def __str__(self) -> str:
        return f"{self.name} (…{self.ending})"

    @property
    def is_expired(self) -> bool:
        return self.expires is not None and self.expires <= timezone.now()

    @property
    def scope_labels(self) -> list[str]:
        """Its scopes in the reader's language, in the order of Scope."""
        return [str(scope.label) for scope in Scope if scope in self.scopes]
