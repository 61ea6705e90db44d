"""The editor: a program is written, tried against a house bot, and entered, all on one page."""

from typing import Any

from allauth.core import ratelimit
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from agon.site.accounts.models import User
from agon.site.bots import naming
from agon.site.bots.access import may_see_private, source_files
from agon.site.bots.models import Bot, Submission
from agon.site.bots.services import Refused
from agon.site.bots.states import BotState
from agon.site.competitions.models import Competition
from agon.site.trials import services, visitors
from agon.site.trials.models import Trial
from agon.site.trials.starting_code import starters_of
from agon.site.use_cases import waiting
from agon.site.web.core.paging import whole_number
from agon.site.web.matches.replay_views import replay_of
from agon.site.web.trials import showing
from agon.site.web.trials.forms import EditorForm
from games.core.manifest import file_of


def editor(request: HttpRequest, slug: str) -> HttpResponse:
    """The page, with a starter (`?starter=`), the program of a trial (`?trial=`) or of a version that was
    written here (`?version=`); POST tries what was written.

    Scripts get only the part that shows the trial.
    """
    competition = get_object_or_404(Competition, slug=slug)
    if request.method != "POST":
        return _page(request, competition, EditorForm(competition, initial=_initial(request, competition)))
    form = EditorForm(competition, request.POST)
    started = _start(request, competition, form) if form.is_valid() else None
    if not request.headers.get("HX-Request"):
        if started is None:
            return _page(request, competition, form, status=422)
        return redirect(f"{request.path}?{urlencode({'trial': started.token})}#trial")
    if started is None:
        context = {"form": form, "trial": visitors.ongoing(request, competition)}
        return render(request, "trials/refused.html", context, status=422)
    return _part(request, started)


def _start(request: HttpRequest, competition: Competition, form: EditorForm) -> Trial | None:
    data = form.cleaned_data
    visitor = visitors.visitor_of(request)
    try:
        if not ratelimit.consume(request, action="try_program", key=visitor.person):
            raise Refused("", _("That was a lot of tries within a minute. Wait a moment."))
        trial = services.start(visitor, competition, int(data["opponent"]), data["language"], data["text"])
    except Refused as refused:
        form.refuse(refused)
        return None
    visitors.remember(request, visitor)
    return trial


def _initial(request: HttpRequest, competition: Competition) -> dict[str, str]:
    found = _shown_trial(request, competition)
    name = _bot_name(request.user, competition)
    if found is not None:
        opponent = str(found.opponent_id)
        return {"language": found.language, "text": found.text, "opponent": opponent, "name": name}
    version = _own_version(request, competition)
    if version is not None:
        ((_file, data),) = source_files(version)
        return {"language": version.language, "text": data.decode(), "name": version.bot.name}
    starters = starters_of(competition.info) if competition.is_open else []
    wanted = request.GET.get("starter")
    chosen = next((each for each in starters if each.name == wanted), starters[0] if starters else None)
    if chosen is None:
        return {"name": name}
    return {"language": chosen.language, "text": chosen.text, "name": name}


def _bot_name(user: User | AnonymousUser, competition: Competition) -> str:
    """The name of the author's newest bot, or one proposed for their first; "" if they are not signed in."""
    if not user.is_authenticated:
        return ""
    own = (
        Bot.objects.filter(competition=competition, owner=user, state=BotState.ENTERED)
        .order_by("-pk")
        .first()
    )
    return own.name if own is not None else naming.proposed(competition, user)


def _shown_trial(request: HttpRequest, competition: Competition) -> Trial | None:
    """The trial named by `?trial=`, for a page without scripts; None if the visitor may not see one."""
    found = _visible(request, request.GET.get("trial", ""))
    return found if found is not None and found.competition_id == competition.pk else None


def _own_version(request: HttpRequest, competition: Competition) -> Submission | None:
    """The version named by `?version=`; None if the visitor may not see it, or it was not written here."""
    number = whole_number(request.GET.get("version"), 0)
    written_here = Submission.objects.filter(pasted=True, bot__competition=competition).exclude(source="")
    found = written_here.select_related("bot").filter(pk=number).first()
    return found if found is not None and may_see_private(request.user, found) else None


def _page(
    request: HttpRequest, competition: Competition, form: EditorForm, status: int = 200
) -> HttpResponse:
    found = _shown_trial(request, competition)
    starters = starters_of(competition.info) if competition.is_open else []
    context = {
        "competition": competition,
        "form": form,
        "starters": starters,
        "has_viewer": file_of(competition.game, "viewer.js") is not None,
        **(_trial_context(found) if found is not None else {}),
    }
    return render(request, "trials/editor.html", context, status=status)


@require_safe
def trial(request: HttpRequest, token: str) -> HttpResponse:
    """The state of a trial; the open page polls it with `seen=` until it is over or deleted."""
    is_polled = bool(request.headers.get("HX-Request"))
    found = _visible(request, token)
    if found is None and is_polled:
        return render(request, "trials/gone.html")
    if found is None:
        raise Http404
    place = waiting.of_trial(found)
    shown = request.GET.get("place")
    if request.GET.get("seen") == found.state and shown in (None, place and place.stamp):
        return HttpResponse(status=204)  # nothing new: the open page stays as it is
    if not is_polled:
        page = reverse("editor", args=[found.competition.slug])
        return redirect(f"{page}?{urlencode({'trial': token})}#trial")
    return _part(request, found)


@require_safe
def log(request: HttpRequest, token: str) -> HttpResponse:
    """The data of the replay, as agon.site.web.matches.replay_views.log serves it."""
    found = showing.log_of(_trial(request, token))
    if found is None:
        raise Http404
    return replay_of(request, found)


@require_safe
def debug(request: HttpRequest, token: str) -> HttpResponse:
    """The program's standard error by frame, as agon.site.web.matches.replay_views.debug serves it."""
    found = _trial(request, token)
    log = showing.log_of(found)
    if log is None:
        raise Http404
    return JsonResponse({"pieces": [piece._asdict() for piece in showing.debug_pieces(found, log)]})


def _trial(request: HttpRequest, token: str) -> Trial:
    found = _visible(request, token)
    if found is None:
        raise Http404
    return found


def _visible(request: HttpRequest, token: str) -> Trial | None:
    """The trial with this token, if the visitor may see it.

    A text that is not printable cannot be a token, and some databases reject it.
    """
    with_token = Trial.objects.filter(token=token if token.isprintable() else "")
    found = with_token.select_related("competition").first()
    return found if found is not None and visitors.may_see(request, found) else None


def _part(request: HttpRequest, found: Trial) -> HttpResponse:
    return render(request, "trials/trial.html", _trial_context(found))


def _trial_context(found: Trial) -> dict[str, Any]:
    return {**showing.context(found), "place": waiting.of_trial(found)}
