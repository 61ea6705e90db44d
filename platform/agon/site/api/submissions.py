"""Submissions: entering a program, following it, and letting an earlier version play again."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponseBase
from django.utils.translation import gettext as _
from ninja import File, Form, Router
from ninja.files import UploadedFile
from ninja.responses import Status
from pydantic import Field

from agon.site.api import lookup, waiting
from agon.site.api.access import READ, SUBMIT, check_competition, reader
from agon.site.api.matches import FaultShape, fault_shape
from agon.site.api.problems import FieldError, Problem, invalid
from agon.site.api.shapes import Shape, Why, file_of_type, link
from agon.site.bots import access, services
from agon.site.bots.access import may_see_private, may_see_source, sent_file
from agon.site.bots.models import Submission
from agon.site.bots.owners import owner_of
from agon.site.bots.refusal import Closed, NoRoom, Refused
from agon.site.bots.services import Checked, Upload
from agon.site.bots.states import PENDING, State
from agon.site.matches import advice
from agon.site.matches.models import Match
from agon.site.use_cases import leaving_play
from agon.site.use_cases import waiting as queues
from agon.site.web.core.downloads import download
from sandbox.source import UPLOAD_BYTES

router = Router(tags=["submissions"])


class PlaceShape(Shape):
    """ahead: how many come before it. seconds: an estimate. Null where they are unknown."""

    ahead: int | None
    seconds: float | None
    why: str


class SubmissionShape(Shape):
    id: int
    bot: int
    name: str = Field(description="The bot's name.")
    competition: str
    version: int
    uploaded_by: str = Field(description="Of a team's bot, the member who uploaded it; otherwise its author.")
    state: str = Field(description=", ".join(State.values))
    is_final: bool = Field(description="Whether build and qualification are over.")
    reason: str = Field(description="Why it was rejected, or why it waits; empty if there is nothing to say.")
    advice: str = Field(description="What to change, if it was rejected and that is known.")
    language: str
    digest: str = Field(description="SHA-256 over the names and contents of its files.")
    build_log: str
    qualification: int | None = Field(description="The match that tries it.")
    faults: list[FaultShape] = Field(description="Its faults in that match.")
    place: PlaceShape | None = Field(description="Its place in the queue; null if it does not wait.")
    created: datetime
    activated: datetime | None
    url: str


class CheckedShape(Shape):
    """What a dry run found: the upload would be accepted."""

    digest: str
    language: str
    files: list[str]
    version: int
    is_new_bot: bool


class ProgramForm(Shape):
    bot: str = Field(description="The name of the bot; a new name enters a new bot.")
    text: str | None = Field(None, description="The program, in place of a file.")
    language: str | None = Field(None, description="Of the text: a slug of /languages.")
    team: str | None = Field(None, description="Your team that a new bot is for; null: you.")
    dry_run: bool = Field(False, description="Check only, keep nothing.")
    activate: bool = Field(
        True, description="Versions become active when they qualify; only true is accepted."
    )


def shape_of(submission: Submission) -> dict[str, Any]:
    """found: with its bot and competition. For those who may see what is private."""
    match = submission.qualification
    faults = _faults(submission, match)
    place = (
        queues.of_submission(submission, [match] if match else []) if submission.state in PENDING else None
    )
    return SubmissionShape.from_row(
        submission,
        bot=submission.bot_id,
        name=submission.bot.name,
        competition=submission.bot.competition.slug,
        version=submission.number,
        uploaded_by=(submission.author or submission.bot.owner).shown_name,
        is_final=submission.state not in PENDING,
        reason=str(submission.reason),
        advice=advice.of_rejection(submission, match),
        qualification=match.pk if match else None,
        faults=faults,
        place=place and {"ahead": place.ahead, "seconds": place.seconds, "why": place.sentence},
        url=link(submission.get_absolute_url()),
    )


def _faults(submission: Submission, match: Match | None) -> list[dict[str, Any]]:
    seats = match.seats.filter(submission=submission).prefetch_related("faults") if match else []
    return [fault_shape(fault) for seat in seats for fault in seat.faults.all()]


@router.post(
    "/competitions/{slug}/submissions",
    auth=SUBMIT,
    response={200: SubmissionShape | CheckedShape, 201: SubmissionShape},
)
def submit(
    request: Any, slug: str, form: Form[ProgramForm], file: File[UploadedFile | None] = None
) -> Status[Any]:
    """Enter a program as the next version of a bot.

    A program that the bot's newest version has already is not entered again: 200 with that version.
    """
    competition = lookup.competition_to_change(request, slug)
    upload = _upload(form, file)
    if not form.activate:
        detail = _("Versions become active when they qualify; this cannot be chosen.")
        raise invalid("activate", detail)
    try:
        author = request.user
        owner = owner_of(author, competition, form.bot, form.team or "")
        if form.dry_run:
            return Status(200, _checked_shape(services.check(owner, competition, form.bot, upload, author)))
        submission, is_new = services.receive_once(owner, competition, form.bot, upload, author)
    except Refused as refused:
        raise _problem(refused) from refused
    return Status(201 if is_new else 200, shape_of(submission))


@router.get("/submissions/{id}", auth=READ, response=SubmissionShape)
def submission(request: Any, id: int, wait: int = 0) -> Any:
    """A submission of yours. wait: respond when its state changes, or after that many seconds, at most 30."""
    submission = _own(request, id)
    check_competition(request, submission.bot.competition)
    is_over = submission.state not in PENDING
    return waiting.for_change(request, _submissions(), submission, wait, is_over, shape_of)


@router.get("/submissions/{id}/source", auth=READ, openapi_extra=file_of_type("application/octet-stream"))
def source(request: Any, id: int) -> HttpResponseBase:
    """The program as it was sent. For its owner, or for everyone where the competition says so."""
    submission = lookup.one(_submissions(), id)
    if not may_see_source(reader(request, submission.bot.competition), submission):
        raise lookup.hidden(id)
    if not submission.source:
        raise Problem(
            "not_found", _("The program of version %(number)d was erased.") % {"number": submission.number}
        )
    name, data = sent_file(submission)
    return download(data, name)


@router.post("/submissions/{id}/activate", auth=SUBMIT, response={200: SubmissionShape, 201: SubmissionShape})
def activate(request: Any, id: int) -> Status[Any]:
    """Let an earlier version play again, as a new version with its rating. 200 if the bot has it already."""
    submission = _own(request, id)
    check_competition(request, submission.bot.competition)
    if submission.state == State.ACTIVE:
        return Status(200, shape_of(submission))
    if not access.may_restore(request.user, submission):
        raise Problem("conflict", _("Only a replaced version of your own bot can play again."))
    try:
        version, is_new = services.receive_again(request.user, submission)
    except Refused as refused:
        raise _problem(refused) from refused
    return Status(201 if is_new else 200, shape_of(version))


@router.delete("/submissions/{id}", auth=SUBMIT, response={204: None})
def remove(request: Any, id: int, why: Why | None = None) -> Status[None]:
    """Remove a rejected version."""
    submission = _own(request, id)
    check_competition(request, submission.bot.competition)
    if submission.state == State.REMOVED:
        return Status(204, None)
    if not access.may_remove(request.user, submission):
        raise Problem("conflict", _("Only a rejected version can be removed."))
    leaving_play.remove(submission, request.user, why.reason if why else "")
    return Status(204, None)


def _submissions() -> QuerySet[Submission]:
    return Submission.objects.select_related("author", "bot__owner", "bot__competition")


def _own(request: Any, id: int) -> Submission:
    result = lookup.one(_submissions(), id)
    if not may_see_private(request.user, result):
        raise lookup.hidden(id)
    return result


def _upload(form: ProgramForm, file: UploadedFile | None) -> Upload:
    if (file is None) == (form.text is None):
        raise invalid("file", _("Send either a file, or a text and its language."))
    if file is not None:
        if (file.size or 0) > UPLOAD_BYTES:
            most = _("Expected at most %(most)d MiB.") % {"most": UPLOAD_BYTES >> 20}
            raise Problem("too_large", most, errors=[FieldError("file", most)])
        return Upload(file.name or "", file.read())
    if not form.language:
        raise invalid("language", _("Say which language the text is in."))
    return Upload("", (form.text or "").encode("utf-8", "surrogatepass"), form.language)


def _checked_shape(checked: Checked) -> dict[str, Any]:
    return CheckedShape.from_row(
        checked,
        files=list(checked.files),
        version=checked.number,
    )


def _problem(refused: Refused) -> Problem:
    """The same sentence that the upload form shows."""
    field = "bot" if refused.field == "name" else refused.field
    errors = [FieldError(field, str(refused))] if field else []
    hint = _("%(name)s is free.") % {"name": refused.proposal} if refused.proposal else ""
    return Problem(_code(refused), str(refused), hint, errors, refused.retry_after)


def _code(refused: Refused) -> str:
    match refused:
        case Closed():
            return "closed"
        case NoRoom():
            return "unavailable"
    return "quota" if refused.retry_after else "refused"
