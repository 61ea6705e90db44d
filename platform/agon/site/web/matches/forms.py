"""The filter of the list of matches."""

from collections.abc import Mapping
from functools import cached_property, partial
from operator import itemgetter
from typing import Any

from django import forms
from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from agon.site.accounts.models import User
from agon.site.bots.access import visible_bots
from agon.site.bots.models import Bot
from agon.site.bots.states import BotState
from agon.site.competitions.models import Competition
from agon.site.core.texts.fault_names import NAMES
from agon.site.matches.models import Match, Seat
from agon.site.matches.secret_names import without_secret
from agon.site.teams.queries import acting_accounts, acts_for
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.standings import fallen_entrants, recent_standings
from agon.site.web.core.form_fields import choice_field, model_field
from agon.statistics.weaknesses.groups import SLOW, TIMEOUT

SPECIAL = ("version", "seat", "least", "most")  # fields that the page hides until they are used
SLOW_RESULT = "slow"
COUNTED = "counted"  # a choice of `kind`: the matches that a bot's results consist of
STANDING = "standing"  # likewise: the matches that count in a tournament's standings
COUNTED_KINDS = (Match.Kind.LADDER, Match.Kind.TOURNAMENT)
SEATS_WITH = {
    "won": Q(won=True),
    "drawn": Q(rank=1, won=False),
    "lost": Q(rank__gt=1),
    "fault": Q(faults__isnull=False),
    **{f"fault-{kind}": Q(faults__kind=kind) for kind in NAMES},
    SLOW_RESULT: Q(slowest__gte=SLOW) | Q(faults__kind=TIMEOUT),
}
RESULTS = [
    ("", _("All")),
    ("won", pgettext_lazy("result of a match", "won")),
    ("drawn", _("shared the first place")),
    ("lost", pgettext_lazy("result of a match", "lost")),
    ("fault", _("fault")),
    *((f"fault-{kind}", format_lazy("{}: {}", _("fault"), _(name))) for kind, name in NAMES.items()),
    (SLOW_RESULT, _("too slow, or nearly")),
]


OWN_RESULTS = ("won", "drawn", "lost")  # without a bot: of the reader's own
MOST_OFFERED = 100  # bots to choose from
MOST_INTEGER = 2**31 - 1  # the largest number that the database columns hold


def label(bot: Bot) -> str:
    """The bot's name, with its state if it is out of play: a deleted bot may have the name of another one."""
    return bot.name if bot.state == BotState.ENTERED else f"{bot.name} ({bot.get_state_display()})"


