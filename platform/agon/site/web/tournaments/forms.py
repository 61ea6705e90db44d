"""The form that creates a tournament."""

from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from agon.contest import formats
from agon.contest.formats import FORMATS, Setting
from agon.contest.formats.seeding import SEEDING
from agon.contest.points import rule_of
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.core.texts.numbers import filled
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.order import HAND, ORDERS, SEEDINGS, ordered, seeding_of
from agon.site.tournaments.services import SEEDS, BadTournament, Draft, Start, draw_seed
from agon.site.web.core.form_fields import choice_field, model_field
from games.core.manifest import GameInfo

YES, NO = "yes", "no"
LARGEST_ID = (1 << 63) - 1  # that a database can hold


def original_contest(info: GameInfo) -> dict[str, Any]:
    """A game's original contest, in the reader's language: format, rounds, and points. Raises BadManifest."""
    title = formats.original_of(info).title
    return {
        "format": gettext(title),
        "rounds": info.tournament.rounds,
        "points": gettext(rule_of(info).title),
    }


def describe_settings(tournament: Tournament) -> list[tuple[str, str]]:
    """The settings of a tournament's format: titles and values in the reader's language."""
    settings = []
    for setting in tournament.chosen_format.settings_for(tournament.seats):
        value = tournament.format_settings.get(setting.name)
        if isinstance(value, bool):
            settings.append((gettext(setting.title), gettext("yes") if value else gettext("no")))
        elif value is not None:
            settings.append((gettext(setting.title), gettext(setting.choices.get(value, str(value)))))
    return settings


def initial_of(tournament: Tournament) -> dict[str, Any]:
    """What the form of a tournament is filled in with."""
    settings = dict(tournament.format_settings)
    seeding = settings.pop(SEEDING.name, "order")
    bots = list(tournament.entrants.values_list("bot", flat=True))
    by_name = {
        setting_field(name): (YES if value else NO) if isinstance(value, bool) else value
        for name, value in settings.items()
    }
    return {
        "name": tournament.name,
        "format": tournament.format,
        "rounds": None if tournament.rounds_by_field else tournament.rounds,
        "keeps_rounds": True,
        "seed": tournament.seed,
        "starts_at": tournament.starts_at,
        "field": tournament.field,
        "release": tournament.release,
        "sources_open": tournament.sources_open,
        "bots": bots,
        "order": seeding if seeding in SEEDINGS else HAND,
        "places": {bot: place for place, bot in enumerate(bots, 1)},
        **by_name,
    }


class EntrantsField(forms.ModelMultipleChoiceField):
    """Bots by primary key. A number beyond LARGEST_ID is an invalid choice, not an error of the database."""

    widget = forms.CheckboxSelectMultiple

    def clean(self, value: Any) -> Any:
        for number in value or ():
            if str(number).isdecimal() and int(str(number)[:20]) > LARGEST_ID:
                raise forms.ValidationError(
                    self.error_messages["invalid_choice"], "invalid_choice", {"value": number}
                )
        return super().clean(value)


