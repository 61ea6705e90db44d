"""Uploading a bot, following it through its build and its first match, and the bot's page."""

import hashlib
from itertools import pairwise
from urllib.parse import urlencode

from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect

from agon.site.accounts import browsers
from agon.site.accounts.models import User
from agon.site.bots import access, languages, naming, reasons
from agon.site.bots.access import get_bot, get_submission, may_see_private, source_files
from agon.site.bots.models import Bot, Submission
from agon.site.bots.mottos import mottos
from agon.site.bots.services import FAILED, Refused, receive, receive_text
from agon.site.bots.states import PENDING, BotState, State
from agon.site.competitions.models import Competition
from agon.site.leaderboards import table
from agon.site.matches import advice, transcript, usage
from agon.site.matches.models import Match, Seat
from agon.site.matches.secret_names import without_secret
from agon.site.tournaments.match_access import visible
from agon.site.use_cases import waiting
from agon.site.use_cases.insight import insight
from agon.site.use_cases.void_rule import LATEST_MATCHES, counted
from agon.site.use_cases.waiting import Place
from agon.site.web.bots import drafts
from agon.site.web.bots.forms import TEXT, SubmitForm
from agon.site.web.core.downloads import download
from agon.site.web.leaderboards.insight_words import Version, matches_to_watch, names_of, weaknesses
from agon.site.web.leaderboards.pictures import rating_curve
from agon.statistics import voids as rule
from sandbox.source import MOST_FILES, UNPACKED_BYTES, UPLOAD_BYTES

RECENT = 12  # matches on a bot's page
EVIDENCE = 50  # void matches on a stopped bot's page
SEATS = "seats__faults"  # what a table of matches shows besides each match
COMPETED = (State.ACTIVE, State.REPLACED, State.OUT)
STEPS = (State.RECEIVED, State.BUILDING, State.BUILT, State.QUALIFYING, State.ACTIVE)


def submit(request: HttpRequest, slug: str) -> HttpResponse:
    """The upload form. Anonymous visitors may fill it in; the draft is kept until they sign in."""
    competition = get_object_or_404(Competition, slug=slug)
    if request.method == "POST":
        form = SubmitForm(request.POST, request.FILES)
        if not request.user.is_authenticated:
            return _sign_in_first(request, form, competition)
        if form.is_valid():
            submission = _receive(request.user, competition, form)
            if submission is not None:
                drafts.submitted(request, competition.slug)
                return _leave(request, submission.get_absolute_url())
    else:
        form = SubmitForm(initial=_initial(request, competition))
    status = 422 if form.is_bound else 200
    return render(request, "bots/submit.html", _form_context(request, competition, form), status=status)


def _initial(request: HttpRequest, competition: Competition) -> dict[str, str]:
    """The name that the address gives, else the draft that was kept, with a name if it has none yet."""
    if not request.user.is_authenticated or "bot" in request.GET:
        return {"name": request.GET.get("bot", "")}
    draft = drafts.kept(request, competition.slug)
    if draft is None:
        return {}
    if draft["text"]:
        messages.info(request, _("Here is your program. Check the name, then submit it."))
    return draft | {"name": draft["name"] or naming.proposed(competition, request.user)}


def _sign_in_first(request: HttpRequest, form: SubmitForm, competition: Competition) -> HttpResponse:
    """Keep the draft. Anyone can make us store something here: not much, and not for long."""
    if not ratelimit.consume(request, action="keep_draft", key="site"):
        refused: HttpResponse = ratelimit.respond_429(request)
        return refused
    draft = form.draft() | {"slug": competition.slug}
    size = len(draft["text"].encode(errors="replace"))
    if size > drafts.MOST_BYTES:
        draft["text"] = ""
        messages.warning(
            request,
            _(
                "Sign in first. Your source code (%(size)d KiB) is too large to be kept until "
                "then; paste it again afterwards."
            )
            % {"size": size >> 10},
        )
    drafts.keep(request, draft)
    if form.data.get("way") != TEXT:
        messages.info(request, _("Sign in first. You will then be asked for the file again."))
    back = urlencode({"next": reverse("submit", args=[competition.slug])})
    # The editor says where newcomers come from. A browser that has signed in before has an account.
    is_new = "newcomer" in request.POST and browsers.COOKIE not in request.COOKIES
    return _leave(request, f"{reverse('account_signup' if is_new else 'account_login')}?{back}")


