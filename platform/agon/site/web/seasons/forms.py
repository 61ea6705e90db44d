"""The form of a season."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from agon.site.accounts.models import User
from agon.site.seasons.models import Season
from agon.site.seasons.services import LONGEST_TITLE, MOST_TOURNAMENTS, Wanted
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.rights import visible
from agon.site.tournaments.states import State

OFFERED = 300  # latest tournaments
USUAL = "25 18 15 12 10 8 6 4 2 1"


class _Tournaments(forms.ModelMultipleChoiceField):
    def label_from_instance(self, obj: Tournament) -> str:
        return f"{obj.name} · {obj.competition.title}"


class SeasonForm(forms.Form):
    """After validation, `wanted` is what was chosen."""

    title = forms.CharField(label=_("Title"), max_length=LONGEST_TITLE)
    kind = forms.ChoiceField(label=_("Rule"), choices=Season.Kinds.choices)
    table = forms.CharField(
        label=_("Points by place"),
        required=False,
        max_length=2000,
        help_text=_("For the sum of points: those of the first place, the second, and so on."),
    )
    best = forms.IntegerField(
        label=_("Only the best"),
        required=False,
        min_value=1,
        max_value=MOST_TOURNAMENTS,
        help_text=_("How many tournaments of each competitor count. Empty: all."),
    )
    tournaments = _Tournaments(
        label=_("Tournaments"),
        queryset=Tournament.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("They count once they are finished and their results are released to everyone."),
    )

    def __init__(self, data: Any, user: User, season: Season | None = None) -> None:
        super().__init__(data, initial=_initial(season))
        offered = Tournament.objects.filter(visible(user)).exclude(state=State.CANCELLED).order_by("-pk")
        offered_ids = list(offered.values_list("pk", flat=True)[:OFFERED])
        if season is not None:
            offered_ids += list(season.tournaments.values_list("pk", flat=True))
        field = self.fields["tournaments"]
        assert isinstance(field, _Tournaments)
        field.queryset = (
            Tournament.objects.filter(pk__in=offered_ids).select_related("competition").order_by("-pk")
        )

    def clean_table(self) -> list[int]:
        words = str(self.cleaned_data["table"]).replace(",", " ").split()
        for word in words:
            if not (word.isascii() and word.isdigit() and len(word) < 10):
                raise forms.ValidationError(
                    _t("Expected whole numbers with spaces between them, got %(got)s.") % {"got": word[:40]}
                )
        return [int(word) for word in words]

    @property
    def wanted(self) -> Wanted:
        given = self.cleaned_data
        in_order = sorted(given["tournaments"], key=lambda tournament: tournament.pk)  # as they were made
        return Wanted(given["title"], given["kind"], given["table"], given["best"], in_order)


def _initial(season: Season | None) -> dict[str, Any]:
    if season is None:
        return {"kind": Season.Kinds.TABLE, "table": USUAL}
    return {
        "title": season.title,
        "kind": season.kind,
        "table": " ".join(map(str, season.table)) or USUAL,
        "best": season.best,
        "tournaments": list(season.tournaments.values_list("pk", flat=True)),
    }
