"""The form of a competition's settings: of a draft, and of a competition that is open."""

from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.utils.translation import gettext, gettext_lazy

from agon.contest.formats import FORMATS
from agon.site.bots import languages
from agon.site.competitions import prizes
from agon.site.competitions.organizing import FIXED
from agon.site.competitions.settings import (
    LONGEST_ADDRESS,
    LONGEST_SUMMARY,
    LONGEST_TEXT,
    LONGEST_TITLE,
    MOST_BOTS,
    MOST_ROUNDS,
    TIMES,
    BadSettings,
    CompetitionSettings,
    Entry,
    Records,
    Sources,
    Stderr,
    Teams,
    validated,
)
from agon.site.web.core import refused
from agon.site.web.core.form_fields import choice_field
from agon.site.web.core.zone_times import in_zone
from games.core.broken import working_games

# What a form without these fields means, as one that was filled in before there were such.
USUAL = {"sources": Sources.AUTHOR.value, "records": Records.ALL.value, "stderr": Stderr.AUTHOR.value}
_TIME = "%Y-%m-%dT%H:%M"


def _time_field(label: Any, help_text: Any) -> forms.DateTimeField:
    widget = forms.DateTimeInput({"type": "datetime-local"}, format=_TIME)
    return forms.DateTimeField(label=label, help_text=help_text, required=False, widget=widget)


