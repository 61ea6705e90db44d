"""A submission on its way through its build and its first match; its source as it was uploaded."""

import hashlib

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agon.site.bots import access
from agon.site.bots.access import get_source, get_submission, sent_file
from agon.site.bots.models import Submission
from agon.site.bots.sources import contents
from agon.site.bots.states import COMPETED, FAILED, PENDING, State
from agon.site.matches import advice, first_wins, transcript, usage
from agon.site.matches.models import Match, Seat
from agon.site.use_cases import waiting
from agon.site.use_cases.void_rule import counted
from agon.site.use_cases.waiting import Place
from agon.site.web.core.downloads import download

SEATS = "seats__faults"  # what a table of matches shows besides each match
STEPS = (State.RECEIVED, State.BUILDING, State.BUILT, State.QUALIFYING, State.ACTIVE)


@require_safe
def submission(request: HttpRequest, pk: int) -> HttpResponse:
    """The progress of a submission; the open page polls `?part=progress` until it is done."""
    submission = get_submission(request.user, pk)
    qualification = list(submission.qualifications.prefetch_related(SEATS).order_by("-pk")[:1])
    first = _first_rated(submission)
    wait = usage.wait_of(submission.bot) if submission.state in PENDING else None
    place = _place(submission, qualification, first) if wait is None else None
    stamp = _stamp(submission, wait is None, place, *qualification, *([first] if first else []))
    part = request.GET.get("part") == "progress"
    if part and request.GET.get("seen") == stamp:
        return HttpResponse(status=204)  # nothing new: the open page stays as it is
    uploaded = contents(submission)
    context = {
        "submission": submission,
        "competition": submission.bot.competition,
        "steps": _steps(submission),
        "live": submission.state in PENDING
        or (submission.state == State.ACTIVE and not (first and first.finished_at)),
        "stamp": stamp,
        "qualification": qualification,
        "stderr": _stderr(submission, qualification),
        "advice": advice.of_rejection(submission, qualification[0] if qualification else None),
        "doubts": _doubts(request, submission, qualification),
        "main_file": uploaded.main if uploaded else "",
        "first_match": first,
        "voids": counted(Submission.objects.filter(pk=submission.pk)).get().voids,
        "may_compare": access.owns(request.user, submission.bot)
        and submission.state in (State.ACTIVE, State.REPLACED),
        "may_remove": access.may_remove(request.user, submission),
        "wait": wait,
        "awaits_first_win": first_wins.is_awaited(submission.bot, request.user),
        "place": place,
    }
    return render(request, "bots/progress.html" if part else "bots/submission.html", context)


def _place(submission: Submission, qualification: list[Match], first: Match | None) -> Place | None:
    """Where it waits: for its build, its qualification, or its first rated match."""
    if submission.state in PENDING:
        return waiting.of_submission(submission, qualification)
    return waiting.of_match(first) if first and submission.state == State.ACTIVE else None


def _stamp(submission: Submission, may_go_on: bool, place: Place | None, *matches: Match) -> str:
    """A digest of what the page shows: it changes whenever the page would."""
    facts = (
        submission.state,
        submission.attempt,
        str(submission.reason),
        may_go_on,
        place and place.stamp,
        *((match.pk, match.state) for match in matches),
    )
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


def _steps(submission: Submission) -> list[dict[str, object]]:
    """The five states on the way, each done, now, failed, or ahead."""
    if submission.state in COMPETED:
        reached = len(STEPS)
    elif submission.state in FAILED:
        reached = STEPS.index(State.QUALIFYING if submission.artifact_digest else State.BUILDING)
    else:
        reached = STEPS.index(State(submission.state))
    current = "failed" if submission.state in FAILED else "now"
    steps = []
    for place, state in enumerate(STEPS):
        progress = "done" if place < reached else current if place == reached else "ahead"
        steps.append({"label": state.label, "progress": progress, "when": _when(submission, state)})
    return steps


def _stderr(submission: Submission, qualification: list[Match]) -> list[transcript.StderrView]:
    own = (
        seat for match in qualification for seat in match.seats.all() if seat.submission_id == submission.pk
    )
    return [view for view in map(transcript.stderr, own) if view]


def _doubts(request: HttpRequest, submission: Submission, qualification: list[Match]) -> advice.Doubts | None:
    """For the author: answers that were probably not meant so."""
    if not access.owns(request.user, submission.bot) or not qualification:
        return None
    return advice.about_answers(submission, qualification[0])


def _when(submission: Submission, state: State) -> object:
    return {State.RECEIVED: submission.created, State.ACTIVE: submission.activated}.get(state)


def _first_rated(submission: Submission) -> Match | None:
    seats = Seat.objects.filter(submission=submission, match__kind=Match.Kind.LADDER).order_by("match_id")
    seat = seats.select_related("match").first()
    return seat.match if seat else None


@require_safe
def source(request: HttpRequest, pk: int) -> HttpResponse:
    """Download the source as it was uploaded; pasted source as the file it became."""
    name, data = sent_file(get_source(request.user, pk))
    return download(data, name)
