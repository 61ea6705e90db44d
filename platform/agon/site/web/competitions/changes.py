"""What organizers, or the site, changed since a competition opened, in words."""

from typing import Any, NamedTuple

from django.db.models import Q, TextChoices
from django.utils.translation import gettext as _

from agon.site.audit.models import Act
from agon.site.audit.verbs import Verb
from agon.site.competitions.models import Competition
from agon.site.competitions.settings import Entry, Records, Sources, Stderr, Teams
from agon.site.web.competitions.settings_form import SettingsForm

SHOWN = (
    Verb.OPEN_COMPETITION,
    Verb.CLOSE_COMPETITION,
    Verb.ARCHIVE_COMPETITION,
    Verb.CHANGE_COMPETITION,
    Verb.GAME_VERSION,
)
CHOICES: dict[str, type[TextChoices]] = {
    "entry": Entry,
    "teams": Teams,
    "sources": Sources,
    "records": Records,
    "stderr": Stderr,
}
MOST_CHANGES = 200
LONGEST = 200  # characters of a value


class Change(NamedTuple):
    """A setting by its label in the form, and its old and new value."""

    title: str
    old: str
    new: str


class Shown(NamedTuple):
    act: Act
    changes: list[Change]


def changes_of(competition: Competition) -> list[Shown]:
    """The newest first."""
    own, awarding = Q(tournament=None, verb__in=SHOWN), Q(verb__in=(Verb.AWARD, Verb.NO_AWARD))
    acts = Act.objects.filter(own | awarding, competition=competition)
    return [Shown(act, _changes(act)) for act in acts.select_related("actor").order_by("-pk")[:MOST_CHANGES]]


def _changes(act: Act) -> list[Change]:
    if act.verb not in (Verb.CHANGE_COMPETITION, Verb.GAME_VERSION):
        return []
    return [
        Change(_title(name), _words(_label(name, values["old"])), _words(_label(name, values["new"])))
        for name, values in act.details.items()
    ]


def _label(name: str, value: Any) -> Any:
    """A value of a setting in words, if it is one of a few."""
    known = CHOICES.get(name)
    return str(known(value).label) if known is not None and value in known.values else value


def _title(name: str) -> str:
    if name == "game_version":
        return _("Version of the game")
    field = SettingsForm.base_fields.get(name)
    return str(field.label) if field else name


def _words(value: Any) -> str:
    """A value as it is stored (JSON), shortened if it is long."""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if value is None or value in ("", []):
        return "–"
    if isinstance(value, list):
        return ", ".join(
            f"{part['places']}: {part['text']}" if isinstance(part, dict) else str(part) for part in value
        )
    text = str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
