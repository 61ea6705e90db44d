"""Uploading a bot, following it through its build and its first match, and a bot's own page."""

import hashlib
from urllib.parse import urlencode

from allauth.core import ratelimit
from django.contrib import messages
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from agon.downloads import download
from bots import drafts, languages
from bots.access import get_bot, get_submission, may_see_private, source_files
from bots.forms import TEXT, SubmitForm
from bots.models import Submission
from bots.services import Refused, receive, receive_text
from bots.states import PENDING, State
from competitions.models import Competition
from leaderboards import table
from matches import transcript
from matches.models import Match, Seat
from sandbox.source import MOST_FILES, UNPACKED_BYTES, UPLOAD_BYTES

RECENT = 12  # matches on a bot's page
STEPS = (State.RECEIVED, State.BUILDING, State.BUILT, State.QUALIFYING, State.ACTIVE)


def submit(request: HttpRequest, slug: str) -> HttpResponse:
    """The upload form. Who is not signed in may fill it in; what was typed waits until he is."""
    competition = get_object_or_404(Competition, slug=slug)
    if request.method == "POST":
        form = SubmitForm(request.POST, request.FILES)
        if not request.user.is_authenticated:
            return _sign_in_first(request, form, competition)
        if form.is_valid():
            submission = _receive(request, competition, form)
            if submission is not None:
                return redirect(submission)
    else:
        kept = drafts.take(request) if request.user.is_authenticated else None
        form = SubmitForm(
            initial=(kept if kept and kept["slug"] == slug else {"name": request.GET.get("bot", "")})
        )
    status = 422 if form.is_bound else 200
    return render(request, "bots/submit.html", _form_context(request, competition, form), status=status)


def _sign_in_first(request: HttpRequest, form: SubmitForm, competition: Competition) -> HttpResponse:
    """Anybody can make us keep something here: not much, and not for long."""
    if not ratelimit.consume(request, action="keep_draft", key="site"):
        return ratelimit.respond_429(request)
    draft = form.draft() | {"slug": competition.slug}
    size = len(draft["text"].encode(errors="replace"))
    if size > drafts.MOST_BYTES:
        draft["text"] = ""
        messages.warning(
            request,
            _(
                "Sign in first. Your source has %(size)d KiB, too much to be kept until then: "
                "paste it again afterwards."
            )
            % {"size": size >> 10},
        )
    drafts.keep(request, draft)
    if form.data.get("way") != TEXT:
        messages.info(request, _("Sign in first. You will then be asked for the file once more."))
    back = urlencode({"next": reverse("submit", args=[competition.slug])})
    return redirect(f"{reverse('account_login')}?{back}")


def _receive(request: HttpRequest, competition: Competition, form: SubmitForm) -> Submission | None:
    data = form.cleaned_data
    try:
        if data["way"] == TEXT:
            return receive_text(request.user, competition, data["name"], data["text"], data["language"])
        return receive(request.user, competition, data["name"], data["file"].name, data["file"].read())
    except Refused as refused:
        form.refuse(refused)
        return None


def _form_context(request: HttpRequest, competition: Competition, form: SubmitForm) -> dict[str, object]:
    own = []
    if request.user.is_authenticated:
        own = list(
            request.user.bots.filter(competition=competition).order_by("name").values_list("name", flat=True)
        )
    return {
        "competition": competition,
        "info": competition.info,
        "form": form,
        "own": own,
        "languages": languages.offered(),
        "upload_bytes": UPLOAD_BYTES,
        "unpacked_bytes": UNPACKED_BYTES,
        "most_files": MOST_FILES,
    }


@require_safe
def submission(request: HttpRequest, pk: int) -> HttpResponse:
    """How far a submission has come; `?part=progress` is what the open page asks for until it is through."""
    found = get_submission(request.user, pk)
    qualification = list(_with_seats(found.qualifications.order_by("-pk"))[:1])
    first = _first_rated(found)
    stamp = _stamp(found, *qualification, *([first] if first else []))
    part = request.GET.get("part") == "progress"
    if part and request.GET.get("seen") == stamp:
        return HttpResponse(status=204)  # nothing new: the open page is left as it is
    context = {
        "submission": found,
        "competition": found.bot.competition,
        "steps": _steps(found),
        "live": found.state in PENDING or (found.state == State.ACTIVE and not (first and first.finished_at)),
        "stamp": stamp,
        "qualification": qualification,
        "stderr": _stderr(found, qualification),
        "first_match": first,
    }
    return render(request, "bots/progress.html" if part else "bots/submission.html", context)


def _stamp(found: Submission, *matches: Match) -> str:
    """Differs whenever the page would: what it was made of, in short."""
    facts = (found.state, found.attempt, found.why, *((each.pk, each.state) for each in matches))
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


def _steps(found: Submission) -> list[dict[str, object]]:
    """The five states on the way, each done, now, failed or ahead."""
    if found.state in (State.ACTIVE, State.REPLACED):
        reached = len(STEPS)
    elif found.state == State.REJECTED:
        reached = STEPS.index(State.QUALIFYING if found.artifact_digest else State.BUILDING)
    else:
        reached = STEPS.index(State(found.state))
    current = "failed" if found.state == State.REJECTED else "now"
    steps = []
    for place, state in enumerate(STEPS):
        progress = "done" if place < reached else current if place == reached else "ahead"
        steps.append({"label": state.label, "progress": progress, "when": _when(found, state)})
    return steps


def _stderr(found: Submission, qualification: list[Match]) -> list[transcript.Stderr]:
    own = (seat for match in qualification for seat in match.seats.all() if seat.submission_id == found.pk)
    return [each for each in map(transcript.stderr, own) if each]


def _when(found: Submission, state: State) -> object:
    return {State.RECEIVED: found.created, State.ACTIVE: found.activated}.get(state)


def _first_rated(found: Submission) -> Match | None:
    seats = Seat.objects.filter(submission=found, match__kind=Match.Kind.LADDER).order_by("match_id")
    seat = seats.select_related("match").first()
    return seat.match if seat else None


@require_safe
def source(request: HttpRequest, pk: int) -> HttpResponse:
    """The source as it was uploaded; a pasted one as the file it became."""
    found = get_submission(request.user, pk)
    if found.pasted:
        ((name, data),) = source_files(found)
        return download(data, name)
    with found.source.open("rb") as file:
        return download(file.read(), found.filename)


@require_safe
def bot(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_bot(request.user, pk)
    versions = list(found.submissions.select_related("rating", "bot").order_by("-number"))
    private = any(may_see_private(request.user, version) for version in versions[:1])
    if not private:
        versions = [each for each in versions if each.state in (State.ACTIVE, State.REPLACED)]
    row = next((row for row in table.rows(found.competition) if row.bot_id == found.pk), None)
    context = {
        "bot": found,
        "competition": found.competition,
        "versions": versions,
        "private": private,
        "own": request.user == found.owner,
        "row": row,
        "matches": list(_with_seats(_of_bot(found.pk))[:RECENT]),
    }
    return render(request, "bots/bot.html", context)


def _of_bot(bot_id: int) -> QuerySet[Match]:
    return Match.objects.filter(seats__submission__bot=bot_id).distinct().order_by("-pk")


def _with_seats(matches: QuerySet[Match]) -> QuerySet[Match]:
    seats = Seat.objects.select_related("submission__bot").prefetch_related("faults")
    return matches.prefetch_related(Prefetch("seats", seats))
