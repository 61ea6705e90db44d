"""Competitions in the admin: of games that there are, and never deleted once something was played."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db import transaction
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from agon.site.competitions.models import Competition
from agon.site.competitions.organizing import NotPossible
from agon.site.core.db.name_keys import name_key
from agon.site.use_cases.competition_states import check_archivable
from agon.site.web.audit.logged_admin import WHY, LoggedAdmin, why_field
from agon.site.workers import tasks
from games.core.broken import working_games


class CompetitionForm(forms.ModelForm):
    why = why_field()

    class Meta:
        model = Competition
        fields = ["title", "slug", "game", "summary", "state", "teams", "keep_days", "keep_mib"]
        help_texts: ClassVar[dict[str, Any]] = {
            "slug": _("The competition is at /c/address/."),
            "summary": _("It is shown below the title. Empty: what the game says of itself."),
            "state": _(
                "Closed: bots cannot be uploaded, and no rated matches are queued. Prepare a competition "
                "while it is closed: once bots have entered, its game and its address stay as they are, and "
                "it cannot be deleted."
            ),
            "teams": _(
                "Whose bots are admitted from now on. Bots that have entered stay. Alone or in one team: "
                "nobody enters a bot or joins a team by which they would take part twice."
            ),
            "keep_days": _(
                "Records and standard error of older matches are removed. Those of tournaments are kept. "
                "Empty: kept for as long as there is room."
            ),
            "keep_mib": _(
                "If there is more, the oldest matches of the author whose bots take the most room lose "
                "theirs."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "game" in self.fields:
            self.fields["game"] = forms.ChoiceField(label=self.fields["game"].label, choices=self.games)

    def clean_title(self) -> str:
        """Readers know competitions by their titles."""
        title = " ".join(self.cleaned_data["title"].split())
        others = Competition.objects.exclude(pk=self.instance.pk)
        if any(name_key(title) == name_key(other) for other in others.values_list("title", flat=True)):
            raise forms.ValidationError(_("There is a competition of this title."))
        return title

    def clean_state(self) -> str:
        state: str = self.cleaned_data["state"]
        if state == Competition.State.ARCHIVED and self.instance.pk:
            try:
                check_archivable(self.instance)
            except NotPossible as error:
                raise forms.ValidationError(str(error)) from None
        return state

    @cached_property
    def games(self) -> list[tuple[str, str]]:
        """Those that work here, and the one that the competition has."""
        titles = {info.slug: info.title for info in working_games()}
        if self.instance.game:
            titles.setdefault(self.instance.game, self.instance.game)
        return list(titles.items())


@admin.register(Competition)
class CompetitionAdmin(LoggedAdmin):
    form = CompetitionForm
    fields = ("title", "slug", "game", "summary", "state", "keep_days", "keep_mib", WHY)
    shown_values = ("title", "slug", "game", "summary", "state", "keep_days", "keep_mib")
    list_display = ["title", "slug", "game", "state", "suspended", "created"]
    list_filter = ["state", "game"]
    search_fields = ["title", "slug"]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        """The game is what bots were written for, and the address is where links lead."""
        return ["game", "slug"] if obj is not None and _is_used(obj) else []

    def get_prepopulated_fields(self, request: HttpRequest, obj: Any = None) -> dict[str, Sequence[str]]:
        return {"slug": ["title"]} if obj is None else {}

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Competitions that were used are closed instead: records, archives and bots name them."""
        return super().has_delete_permission(request, obj) and not (obj is not None and _is_used(obj))

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Without deleting many at once."""
        return {}

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if "game" in form.changed_data:
            obj.note_game_version()  # another game is no other version of the former one
        super().save_model(request, obj, form, change)
        transaction.on_commit(tasks.ask_for_house_bots, robust=True)


def _is_used(competition: Competition) -> bool:
    return competition.bots.exists() or competition.matches.exists()
