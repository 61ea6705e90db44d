"""Personal access tokens, with which a program acts as its account, and programs that ask for one."""

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from agon.site.competitions.models import Competition
from agon.site.core.db.transitions import Stateful
from agon.site.tokens.states import State


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


class DeviceLogin(Stateful):
    """A program that asks for a token, until a person answers on a page (agon.site.tokens.device).

    program: what it calls itself. digest: of its device code. code: what the person types; letters only.
    interval: seconds that it has to leave between two polls. polled: the last one. owner: who approved.
    """

    program = models.CharField(max_length=60)
    digest = models.CharField(max_length=64, unique=True)
    code = models.CharField(max_length=8, unique=True)
    scopes = models.JSONField(default=list)
    state = models.CharField(max_length=9, choices=State.choices, default=State.PENDING)
    created = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField(db_index=True)
    interval = models.PositiveSmallIntegerField()
    polled = models.DateTimeField(null=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")

    def __str__(self) -> str:
        return self.program

    @property
    def is_expired(self) -> bool:
        return self.expires <= timezone.now()

    @property
    def shown_code(self) -> str:
        """As people read it: BCDF-GHJK."""
        return f"{self.code[:4]}-{self.code[4:]}"

    @property
    def scope_labels(self) -> list[str]:
        """Its scopes in the reader's language, in the order of Scope."""
        return [str(scope.label) for scope in Scope if scope in self.scopes]