def _leave(request: HttpRequest, address: str) -> HttpResponse:
    """Redirect from the form. Where a script has sent it, the page goes there and not the script."""
    if request.headers.get("HX-Request"):
        return HttpResponseClientRedirect(address)
    return redirect(address)


def _receive(user: User, competition: Competition, form: SubmitForm) -> Submission | None:
    data = form.cleaned_data
    try:
        if data["way"] == TEXT:
            return receive_text(user, competition, data["name"], data["text"], data["language"])
        return receive(user, competition, data["name"], *form.upload())
    except Refused as refused:
        form.refuse(refused)
        return None


def _form_context(request: HttpRequest, competition: Competition, form: SubmitForm) -> dict[str, object]:
    own = []
    if request.user.is_authenticated:
        own = list(
            request.user.bots.filter(competition=competition, state=BotState.ENTERED)
            .order_by("name")
            .values_list("name", flat=True)
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
    """The progress of a submission; the open page polls `?part=progress` until it is done."""
    found = get_submission(request.user, pk)
    qualification = list(found.qualifications.prefetch_related(SEATS).order_by("-pk")[:1])
    first = _first_rated(found)
    wait = usage.wait_of(found.bot) if found.state in PENDING else None
    place = _place(found, qualification, first) if wait is None else None
    stamp = _stamp(found, wait is None, place, *qualification, *([first] if first else []))
    part = request.GET.get("part") == "progress"
    if part and request.GET.get("seen") == stamp:
        return HttpResponse(status=204)  # nothing new: the open page stays as it is
    context = {
        "submission": found,
        "competition": found.bot.competition,
        "steps": _steps(found),
        "live": found.state in PENDING or (found.state == State.ACTIVE and not (first and first.finished_at)),
        "stamp": stamp,
        "qualification": qualification,
        "stderr": _stderr(found, qualification),
        "advice": advice.of_rejection(found, qualification[0] if qualification else None),
        "first_match": first,
        "voids": counted(Submission.objects.filter(pk=found.pk)).get().voids,
        "may_compare": found.bot.owner_id == request.user.pk
        and found.state in (State.ACTIVE, State.REPLACED),
        "may_remove": access.may_remove(request.user, found),
        "wait": wait,
        "awaits_first_win": _awaits_first_win(request.user, found.bot),
        "place": place,
    }
    return render(request, "bots/progress.html" if part else "bots/submission.html", context)


def _place(found: Submission, qualification: list[Match], first: Match | None) -> Place | None:
    """Where it waits: for its build, its qualification, or its first rated match."""
    if found.state in PENDING:
        return waiting.of_submission(found, qualification)
    return waiting.of_match(first) if first and found.state == State.ACTIVE else None


def _stamp(found: Submission, may_go_on: bool, place: Place | None, *matches: Match) -> str:
    """A digest of what the page shows: it changes whenever the page would."""
    facts = (
        found.state,
        found.attempt,
        str(found.reason),
        may_go_on,
        place and place.stamp,
        *((each.pk, each.state) for each in matches),
    )
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


def _steps(found: Submission) -> list[dict[str, object]]:
    """The five states on the way, each done, now, failed, or ahead."""
    if found.state in COMPETED:
        reached = len(STEPS)
    elif found.state in FAILED:
        reached = STEPS.index(State.QUALIFYING if found.artifact_digest else State.BUILDING)
    else:
        reached = STEPS.index(State(found.state))
    current = "failed" if found.state in FAILED else "now"
    steps = []
    for place, state in enumerate(STEPS):
        progress = "done" if place < reached else current if place == reached else "ahead"
        steps.append({"label": state.label, "progress": progress, "when": _when(found, state)})
    return steps


def _stderr(found: Submission, qualification: list[Match]) -> list[transcript.StderrView]:
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
    """Download the source as it was uploaded; pasted source as the file it became."""
    found = get_submission(request.user, pk)
    if not found.source:  # erased
        raise Http404
    if found.pasted:
        ((name, data),) = source_files(found)
        return download(data, name)
    with found.source.open("rb") as file:
        return download(file.read(), found.filename)


@require_safe
def bot(request: HttpRequest, pk: int) -> HttpResponse:
    found = get_bot(pk)
    versions = list(counted(found.submissions.select_related("rated__rating").order_by("-number")))
    private = any(may_see_private(request.user, version) for version in versions[:1])
    if not private:
        versions = [each for each in versions if each.state in COMPETED]
    row = table.row_of(versions)
    context = {
        "bot": found,
        "competition": found.competition,
        "versions": _with_gains(versions),
        "newest": next(iter(versions), None),
        "pending": PENDING,
        "private": private,
        "own": request.user == found.owner,
        "awaits_first_win": _awaits_first_win(request.user, found),
        "motto": mottos(found.competition.game).get(found.name, "") if found.house else "",
        "acts": access.acts(request.user, found),
        "row": row,
        **_above(found, row),
        **_stop(found),
        **_why(found, [each for each in versions if each.state in COMPETED and hasattr(each, "rated")]),
        "wait": usage.wait_of(found) if found.competition.is_open else None,
        "matches": list(_of_bot(found.pk).prefetch_related(SEATS)[:RECENT]),
    }
    return render(request, "bots/bot.html", context)


def _awaits_first_win(user: User | AnonymousUser, found: Bot) -> bool:
    return user == found.owner and not found.house and found.first_win_shown is None


def _with_gains(versions: list[Submission]) -> list[tuple[Submission, int | None]]:
    """Each version, the newest first, and how many points it gained on the last rated one before it."""
    rated = [each for each in versions if hasattr(each, "rated") and each.rated.rating.played]
    gains = {
        newer.pk: round(newer.rated.rating.rating) - round(older.rated.rating.rating)
        for newer, older in pairwise(rated)
    }
    return [(each, gains.get(each.pk)) for each in versions]


def _why(found: Bot, competed: list[Submission]) -> dict[str, object]:
    """What the newest of these versions, which have a rating, loses by."""
    if not competed:
        return {}
    version = Version(competed[0], insight(competed[0]))
    return {
        "curve": rating_curve(found, competed),
        "latest": version,
        "weaknesses": weaknesses(version, names_of([version])),
        "watch": matches_to_watch(version),
    }


def _above(found: Bot, row: table.Row | None) -> dict[str, object]:
    """Whom to overtake next, and by how many points it is better."""
    above = table.above(found.competition, row) if row and row.known else None
    return {"above": above, "gap": above.points - row.points} if above and row else {}


def _stop(found: Bot) -> dict[str, object]:
    """The rule by which a bot was stopped, and the matches that are the evidence."""
    if found.state != BotState.STOPPED or found.reason.kind != reasons.VOIDS:
        return {}
    evidence = visible(AnonymousUser()).filter(pk__in=found.reason.matches[:EVIDENCE])
    shown = list(evidence.prefetch_related(SEATS).order_by("-pk"))
    return {"evidence": shown, "rule": rule, "latest": LATEST_MATCHES}


def _of_bot(bot_id: int) -> QuerySet[Match]:
    """The matches of a bot, without withdrawn ones and those in which it is secret who plays."""
    released = visible(AnonymousUser())
    theirs = Seat.objects.filter(submission__bot=bot_id).values("match")
    played = without_secret(released.filter(pk__in=theirs))
    return played.exclude(state=Match.State.WITHDRAWN).order_by("-pk")
