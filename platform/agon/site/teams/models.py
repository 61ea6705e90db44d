"""Teams: people who own bots together."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from agon.site.core.db.transitions import Stateful
from agon.site.teams.states import State


class Role(models.TextChoices):
    CAPTAIN = "captain", pgettext_lazy("role in a team", "captain")
    MEMBER = "member", pgettext_lazy("role in a team", "member")


class Team(Stateful):
    """A team owns bots by an account of its own, so that whatever is true of an owner is true of a team: its
    name is in the namespace of all names, and its bots share limits, worker time, and a page.

    account: no one signs in to it: it has no password and no address, and is not active. invitation: the
    secret part of the link by which people join; "" if there is none.
    """

    State = State

    account = models.OneToOneField(settings.AUTH_USER_MODEL, models.PROTECT, related_name="team")
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    invitation = models.CharField(max_length=64, blank=True, default="", db_index=True)
    invited_until = models.DateTimeField(null=True, blank=True)
    created = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("team")
        verbose_name_plural = _("teams")

    def __str__(self) -> str:
        return self.account.username

    def get_absolute_url(self) -> str:
        return reverse("user", args=[self.account.username])


class Membership(models.Model):
    """A person's time in a team. left: None while they are in it; who comes back gets another row."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)
    joined = models.DateTimeField(default=timezone.now)
    left = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        ordering = ["joined", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["team", "user"], condition=Q(left=None), name="once_in_a_team_at_a_time"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.team_id}"
