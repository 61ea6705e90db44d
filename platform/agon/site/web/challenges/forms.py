"""The form that starts a challenge: whose bot, against which, how many matches.

A field `matches` would shadow the DOM method that htmx calls.
"""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.db.models import F
from django.utils.translation import gettext_lazy as _

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.challenges.services import MOST_MATCHES, USUAL_MATCHES, challenged
from agon.site.competitions.models import Competition
from agon.site.web.core.form_fields import choice_field, model_field

MOST_OFFERED = 200  # bots to choose from: the best, and the one that was chosen already
OPPONENT = "opponent-%d"


class ChallengeForm(forms.Form):
    """Has a field for each opponent that there is a seat for; those that may be empty say what happens."""

    bot = forms.ModelChoiceField(label=_("Your bot"), queryset=Bot.objects.none(), empty_label=None)
    number = forms.IntegerField(
        label=_("Matches"),
        min_value=1,
        max_value=MOST_MATCHES,
        initial=USUAL_MATCHES,
        help_text=_("A few more are played if that is needed for all to sit in all seats equally often."),
    )

    def __init__(
        self,
        data: Any,
        *,
        reader: User,
        competition: Competition,
        own: Sequence[Bot],
        chosen: str | None = None,
    ) -> None:
        super().__init__(data)
        model_field(self, "bot").queryset = Bot.objects.filter(pk__in=[bot.pk for bot in own])
        choice_field(self, "bot").choices = [(bot.pk, bot.name) for bot in own]
        playing = challenged(reader, competition)
        first = _bot(playing, chosen)
        offered = _offered(playing, first)
        seats = competition.info
        for number in range(1, seats.max_seats):
            is_needed = number < seats.min_seats
            empty = _("a house bot") if is_needed else _("nobody")
            field = forms.ModelChoiceField(
                label=_("Opponent")
                if seats.max_seats == 2
                else _("Opponent %(number)d") % {"number": number},
                queryset=playing,
                required=number == 1,
            )
            field.choices = [("", _("Choose …") if number == 1 else empty), *offered]
            field.initial = first.pk if first and number == 1 else None
            self.fields[OPPONENT % number] = field
        self.order_fields(["bot", *(name for name in self.fields if name.startswith("opponent")), "number"])

    @property
    def wanted(self) -> tuple[Bot, list[Bot], int]:
        """The challenger, its opponents, and the number of matches."""
        data = self.cleaned_data
        opponents = [data[name] for name in self.fields if name.startswith("opponent") and data[name]]
        return data["bot"], opponents, data["number"]

    def refuse(self, words: str, field: str) -> None:
        """Show why the challenge cannot be started. field: of NotChallenged."""
        names = {"opponents": OPPONENT % 1, "matches": "number"}
        self.add_error(names.get(field, field) or None, words)


def _bot(playing: Any, number: str | None) -> Bot | None:
    is_number = bool(number) and str(number).isascii() and str(number).isdigit() and len(str(number)) < 19
    bot: Bot | None = playing.filter(pk=int(str(number))).first() if is_number else None
    return bot


def _offered(playing: Any, first: Bot | None) -> list[tuple[int, str]]:
    best = playing.select_related("owner").order_by(
        F("active__rated__rating__rating").desc(nulls_last=True), "pk"
    )[:MOST_OFFERED]
    by_id = {bot.pk: bot for bot in best}
    if first is not None:
        by_id[first.pk] = first
    return [(bot.pk, _label(bot)) for bot in by_id.values()]


def _label(bot: Bot) -> str:
    what = _("house bot") if bot.house else bot.owner.username
    return f"{bot.name} ({what}, {_('at home')})" if bot.home else f"{bot.name} ({what})"
