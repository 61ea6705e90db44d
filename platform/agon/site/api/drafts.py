"""Competitions as their organizers make and run them: drafts, opening, changing, export and import."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any

from django.db import transaction
from django.http import HttpResponseBase
from django.utils.translation import gettext as _
from ninja import Router
from ninja.files import UploadedFile
from ninja.params import File
from ninja.responses import Status
from pydantic import Field

from agon.site.accounts.models import User
from agon.site.api import lookup
from agon.site.api.access import ORGANIZE, check_whole_account
from agon.site.api.competitions import CompetitionShape, PrizeShape
from agon.site.api.competitions import router as of_competitions
from agon.site.api.competitions import shape_of as competition_shape
from agon.site.api.problems import Problem, invalid
from agon.site.api.refused import in_fields
from agon.site.api.shapes import Shape, Why, choice_of, file_of_type, link
from agon.site.competitions import bundles, organizing, prizes
from agon.site.competitions.access import may_create
from agon.site.competitions.bundles import BadBundle
from agon.site.competitions.models import Competition, CompetitionDraft
from agon.site.competitions.settings import (
    LONGEST_ADDRESS,
    LONGEST_SUMMARY,
    LONGEST_TEXT,
    LONGEST_TITLE,
    MOST_BOTS,
    MOST_ROUNDS,
    BadSettings,
    CompetitionSettings,
    Entry,
    Records,
    Sources,
    Stderr,
    Teams,
    from_json,
    validated,
)
from agon.site.use_cases import competition_states, opening, opening_checks
from agon.site.use_cases.people_and_results import people_and_results
from agon.site.web.competitions.changes import changes_of
from agon.site.web.core.downloads import download
from agon.site.workers import tasks

router = Router(tags=["organizing"], auth=ORGANIZE)


class SettingsShape(Shape):
    """What an organizer sets. A time has its offset; null: no such time."""

    title: str = Field(max_length=LONGEST_TITLE)
    slug: str = Field(max_length=LONGEST_ADDRESS, description="The competition is at /c/slug/.")
    game: str = Field(description="The slug of a game.")
    summary: str = Field("", max_length=LONGEST_SUMMARY)
    text: str = Field("", max_length=LONGEST_TEXT, description="Markdown.")
    entry: str = Field(Entry.ALL.value, json_schema_extra={"enum": list(Entry.values)})
    email_domains: list[str] = Field([], description="Of `domain` entry alone.")
    entry_opens: datetime | None = None
    entry_closes: datetime | None = None
    time_zone: str = Field("UTC", description="In which the organizer writes times.")
    teams: str = Field(Teams.ANY.value, json_schema_extra={"enum": list(Teams.values)})
    bots_per_owner: int | None = Field(None, ge=1, le=MOST_BOTS)
    languages: list[str] = Field([], description="Slugs; none: all that the site offers.")
    house_bots: bool = True
    ladder: bool = True
    prizes: list[PrizeShape] = Field([], max_length=prizes.MOST_PRIZES)
    sources: str = Field(Sources.AUTHOR.value, json_schema_extra={"enum": list(Sources.values)})
    records: str = Field(Records.ALL.value, json_schema_extra={"enum": list(Records.values)})
    final_format: str = Field("", description="Of a tournament that starts by itself; empty: none.")
    final_rounds: int | None = Field(None, ge=1, le=MOST_ROUNDS)
    final_starts: datetime | None = None
    stderr: str = Field(Stderr.AUTHOR.value, json_schema_extra={"enum": list(Stderr.values)})


class DraftShape(Shape):
    """A competition that only its organizer sees."""

    id: int
    revision: int = Field(description="To be sent with a change.")
    settings: SettingsShape
    findings: list[str] = Field(description="What to know before it is opened.")
    url: str


class DraftChange(Shape):
    settings: SettingsShape
    revision: int = Field(ge=1, description="Of the draft that was changed.")


class OpenSettingsShape(Shape):
    """The settings of a competition. link: for entrants, where entry is by link."""

    settings: SettingsShape
    seen: int = Field(description="To be sent with a change.")
    organizers: list[str]
    link: str | None


class SettingsChange(Shape):
    settings: SettingsShape
    seen: int = Field(ge=0, description="As the settings said.")
    reason: str = Field(min_length=1, max_length=500, description="Entrants see it.")


class StateChange(Why):
    state: Annotated[Competition.State, choice_of(Competition.State)]


class NewOrganizer(Shape):
    name: str = Field(min_length=1, max_length=150)


class SettingChangeShape(Shape):
    setting: str
    old: str
    new: str


class CompetitionActShape(Shape):
    """An act of an organizer. by: null for the site."""

    at: datetime
    act: str
    by: str | None
    reason: str
    changes: list[SettingChangeShape]


@router.get("/drafts", response=list[DraftShape])
def drafts(request: Any) -> list[dict[str, Any]]:
    """Your drafts of competitions, the one changed last first."""
    check_whole_account(request)
    return [_draft_shape(draft) for draft in request.user.competition_drafts.all()]


@router.post("/drafts", response={201: DraftShape})
def create(request: Any, wanted: SettingsShape) -> Status[Any]:
    """A new draft."""
    _check_may_create(request)
    return Status(201, _draft_shape(organizing.create_draft(request.user, _settings(wanted))))


@router.post("/drafts/import", response={201: DraftShape})
def import_draft(request: Any, file: File[UploadedFile]) -> Status[Any]:
    """A new draft from the zip of an exported competition."""
    _check_may_create(request)
    with _as_problems("file"):
        bundle = bundles.unpack(file.read(bundles.MOST_BYTES + 1))
        return Status(201, _draft_shape(organizing.create_draft(request.user, *bundle)))


@router.get("/drafts/{id}", response=DraftShape)
def draft(request: Any, id: int) -> dict[str, Any]:
    """A draft of yours."""
    return _draft_shape(_own(request, id))


@router.put("/drafts/{id}", response=DraftShape)
def save(request: Any, id: int, wanted: DraftChange) -> dict[str, Any]:
    """Change a draft. 409 if it was changed since that revision."""
    with _as_problems("/settings"):
        return _draft_shape(
            organizing.save_draft(_own(request, id), _settings(wanted.settings), wanted.revision)
        )


@router.delete("/drafts/{id}", response={204: None})
def delete(request: Any, id: int) -> Status[Any]:
    """Delete a draft."""
    _own(request, id).delete()
    return Status(204, None)


@router.post("/drafts/{id}/open", response={201: CompetitionShape})
def open_draft(request: Any, id: int) -> Status[Any]:
    """Open the competition of a draft, which is gone then."""
    _check_may_create(request)
    competition_draft = _own(request, id)
    competition = opening.open_competition(competition_draft, request.user)
    transaction.on_commit(tasks.ask_for_house_bots, robust=True)
    return Status(201, competition_shape(competition))


@of_competitions.get("/{slug}/settings", auth=ORGANIZE, tags=["organizing"], response=OpenSettingsShape)
def settings(request: Any, slug: str) -> dict[str, Any]:
    """The settings of a competition that you run."""
    return _open_shape(lookup.competition_to_run(request, slug))


@of_competitions.put("/{slug}/settings", auth=ORGANIZE, tags=["organizing"], response=OpenSettingsShape)
def change(request: Any, slug: str, wanted: SettingsChange) -> dict[str, Any]:
    """Change them, with a reason. Address and game are fixed. 409 if others changed them meanwhile."""
    competition = lookup.competition_to_run(request, slug)
    with _as_problems("/settings"):
        organizing.change(competition, _settings(wanted.settings), wanted.seen, request.user, wanted.reason)
    transaction.on_commit(tasks.ask_for_house_bots, robust=True)
    competition.refresh_from_db()
    return _open_shape(competition)


@of_competitions.post("/{slug}/state", auth=ORGANIZE, tags=["organizing"], response=CompetitionShape)
def state(request: Any, slug: str, wanted: StateChange) -> dict[str, Any]:
    """Open, close or archive it."""
    competition = lookup.competition_to_run(request, slug)
    competition_states.set_state(competition, wanted.state, request.user, wanted.reason)
    competition.refresh_from_db()
    return competition_shape(competition)


@of_competitions.post("/{slug}/clone", auth=ORGANIZE, tags=["organizing"], response={201: DraftShape})
def clone(request: Any, slug: str) -> Status[Any]:
    """A draft with its settings."""
    _check_may_create(request)
    made = organizing.create_draft(request.user, lookup.competition_to_run(request, slug).settings)
    return Status(201, _draft_shape(made))


@of_competitions.get(
    "/{slug}/export", auth=ORGANIZE, tags=["organizing"], openapi_extra=file_of_type("application/zip")
)
def export(request: Any, slug: str, people: bool = False) -> HttpResponseBase:
    """Its settings and its text as a zip. people: with people and results, as tables to read."""
    competition = lookup.competition_to_run(request, slug)
    past = people_and_results(competition, request.user) if people else ()
    with _as_problems("people"):
        packed = bundles.pack(competition.settings, past)
    return download(packed, f"{competition.slug}.zip", "application/zip")


@of_competitions.post("/{slug}/organizers", auth=ORGANIZE, tags=["organizing"], response=OpenSettingsShape)
def add_organizer(request: Any, slug: str, wanted: NewOrganizer) -> dict[str, Any]:
    """Give an account the rights of an organizer of this competition."""
    competition = lookup.competition_to_run(request, slug)
    with _as_problems("/name"):
        organizing.add_organizer(competition, wanted.name, request.user)
    return _open_shape(competition)


@of_competitions.post("/{slug}/hand-over", auth=ORGANIZE, tags=["organizing"], response={204: None})
def hand_over(request: Any, slug: str, wanted: NewOrganizer) -> Status[Any]:
    """Give your place among the organizers to another account: you no longer run the competition."""
    competition = lookup.competition_to_run(request, slug)
    with _as_problems("/name"):
        organizing.hand_over(competition, wanted.name, request.user)
    return Status(204, None)


@of_competitions.delete("/{slug}/organizers/{name}", auth=ORGANIZE, tags=["organizing"], response={204: None})
def remove_organizer(request: Any, slug: str, name: str) -> Status[Any]:
    """Take these rights back."""
    competition = lookup.competition_to_run(request, slug)
    user = User.objects.filter(username=name).first()
    organizing.remove_organizer(competition, user.pk if user else 0, request.user)
    return Status(204, None)


@of_competitions.post("/{slug}/link", auth=ORGANIZE, tags=["organizing"], response=OpenSettingsShape)
def renew_link(request: Any, slug: str) -> dict[str, Any]:
    """Replace the link for entrants."""
    competition = lookup.competition_to_run(request, slug)
    organizing.renew_link(competition, request.user)
    competition.refresh_from_db()
    return _open_shape(competition)


@of_competitions.get("/{slug}/changes", response=list[CompetitionActShape])
def changes(request: Any, slug: str) -> list[dict[str, Any]]:
    """What organizers did to it, the newest first."""
    return [
        {
            "at": act.at,
            "act": act.verb,
            "by": act.actor.shown_name if act.actor else None,
            "reason": act.reason,
            "changes": [
                {"setting": setting.title, "old": setting.old, "new": setting.new} for setting in changed
            ],
        }
        for act, changed in changes_of(lookup.competition(slug))
    ]


def _settings(wanted: SettingsShape) -> CompetitionSettings:
    """Raises BadSettings."""
    return validated(from_json(wanted.model_dump(mode="json")))


def _draft_shape(draft: CompetitionDraft) -> dict[str, Any]:
    settings = from_json(draft.settings)
    return {
        "id": draft.pk,
        "revision": draft.revision,
        "settings": settings.to_json(),
        "findings": opening_checks.findings(settings),
        "url": link(draft.get_absolute_url()),
    }


def _open_shape(competition: Competition) -> dict[str, Any]:
    by_link = competition.entry == Entry.LINK
    address = f"{competition.get_absolute_url()}enter/{competition.entry_secret}/"
    organizers = competition.organizers.select_related("user")
    return {
        "settings": competition.settings.to_json(),
        "seen": organizing.last_change(competition),
        "organizers": [organizer.user.shown_name for organizer in organizers],
        "link": link(address) if by_link else None,
    }


def _own(request: Any, id: int) -> CompetitionDraft:
    check_whole_account(request)
    return lookup.one(CompetitionDraft.objects.filter(owner=request.user), id)


def _check_may_create(request: Any) -> None:
    check_whole_account(request)
    if not may_create(request.user):
        raise Problem("not_allowed", _("On this site organizers make competitions."))


@contextmanager
def _as_problems(place: str) -> Iterator[None]:
    """place: where in the body the settings are; of a file its name."""
    try:
        yield
    except BadSettings as bad:
        raise in_fields(bad.problems, place if place.startswith("/") else "") from None
    except BadBundle as bad:
        raise invalid(place, str(bad)) from None
