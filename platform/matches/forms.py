"""The filter of the list of matches."""

from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from agon.web.form_fields import choice_field, model_field
from bots.models import Bot
from bots.states import BotState
from competitions.models import Competition
from matches.models import Match, Seat
from tournaments.models import Tournament

RESULTS = [("", _("All")), ("won", _("won")), ("drawn", _("shared the first place")), ("fault", _("fault"))]
SEATS_WITH = {"won": Q(won=True), "drawn": Q(rank=1, won=False), "fault": Q(faults__isnull=False)}


class BotField(forms.ModelChoiceField):
    """Names are ambiguous: a deleted bot may have the name of another one."""

    def label_from_instance(self, bot: Bot) -> str:
        return bot.name if bot.state == BotState.ENTERED else f"{bot.name} ({bot.get_state_display()})"


class MatchFilter(forms.Form):
    """By bot, tournament, state, and kind; invalid values are ignored."""

    bot = BotField(label=_("Bot"), queryset=Bot.objects.none(), required=False, empty_label=_("All"))
    against = BotField(label=_("Against"), queryset=Bot.objects.none(), required=False, empty_label=_("All"))
    result = forms.ChoiceField(label=_("Result of the bot"), required=False, choices=RESULTS)
    tournament = forms.ModelChoiceField(
        label=_("Tournament"), queryset=Tournament.objects.none(), required=False, empty_label=_("All")
    )
    state = forms.ChoiceField(label=_("State"), required=False)
    kind = forms.ChoiceField(label=_("Kind"), required=False)

    def __init__(self, data: Any, competition: Competition) -> None:
        super().__init__(data)
        for name in ("bot", "against"):
            model_field(self, name).queryset = competition.bots.order_by("name")
        started = competition.tournaments.filter(started__isnull=False).order_by("-pk")
        if started.exists():
            model_field(self, "tournament").queryset = started
        else:
            del self.fields["tournament"]
        choice_field(self, "state").choices = [("", _("All")), *Match.State.choices]
        choice_field(self, "kind").choices = [("", _("All")), *Match.Kind.choices]
        self.is_valid()

    def apply(self, matches: QuerySet[Match]) -> QuerySet[Match]:
        for name in ("bot", "against"):
            if bot := self.cleaned_data.get(name):
                matches = matches.filter(pk__in=Seat.objects.filter(submission__bot=bot).values("match"))
        if (bot := self.cleaned_data.get("bot")) and (wanted := self.cleaned_data.get("result")):
            seats = Seat.objects.filter(SEATS_WITH[wanted], submission__bot=bot)
            matches = matches.filter(pk__in=seats.values("match"))
        for name in ("tournament", "state", "kind"):
            if value := self.cleaned_data.get(name):
                matches = matches.filter(**{name: value})
        return matches
