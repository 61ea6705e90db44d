"""The field by which a person says whether a new bot is theirs or one of their teams'."""

from typing import Any

from django import forms
from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext_lazy as _

from agon.site.accounts.models import User
from agon.site.teams.queries import teams_of


class TeamField(forms.CharField):
    """Its value is the name of a team, or "". The person may have been removed from the team meanwhile:
    agon.site.bots.owners has the error message.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(
            label=_("Enter as"),
            required=False,
            help_text=_("Whose bot a new one is. The next version of a bot stays with its owner."),
            widget=forms.Select,
            **options,
        )

    def offer(self, user: User | AnonymousUser | None) -> bool:
        """Offer the teams of the reader; whether there is a choice."""
        names = [team.account.username for team in teams_of(user)] if isinstance(user, User) else []
        teams = [(name, _("team %(name)s") % {"name": name}) for name in names]
        self.widget = forms.Select(choices=[("", _("yourself")), *teams])
        return bool(teams)
