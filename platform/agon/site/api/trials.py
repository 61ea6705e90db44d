"""Trials: one unrated match of a program that is not entered, against a house bot, as the editor plays it."""

import json
from datetime import datetime
from typing import Any

from allauth.core import ratelimit
from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils.translation import gettext as _
from ninja import Router
from ninja.responses import Status
from pydantic import Field

from agon.site.api import lookup, waiting
from agon.site.api.access import READ, SUBMIT, check_competition
from agon.site.api.problems import FieldError, Problem, invalid
from agon.site.api.shapes import Shape, file_of_type, link
from agon.site.api.submissions import PlaceShape
from agon.site.bots.languages import offered
from agon.site.bots.models import Bot, Submission
from agon.site.bots.refusal import Refused
from agon.site.competitions.models import Competition
from agon.site.trials import services, tables, visitors
from agon.site.trials.models import Trial
from agon.site.trials.states import State
from agon.site.use_cases import waiting as queues
from agon.site.web.trials import showing
from agon.site.web.trials.belonging import own_bot, own_bots
from agon.site.web.trials.forms import EMPTY
from games.core import match_log_json

router = Router(tags=["trials"])
FIELDS = ("text", "language", "opponent")  # that a refusal may be about


class OpponentShape(Shape):
    name: str
    bot: int
    submission: int
    strength: int | None = Field(description="From 1 (weakest) to 10; null if its game does not say.")
    first: bool = Field(description="The one for a first try: met if none is chosen.")


class NewTrial(Shape):
    text: str = Field(description="The program: one source file, at most 64 KiB.")
    language: str = Field(description="A slug of /languages.")
    opponent: str | None = Field(None, description="The name of a house bot; null: the one for a first try.")
    bot: int | None = Field(None, description="Your bot that it may become a version of; null: a new one.")


class PlaceInResult(Shape):
    """rank: 1 is best. own: whether it is the program that was tried."""

    name: str
    rank: int
    score: str
    own: bool


class TrialFaultShape(Shape):
    kind: str
    step: int
    reason: str


class TrialShape(Shape):
    """It is kept for a day, and only its author sees it."""

    id: str
    competition: str
    language: str
    opponent: str
    bot: int | None
    state: str = Field(description=", ".join(State.values))
    is_final: bool
    won: bool | None = Field(description="Whether it alone came first; null before the end of a match.")
    places: list[PlaceInResult] = Field(description="The result, best first; empty without one.")
    fault: TrialFaultShape | None = Field(description="The program's first fault, which ends the match.")
    reason: str = Field(description="What went wrong; empty if nothing did.")
    advice: str = Field(description="What to change, if that is known.")
    line: int | None = Field(description="The line of the program that the advice is about.")
    doubts: list[str] = Field(description="Answers that were no faults, and probably not meant so.")
    stderr: str = Field(description="What the program wrote to standard error, at most 8 KiB of it.")
    build_log: str
    place: PlaceShape | None = Field(description="Its place in the queue; null if it does not wait.")
    created: datetime
    finished: datetime | None
    url: str


def shape_of(trial: Trial) -> dict[str, Any]:
    """found: with its competition and its opponent's bot."""
    seen = showing.context(trial)
    place = queues.of_trial(trial)
    fault = seen["fault"]
    return TrialShape.from_row(
        trial,
        id=trial.token,
        competition=trial.competition.slug,
        opponent=trial.opponent.bot.name,
        bot=trial.bot_id,
        is_final=trial.is_over,
        won=seen["won"] if seen["places"] else None,
        places=[row._asdict() for row in seen["places"]],
        fault=fault and {"kind": fault.kind, "step": fault.step, "reason": str(seen["reason"])},
        reason=str(seen["reason"]),
        advice=seen["advice"],
        line=seen["line"] or None,
        doubts=[str(doubt) for doubt in seen["doubts"]],
        stderr=seen["stderr"],
        place=place and {"ahead": place.ahead, "seconds": place.seconds, "why": place.sentence},
        finished=trial.finished_at,
        url=link(trial.get_absolute_url()),
    )


