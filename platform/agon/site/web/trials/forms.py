"""The form of the editor: a program, its language, and the house bot that it meets."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from agon.site.bots.languages import offered
from agon.site.bots.services import Refused
from agon.site.competitions.models import Competition
from agon.site.trials.services import NOT_PLAYING, opponents, strengths
from agon.site.web.core.form_fields import choice_field

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
                "wrap": "off",
            }
        ),
    )
    opponent = forms.ChoiceField(label=_("Opponent"), error_messages={"invalid_choice": NOT_PLAYING})
    name = forms.CharField(
        label=_("Bot name"),
        required=False,
        max_length=200,  # agon.site.bots.services has the better error message
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, competition: Competition, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        languages = [(language.slug, language.title) for language in offered()]
        choice_field(self, "language").choices = languages
        choice_field(self, "opponent").choices = _opponents(competition)

    def clean_text(self) -> str:
        text: str = self.cleaned_data["text"]
        if not text.strip():
            raise forms.ValidationError(EMPTY)
        return text

    def refuse(self, refused: Refused) -> None:
        """Show an error of `agon.site.trials.services` at the field that it concerns."""
        self.add_error(refused.field or None, str(refused))


def _opponents(competition: Competition) -> list[tuple[str, str]]:
    """The choices of the field `opponent`. The weakest comes first, and is thus preselected."""
    if competition.suspended:
        return []
    strength = strengths(competition)
    return [(str(each.pk), _label(each.bot.name, strength)) for each in opponents(competition)]


def _label(name: str, strength: Mapping[str, int]) -> str:
    if name not in strength:  # the game has changed since
        return name
    return gettext("%(bot)s (strength %(strength)d of 10)") % {"bot": name, "strength": strength[name]}