class MatchFilter(forms.Form):
    """By bot, tournament, state, and kind; by the bot's version and seat, and by length. Invalid values are
    ignored.
    """

    bot = forms.ModelChoiceField(label=_("Bot"), queryset=Bot.objects.none(), required=False)
    against = forms.ModelChoiceField(label=_("Against"), queryset=Bot.objects.none(), required=False)
    result = forms.ChoiceField(label=_("Result of the bot"), required=False, choices=RESULTS)
    tournament = forms.ModelChoiceField(
        label=_("Tournament"), queryset=Tournament.objects.none(), required=False, empty_label=_("All")
    )
    state = forms.ChoiceField(label=_("State"), required=False)
    kind = forms.ChoiceField(label=_("Kind"), required=False)
    version = forms.IntegerField(
        label=_("Version of the bot"), required=False, min_value=1, max_value=MOST_INTEGER
    )
    seat = forms.IntegerField(label=_("Seat of the bot"), required=False, min_value=1, max_value=MOST_INTEGER)
    least = forms.IntegerField(
        label=_("Steps, at least"), required=False, min_value=0, max_value=MOST_INTEGER
    )
    most = forms.IntegerField(label=_("Steps, at most"), required=False, min_value=0, max_value=MOST_INTEGER)

    def __init__(self, data: Any, competition: Competition, user: User | AnonymousUser) -> None:
        super().__init__(data)
        self._competition = competition
        self._user = user
        for name in ("bot", "against"):
            model_field(self, name).queryset = visible_bots(user, competition.bots.order_by("name"))
            choice_field(self, name).choices = partial(self._offered, name)
        started = competition.tournaments.filter(started__isnull=False).order_by("-pk")
        names = list(started.values_list("pk", "name"))
        if names:
            model_field(self, "tournament").queryset = started
            choice_field(self, "tournament").choices = [("", _("All")), *names]
        else:
            del self.fields["tournament"]
        if user.is_authenticated:
            self.fields["result"].label = _("Result of the bot, or of yours")
        choice_field(self, "state").choices = [("", _("All")), *Match.State.choices]
        both = (COUNTED, _("ladder and tournament"))
        standing = (STANDING, _("tournament, in the standings"))
        choice_field(self, "kind").choices = [("", _("All")), *Match.Kind.choices, both, standing]
        self.is_valid()

    @classmethod
    def is_used(cls, query: Mapping[str, str]) -> bool:
        """Whether a request's query has any of the fields."""
        return any(query.get(name) for name in cls.base_fields)

    def _offered(self, name: str) -> list[tuple[object, str]]:
        """Choices for a bot field: the chosen bot, and the best ones.

        All bots of a large competition would make the page slow, and each bot's page links to its matches.
        """
        offered = self._best
        if chosen := getattr(self, "cleaned_data", {}).get(name):
            offered = {**offered, chosen.pk: label(chosen)}
        return [("", str(_("All"))), *sorted(offered.items(), key=itemgetter(1))]

    @cached_property
    def _best(self) -> dict[object, str]:
        """The labels of the best bots, by id; if there is room, also of bots that no longer play."""
        bots = visible_bots(self._user, self._competition.bots.only("competition", "name", "state"))
        best = bots.filter(active__isnull=False).order_by("-active__rated__rating__rating", "pk")
        offers = list(best[:MOST_OFFERED])
        if len(offers) < MOST_OFFERED:
            offers += bots.order_by("pk")[:MOST_OFFERED]
        return {bot.pk: label(bot) for bot in offers}

    @property
    def usual(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in SPECIAL]

    @property
    def special(self) -> list[forms.BoundField]:
        return [self[name] for name in SPECIAL]

    @property
    def is_special(self) -> bool:
        """Whether one of the fields in SPECIAL is used, so that the page has to show them."""
        return any(self.cleaned_data.get(name) is not None for name in SPECIAL)

    def apply(self, matches: QuerySet[Match]) -> QuerySet[Match]:
        data = self.cleaned_data
        if self._reveals_players():
            matches = without_secret(matches)
        if bot := data.get("bot"):
            matches = matches.filter(pk__in=self._seats(bot).values("match"))
        elif data.get("result") in OWN_RESULTS and self._user.is_authenticated:
            own = Seat.objects.filter(submission__bot__owner__in=acting_accounts(self._user))
            matches = matches.filter(pk__in=own.filter(SEATS_WITH[data["result"]]).values("match"))
        if other := data.get("against"):
            matches = matches.filter(pk__in=Seat.objects.filter(submission__bot=other).values("match"))
        if data.get("kind") == COUNTED:
            matches = matches.filter(kind__in=COUNTED_KINDS)
        elif data.get("kind") == STANDING:
            matches = _in_standings(matches, data.get("tournament"))
        elif kind := data.get("kind"):
            matches = matches.filter(kind=kind)
        for name, lookup in (("least", "steps__gte"), ("most", "steps__lte")):
            if (steps := data.get(name)) is not None:
                matches = matches.filter(**{lookup: steps})
        for name in ("tournament", "state"):
            if value := data.get(name):
                matches = matches.filter(**{name: value})
        return matches

    def _reveals_players(self) -> bool:
        """Whether the list would show a reader which bots of others play now."""
        data = self.cleaned_data
        bot = data.get("bot")
        is_others = bot is not None and not acts_for(self._user, bot.owner_id)
        return is_others or data.get("against") is not None

    def _seats(self, bot: Bot) -> QuerySet[Seat]:
        """The bot's seats that meet the conditions on its result, version and seat."""
        data = self.cleaned_data
        seats = Seat.objects.filter(submission__bot=bot)
        if result := data.get("result"):
            seats = seats.filter(SEATS_WITH[result])
        if (version := data.get("version")) is not None:
            seats = seats.filter(submission__number=version)
        if (number := data.get("seat")) is not None:
            seats = seats.filter(number=number - 1)
        return seats


def _in_standings(matches: QuerySet[Match], tournament: Tournament | None) -> QuerySet[Match]:
    """The matches that count in the standings."""
    played = matches.filter(kind=Match.Kind.TOURNAMENT, state=Match.State.FINISHED)
    if tournament is None:
        return played
    fallen = fallen_entrants(tournament, recent_standings(tournament))
    fallen_submissions = tournament.entrants.filter(number__in=fallen).values("submission")
    return played.exclude(pk__in=Seat.objects.filter(submission__in=fallen_submissions).values("match"))