@router.get("/competitions/{slug}/opponents", response=list[OpponentShape])
def opponents(request: Any, slug: str) -> list[dict[str, Any]]:
    """The house bots that a program can be tried against, the weakest first."""
    competition = lookup.competition(slug)
    first, strengths = services.first_opponent(competition), tables.strengths(competition)
    return [
        {
            "name": house_opponent.bot.name,
            "bot": house_opponent.bot_id,
            "submission": house_opponent.pk,
            "strength": strengths.get(house_opponent.bot.name),
            "first": first is not None and house_opponent.pk == first.pk,
        }
        for house_opponent in tables.house_opponents(competition)
    ]


@router.post("/competitions/{slug}/trials", auth=SUBMIT, response={201: TrialShape})
def try_program(request: Any, slug: str, wanted: NewTrial) -> Status[Any]:
    """Try a program. An account has one trial at a time: a new one replaces one that still waits."""
    competition = lookup.competition_to_change(request, slug)
    lookup.choice("/language", wanted.language, [language.slug for language in offered()])
    if not wanted.text.strip():
        raise invalid("/text", str(EMPTY))
    bot = _bot(request, competition, wanted.bot)
    visitor = visitors.visitor_of(request)
    if not ratelimit.consume(request, action="try_program", key=visitor.person):
        raise Problem("quota", _("That was a lot of tries within a minute. Wait a moment."), retry_after=60)
    try:
        opponent = _opponent(competition, wanted.opponent)
        started = services.start(
            visitor, competition, [tables.one(competition, opponent)], wanted.language, wanted.text, bot
        )
    except Refused as refused:
        raise _problem(competition, refused) from refused
    return Status(201, shape_of(_own(request).get(pk=started.pk)))


@router.get("/trials/{token}", auth=READ, response=TrialShape)
def trial(request: Any, token: str, wait: int = 0) -> Any:
    """A trial of yours. wait: respond when its state changes, or after that many seconds, at most 30."""
    trial = _trial(request, token)
    return waiting.for_change(request, _own(request), trial, wait, trial.is_over, shape_of)


@router.get("/trials/{token}/log", auth=READ, openapi_extra=file_of_type("application/json"))
def log(request: Any, token: str) -> HttpResponse:
    """What the bots were sent and answered, and how long it took, as JSON."""
    match_log = showing.log_of(_trial(request, token))
    if match_log is None:
        raise Problem("not_found", _("The match has not been played to its end."))
    text = json.dumps(match_log_json.to_data(match_log))
    return HttpResponse(text, content_type="application/json")


def _own(request: Any) -> QuerySet[Trial]:
    return Trial.objects.filter(owner=request.user).select_related("competition", "opponent__bot")


def _trial(request: Any, token: str) -> Trial:
    result: Trial | None = _own(request).filter(token=token).first() if token.isprintable() else None
    if result is None:
        raise Problem("not_found", _("There is no such trial of yours. Trials are kept for a day."))
    check_competition(request, result.competition)
    return result


def _bot(request: Any, competition: Competition, pk: int | None) -> Bot | None:
    if pk is None:
        return None
    own = own_bot(own_bots(request.user, competition), str(pk))
    if own is None:
        raise invalid("/bot", _("There is no such bot of yours here."))
    return own.bot


def _opponent(competition: Competition, name: str | None) -> Submission:
    """Raises Refused, Problem."""
    if not competition.is_open:
        raise Refused("", _("The competition %(title)s is closed.") % {"title": competition.title})
    playing = [] if competition.suspended else tables.house_opponents(competition)
    if name is None:
        submission = services.first_opponent(competition) if playing else None
    else:
        submission = next((candidate for candidate in playing if candidate.bot.name == name), None)
    if submission is None and name is not None and playing:
        lookup.choice("/opponent", name, [candidate.bot.name for candidate in playing])
    if submission is None:
        raise Refused("opponent", str(services.NOT_PLAYING))
    return submission


def _problem(competition: Competition, refused: Refused) -> Problem:
    """The same sentence that the editor shows."""
    errors = [FieldError(f"/{refused.field}", str(refused))] if refused.field in FIELDS else []
    code = _code(competition, refused, bool(errors))
    return Problem(code, str(refused), errors=errors, retry_after=refused.retry_after)


def _code(competition: Competition, refused: Refused, is_about_field: bool) -> str:
    if is_about_field:
        return "refused"
    if not competition.is_open:
        return "closed"
    return "quota" if refused.retry_after else "unavailable"