class SettingsForm(forms.Form):
    """After validation, `settings` is the validated value."""

    settings: CompetitionSettings
    title = forms.CharField(label=gettext_lazy("Title"), max_length=LONGEST_TITLE)
    slug = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=LONGEST_ADDRESS,
        help_text=gettext_lazy(
            "The competition is at /c/address/. It is fixed once it is open, as is the game."
        ),
    )
    game = forms.ChoiceField(label=gettext_lazy("Game"))
    summary = forms.CharField(
        label=gettext_lazy("Summary"),
        max_length=LONGEST_SUMMARY,
        required=False,
        help_text=gettext_lazy("It is shown below the title. Empty: what the game says of itself."),
    )
    text = forms.CharField(
        label=gettext_lazy("Text"),
        max_length=LONGEST_TEXT,
        required=False,
        widget=forms.Textarea({"rows": 10}),
        help_text=gettext_lazy(
            "Who it is for, what can be won, whom to ask. Markdown: # for headings, - for lists, "
            "[words](address) for links."
        ),
    )
    entry = forms.ChoiceField(label=gettext_lazy("Who may enter"), choices=Entry.choices)
    email_domains = forms.CharField(
        label=gettext_lazy("E-mail domains"),
        required=False,
        max_length=2000,
        help_text=gettext_lazy("For entry by e-mail address alone, such as: example.org, example.com"),
    )
    teams = forms.ChoiceField(label=gettext_lazy("Who takes part"), choices=Teams.choices)
    time_zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"),
        choices=[(name, name) for name in ("UTC", *sorted(available_timezones() - {"UTC", "localtime"}))],
        help_text=gettext_lazy("Of the times below. Readers see them in their own zone, too."),
    )
    entry_opens = _time_field(gettext_lazy("Entry opens"), gettext_lazy("Empty: at once."))
    entry_closes = _time_field(
        gettext_lazy("Entry closes"),
        gettext_lazy("What counts is when an upload arrives. Empty: when you close the competition."),
    )
    bots_per_owner = forms.IntegerField(
        label=gettext_lazy("Bots of one owner"),
        required=False,
        min_value=1,
        max_value=MOST_BOTS,
        help_text=gettext_lazy("Empty: as many as the site allows."),
    )
    languages = forms.MultipleChoiceField(
        label=gettext_lazy("Languages"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "None chosen: all. If some are, programs with their own recipe (bot.toml, run.sh) are refused."
        ),
    )
    prizes = forms.CharField(
        label=gettext_lazy("Prizes"),
        max_length=prizes.MOST_PRIZES * (prizes.LONGEST + 20),
        required=False,
        widget=forms.Textarea({"rows": 4}),
        help_text=gettext_lazy(
            "One a line, with its places, such as “1: A cup” or “2-3: A book”. They stand beside the ranks "
            "of the tournament that you name on its page, once its results are released."
        ),
    )
    sources = forms.ChoiceField(
        label=gettext_lazy("Programs are for"),
        choices=Sources.choices,
        help_text=gettext_lazy("Authors enter bots knowing it: once it is open, it can no longer show more."),
    )
    records = forms.ChoiceField(
        label=gettext_lazy("Matches and replays are for"),
        choices=Records.choices,
        help_text=gettext_lazy("Leaderboard, standings and numbers of matches are for everyone."),
    )
    stderr = forms.ChoiceField(
        label=gettext_lazy("Standard error is for"),
        choices=Stderr.choices,
        help_text=gettext_lazy("Of bots in matches that one may see. It can no longer show more, either."),
    )
    final_format = forms.ChoiceField(
        label=gettext_lazy("Final"),
        required=False,
        help_text=gettext_lazy(
            "A tournament that starts by itself, with all bots of people that are active then. It is made "
            "when you open the competition, and changed on its own page."
        ),
    )
    final_rounds = forms.IntegerField(
        label=gettext_lazy("Rounds of the final"),
        required=False,
        min_value=1,
        max_value=MOST_ROUNDS,
        help_text=gettext_lazy("Empty: as many as the format proposes, where it does."),
    )
    final_starts = _time_field(
        gettext_lazy("The final starts"), gettext_lazy("Everyone sees the time, and what is left until then.")
    )
    house_bots = forms.BooleanField(
        label=gettext_lazy("House bots play, so that newcomers find opponents"), required=False
    )
    ladder = forms.BooleanField(
        label=gettext_lazy("A ladder: rated matches are played all the time"), required=False
    )

    def __init__(self, *args: Any, is_open: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, usual in USUAL.items():
            self.fields[name].required = False
            self.initial.setdefault(name, usual)
        games = {info.slug: info.title for info in working_games()}
        game = self.initial.get("game")
        if game:
            games.setdefault(game, game)
        choice_field(self, "game").choices = list(games.items())
        titles = sorted((name, gettext(kind.title)) for name, kind in FORMATS.items())
        choice_field(self, "final_format").choices = [("", gettext("none")), *titles]
        here = {language.slug: language.title for language in languages.offered()}
        here |= {slug: here.get(slug, slug) for slug in self.initial.get("languages", ())}
        choice_field(self, "languages").choices = list(here.items())
        if is_open:
            for name in FIXED:
                self.fields[name].disabled = True

    def clean(self) -> dict[str, Any]:
        values = self.cleaned_data
        if self.errors:
            return values
        zone = ZoneInfo(values["time_zone"])
        for name in TIMES:
            # A time that is fixed was shown in the zone that the competition has, not in a new one.
            meant = ZoneInfo(self.initial["time_zone"]) if self.fields[name].disabled else zone
            try:
                values[name] = in_zone(values[name], meant)
            except ValueError as error:
                self.add_error(name, str(error))
        try:
            values["prizes"] = prizes.from_lines(values["prizes"])
        except ValueError as error:
            self.add_error("prizes", str(error))
        if self.errors:
            return values
        given = {name: values[name] or USUAL.get(name, values[name]) for name in self.fields} | {
            "email_domains": tuple(values["email_domains"].replace(",", " ").split()),
            "languages": tuple(values["languages"]),
        }
        with refused.in_form(self, BadSettings):
            self.settings = validated(CompetitionSettings(**given))
        return values


def initial(settings: CompetitionSettings) -> dict[str, Any]:
    """The values of a form that shows these settings, with times in their zone."""
    zone = ZoneInfo(settings.time_zone)
    values = vars(settings) | {
        "email_domains": ", ".join(settings.email_domains),
        "prizes": prizes.to_lines(settings.prizes),
    }
    for name in TIMES:
        if values[name] is not None:
            values[name] = values[name].astimezone(zone).replace(tzinfo=None)
    return values
