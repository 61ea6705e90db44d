"""The form that creates a tournament."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from agon.web.form_fields import choice_field, model_field
from bots.models import Bot
from competitions.models import Competition
from contest import formats
from contest.points import POINTS
from games.core.manifest import Preset
from tournaments.services import SEEDS, BadTournament, draw_seed

FORMAT_TITLES: Mapping[str, Any] = {name: _(each.title) for name, each in formats.FORMATS.items()}
POINTS_TITLES: Mapping[str, Any] = {name: _(rule.title) for name, rule in POINTS.items()}
MOST_NUMBER = (1 << 63) - 1  # of a row


def in_words(preset: Preset) -> dict[str, Any]:
    """A game's original contest, in the reader's language: format, rounds, and points."""
    format, points = FORMAT_TITLES[preset.format], POINTS_TITLES[preset.points]
    return {"format": format, "rounds": preset.rounds, "points": points}


class EntrantsField(forms.ModelMultipleChoiceField):
    """Bots by primary key; a number that no database can hold is not a choice."""

    widget = forms.CheckboxSelectMultiple

    def clean(self, value: Any) -> Any:
        for number in value or ():
            if str(number).isdecimal() and int(str(number)[:20]) > MOST_NUMBER:
                raise forms.ValidationError(
                    self.error_messages["invalid_choice"], "invalid_choice", {"value": number}
                )
        return super().clean(value)


class TournamentForm(forms.Form):
    """Entrants and schedule. `count` is the number of matches, shown before anything is saved."""

    name = forms.CharField(label=_("Name"), max_length=120)
    format = forms.ChoiceField(label=_("Format"))
    rounds = forms.IntegerField(label=_("Rounds"), min_value=1, max_value=formats.MOST_MATCHES)
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=SEEDS - 1,
        initial=draw_seed,
        help_text=_("Each match’s seed is derived from it and from a secret that the site draws."),
    )
    bots = EntrantsField(
        label=_("Entrants"),
        queryset=Bot.objects.none(),
        help_text=_("Their active versions are frozen when the tournament starts."),
    )

    def __init__(self, *args: Any, competition: Competition, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.info = competition.info
        offered = formats.formats_for(self.info.min_seats)
        choice_field(self, "format").choices = [(name, FORMAT_TITLES.get(name, name)) for name in offered]
        original = self.info.tournament
        self.fields["format"].initial = original.format if original.format in offered else offered[0]
        self.fields["rounds"].initial = original.rounds
        model_field(self, "bots").queryset = (
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
