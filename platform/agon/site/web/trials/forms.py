"""The forms of the editor: a program, its language, and the bot that it meets; several bots that it meets."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from agon.site.accounts.models import User
from agon.site.bots.languages import offered
from agon.site.bots.models import Submission
from agon.site.bots.refusal import Refused
from agon.site.competitions.models import Competition
from agon.site.trials.services import NOT_PLAYING
from agon.site.trials.tables import MOST_MATCHES, house_opponents, own_opponents, strengths
from agon.site.web.core.form_fields import choice_field
from agon.site.web.teams.choosing import TeamField
from games.core.seeds import LARGEST_SEED

EMPTY = _("Write your bot's source code here.")


class EditorForm(forms.Form):
    """A program, its language and the opponent.

    The fields are named as in the submit form, to which the same page can send them.
    """

    language = forms.ChoiceField(label=_("Language"))
    text = forms.CharField(
        label=_("Source code"),
        strip=False,
        error_messages={"required": EMPTY},
        widget=forms.Textarea(
            attrs={
                "class": "code",
                "rows": 24,
                "spellcheck": "false",
                "autocapitalize": "off",
                "autocomplete": "off",
            }
        ),
    )
    opponent = forms.ChoiceField(label=_("Opponent"), error_messages={"invalid_choice": NOT_PLAYING})
    team = TeamField()
    name = forms.CharField(
        label=_("Bot name"),
        required=False,
        max_length=200,  # agon.site.bots.services has the better error message
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, competition: Competition, user: User | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        team: TeamField = self.fields["team"]  # type: ignore[assignment]
        self.in_teams = team.offer(user)
        languages = [(language.slug, language.title) for language in offered()]
        choice_field(self, "language").choices = languages
        choice_field(self, "opponent").choices = _opponents(competition, user)

    def clean_text(self) -> str:
        text: str = self.cleaned_data["text"]
        if not text.strip():
            raise forms.ValidationError(EMPTY)
        return text

    def refuse(self, refused: Refused) -> None:
        """Show an error of `agon.site.trials.services` at the field that it concerns."""
        self.add_error(refused.field or None, str(refused))


class SeveralForm(forms.Form):
    """Against which bots a program is tried at once, how often, from where, and with which seed."""

    opponents = forms.MultipleChoiceField(
        label=_("Opponents"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose an opponent at least."), "invalid_choice": NOT_PLAYING},
    )
    # Not "matches": a form whose field has the name of one of its methods loses the method in scripts.
    number = forms.IntegerField(label=_("Matches against each"), min_value=1, max_value=MOST_MATCHES)
    seat = forms.TypedChoiceField(label=_("Seat"), required=False, coerce=int, empty_value=None)
    seed = forms.IntegerField(
        label=_("Seed"),
        required=False,
        min_value=0,
        max_value=LARGEST_SEED - MOST_MATCHES,
        help_text=_("Empty: it is drawn. Otherwise the first match has it, and each further one the next."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "inputmode": "numeric"}),
    )

    def __init__(self, competition: Competition, user: User | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.seats = competition.info.min_seats
        choice_field(self, "opponents").choices = _opponents(competition, user)
        seats = [
            (str(number), gettext("Seat %(number)d") % {"number": number + 1}) for number in range(self.seats)
        ]
        choice_field(self, "seat").choices = [("", gettext("Every seat in turn")), *seats]
        self.fields["number"].initial = self.seats

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = self.cleaned_data
        number = data.get("number")
        if number is not None and "seat" in data and data["seat"] is None and number % self.seats:
            why = _("Every seat is played equally often: choose a multiple of %(seats)d, or one seat.")
            self.add_error("number", why % {"seats": self.seats})
        return data

    def refuse(self, refused: Refused) -> None:
        """Show an error of `agon.site.trials.services` at the field that it concerns."""
        fields = {"opponent": "opponents", "number": "number"}
        self.add_error(fields.get(refused.field), str(refused))


def _opponents(competition: Competition, user: User | None) -> list[tuple[str, str]]:
    """The choices of opponents: house bots, the weakest first, and the user's own versions."""
    if competition.suspended:
        return []
    strength = strengths(competition)
    house = [
        (str(house_opponent.pk), _label(house_opponent.bot.name, strength))
        for house_opponent in house_opponents(competition)
    ]
    own = own_opponents(competition, user) if house else []
    return house + [(str(submission.pk), _own_label(submission)) for submission in own]


def _own_label(version: Submission) -> str:
    return gettext("%(bot)s, your version %(number)d") % {"bot": version.bot.name, "number": version.number}


def _label(name: str, strength: Mapping[str, int]) -> str:
    if name not in strength:  # the game has changed since
        return name
    return gettext("%(bot)s (strength %(strength)d of 10)") % {"bot": name, "strength": strength[name]}