class TournamentForm(forms.Form):
    """The form for a new tournament: name, format and its settings, entrants, start.

    After validation `count` is the number of matches, or the largest possible one, for the user to see before
    anything is saved; None if it depends on which bots enter at the start. `likely_count` is the likely
    number if `count` is only the largest possible one, and None otherwise. `rounds_now` is the number of
    rounds, or what it would be if the tournament started now.

    Each setting of the chosen format is a field, named by `setting_field`; a missing or empty one means the
    default.
    """

    count: int | None = None
    likely_count: int | None = None
    rounds_now = 1
    name = forms.CharField(label=_("Name"), max_length=120)
    format = forms.ChoiceField(label=_("Format"))
    rounds = forms.IntegerField(
        label=_("Rounds"), min_value=1, max_value=formats.MOST_MATCHES, required=False
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=SEEDS - 1,
        initial=draw_seed,
        help_text=_("Each match’s seed is derived from it and from a secret that the site draws."),
    )
    starts_at = forms.DateTimeField(
        label=_("Starts by itself"),
        required=False,
        widget=forms.DateTimeInput({"type": "datetime-local"}, format="%Y-%m-%dT%H:%M:%S"),
        help_text=_("Empty: you start it. The time is UTC."),
    )
    field = forms.ChoiceField(label=_("Who enters"), choices=Tournament.Field.choices, required=False)
    release = forms.ChoiceField(
        label=_("Who can see results"), choices=Tournament.Release.choices, required=False
    )
    sources_open = forms.BooleanField(
        label=_("Open the sources when it is over"),
        required=False,
        help_text=_("This cannot be changed later. Owners then enter their bots themselves."),
    )
    bots = EntrantsField(
        label=_("Entrants"),
        required=False,
        queryset=Bot.objects.none(),
        help_text=_("Their active versions are frozen when the tournament starts."),
    )
    order = forms.ChoiceField(
        label=_("Order of entry"),
        choices=list(ORDERS.items()),
        required=False,
    )

    def __init__(self, *args: Any, competition: Competition, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.info = competition.info
        self.competition = competition
        offered = formats.formats_for(self.info.min_seats)
        self.fields["release"].initial = Tournament.Release.PUBLIC
        choice_field(self, "format").choices = [(name, gettext(FORMATS[name].title)) for name in offered]
        original = self.info.tournament
        self.fields["format"].initial = original.format if original.format in offered else offered[0]
        given = self.data.get("format") or self.get_initial_for_field(self.fields["format"], "format")
        self.chosen = FORMATS.get(str(given), FORMATS[offered[0]])
        self._offer_rounds(original.rounds)
        settings = self.chosen.settings_for(self.info.min_seats)
        self._settings = [setting for setting in settings if setting != SEEDING]
        self.has_seeding = SEEDING in settings
        if self.has_seeding:
            self.fields["order"].label = gettext(SEEDING.title)
            choice_field(self, "order").choices = list(SEEDINGS.items())
        for setting in self._settings:
            self.fields[setting_field(setting.name)] = _setting_form_field(setting)
        model_field(self, "bots").queryset = (
            competition.bots.filter(active__isnull=False).select_related("owner").order_by("house", "name")
        )

    def _offer_rounds(self, original: int) -> None:
        """Offer the rounds of the original contest, unless the format proposes rounds from the entrants."""
        if not self.proposes_rounds:
            self.initial["rounds"] = self.initial.get("rounds") or original
            return
        rule = gettext(self.chosen.rounds_rule)
        self.fields["rounds"].help_text = gettext("Empty: %(rule)s, decided at the start.") % {"rule": rule}
        is_from_other_format = not self.initial.get("keeps_rounds")
        if is_from_other_format and str(self.initial.get("rounds")) == str(
            original
        ):  # filled in for another format, not chosen
            self.initial["rounds"] = None

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.chosen.takes_rounds:
            data["rounds"] = 1
        elif data.get("rounds") is None and "rounds" not in self.errors and not self.proposes_rounds:
            self.add_error("rounds", forms.Field.default_error_messages["required"])
        open_field = data.get("field") not in ("", None, Tournament.Field.CHOSEN)
        owners_enter = bool(data.get("sources_open"))
        if not open_field and not owners_enter and "bots" not in self.errors and not data.get("bots"):
            self.add_error("bots", forms.Field.default_error_messages["required"])
        if data.get("starts_at") and data["starts_at"] <= timezone.now():
            self.add_error("starts_at", _("Expected a time in the future."))
        if open_field and not data.get("starts_at") and "starts_at" not in self.errors:
            self.add_error("starts_at", _("Say when it starts, because that decides which bots enter."))
        if not self.errors:
            entrants = self._count_entrants(data["field"]) if open_field else len(data["bots"])
            rounds = data["rounds"]
            if rounds is None and self.chosen.proposed_rounds:
                rounds = self.chosen.proposed_rounds(entrants, self.info.min_seats, self.settings)
            try:
                self.rounds_now = rounds
                shape = data["format"], entrants, self.info.min_seats, rounds, self.settings
                self.count = formats.count(*shape)
                self.likely_count = formats.likely_count(*shape)
            except formats.BadFormat as error:
                if (open_field or owners_enter) and error.field == "entrants":
                    return data  # the number of entrants is checked at the start
                self._add_error(error.field, filled(error.text, error.values))
        return data

    @property
    def settings(self) -> dict[str, formats.Value]:
        """The chosen settings of the format."""
        result: dict[str, formats.Value] = {}
        if self.has_seeding:
            result[SEEDING.name] = seeding_of(self.cleaned_data["order"])
        for setting in self._settings:
            value = self.cleaned_data.get(setting_field(setting.name))
            if value in (None, ""):
                result[setting.name] = setting.default
            elif isinstance(setting.default, bool):
                result[setting.name] = value == YES
            else:
                result[setting.name] = value
        return result

    @property
    def proposes_rounds(self) -> bool:
        """Whether the number of rounds may stay empty."""
        return self.chosen.proposed_rounds is not None

    @property
    def guarantee(self) -> str:
        """The guarantee of the chosen format, in the reader's language."""
        return gettext(self.chosen.guarantee)

    @property
    def setting_fields(self) -> list[forms.BoundField]:
        """The fields of the chosen format's settings."""
        return [self[setting_field(setting.name)] for setting in self._settings]

    @property
    def entrants(self) -> list[Bot]:
        """The chosen bots in the chosen order."""
        bots = list(self.cleaned_data["bots"])
        places = {
            bot.pk: int(given)
            for bot in bots
            if (given := str(self.data.get(f"place-{bot.pk}", ""))[:9]).isdecimal()
        }
        return ordered(self.cleaned_data["order"], bots, places)

    def with_places(self) -> list[Bot]:
        """All bots to choose from, each with its `place` in the order, if it was given."""
        bots: list[Any] = list(model_field(self, "bots").queryset or ())
        places = self.initial.get("places", {})
        for bot in bots:
            known = self.data.get(f"place-{bot.pk}") if self.is_bound else places.get(bot.pk)
            bot.place = known or ""
        return bots

    @property
    def draft(self) -> Draft:
        """What was chosen."""
        data = self.cleaned_data
        return Draft(
            data["name"],
            data["format"],
            data["rounds"],
            data["seed"],
            self.entrants,
            self.settings,
            self.starts,
            data["sources_open"],
        )

    @property
    def starts(self) -> Start:
        """When it starts, who enters, and who sees the results."""
        data = self.cleaned_data
        return Start(
            data["starts_at"],
            data["field"] or Tournament.Field.CHOSEN,
            data["release"] or Tournament.Release.PUBLIC,
        )

    def _count_entrants(self, field: str) -> int:
        active = self.competition.bots.filter(active__isnull=False)
        return (active if field == Tournament.Field.ALL else active.filter(house=False)).count()

    def refuse(self, bad: BadTournament) -> None:
        """Show why the tournament could not be created, at the field that it concerns."""
        self._add_error(bad.field, str(bad))

    def _add_error(self, field: str, text: str) -> None:
        if field == "entrants":
            field = "bots"
        of_setting = setting_field(field)
        self.add_error(of_setting if of_setting in self.fields else field or None, text)


def setting_field(name: str) -> str:
    """The name of the form field for a setting of a format."""
    return f"setting-{name}"


def _setting_form_field(setting: Setting) -> forms.Field:
    """The form field of a format's setting."""
    title, words = _(setting.title), _(setting.help) if setting.help else ""
    default = setting.default
    if isinstance(default, bool):
        answers = [(YES, _("yes")), (NO, _("no"))]
        return forms.ChoiceField(
            label=title, help_text=words, choices=answers, initial=YES if default else NO, required=False
        )
    if isinstance(default, int):
        return forms.IntegerField(
            label=title,
            help_text=words,
            initial=default,
            min_value=setting.least,
            max_value=setting.most,
            required=False,
        )
    choices = [(key, _(text)) for key, text in setting.choices.items()]
    return forms.ChoiceField(label=title, help_text=words, choices=choices, initial=default, required=False)
