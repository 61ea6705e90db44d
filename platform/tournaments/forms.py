"""The form that makes a tournament."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from agon import formats
from bots.models import Bot
from competitions.models import Competition
from tournaments.services import SEEDS, BadTournament

FORMAT_TITLES: Mapping[str, Any] = {
    "round_robin": _("Round robin: every ordered pair"),
    "round_robin_self": _("Round robin: every ordered pair, and everybody against itself"),
    "rotations": _("Every group of entrants, in rotated seats"),
    "drawn": _("Seatings drawn from the seed"),
    "started_tens": _("Drawn: a match a round for every ten entrants"),
}


class TournamentForm(forms.Form):
    """Who plays whom, how often. `count` is what the page shows before anything is saved."""

    name = forms.CharField(label=_("Name"), max_length=120)
    format = forms.ChoiceField(label=_("Format"))
    rounds = forms.IntegerField(label=_("Rounds"), min_value=1, max_value=formats.MOST_MATCHES)
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=SEEDS - 1,
        initial=1,
        help_text=_("Equal seeds and equal bots give equal matches."),
    )
    bots = forms.ModelMultipleChoiceField(
        label=_("Entrants"),
        queryset=Bot.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Their active versions are frozen when the tournament starts."),
    )

    def __init__(self, *args: Any, competition: Competition, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.info = competition.info
        offered = formats.formats_for(self.info.min_seats)
        self.fields["format"].choices = [(name, FORMAT_TITLES.get(name, name)) for name in offered]
        original = self.info.tournament
        self.fields["format"].initial = original.format if original.format in offered else offered[0]
        self.fields["rounds"].initial = original.rounds
        self.fields["bots"].queryset = (
            competition.bots.filter(active__isnull=False).select_related("owner").order_by("house", "name")
        )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.errors:
            try:
                self.count = formats.count(
                    data["format"], len(data["bots"]), self.info.min_seats, data["rounds"]
                )
            except formats.BadFormat as error:
                field = "bots" if error.field == "entrants" else error.field
                self.add_error(field, gettext(error.text) % error.values)
        return data

    def refuse(self, bad: BadTournament) -> None:
        self.add_error(bad.field or None, str(bad))
