"""The editor: a program is written, tried against other bots, and entered, all on one page."""

from typing import Any, NamedTuple

from allauth.core import ratelimit
from django import forms
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from agon.site.accounts.models import User
from agon.site.bots.refusal import Refused
from agon.site.competitions.models import Competition
from agon.site.trials import services, tables, visitors
from agon.site.trials.models import Trial
from agon.site.trials.tables import Table
from agon.site.use_cases import waiting
from agon.site.use_cases.trying_again import Again
from agon.site.web.matches.replay_views import replay_of
from agon.site.web.trials import batches, opening, showing
from agon.site.web.trials.belonging import Own, own_bot, own_bots
from agon.site.web.trials.forms import EditorForm, SeveralForm
from games.core.manifest import file_of


def editor(request: HttpRequest, slug: str) -> HttpResponse:
    """The page, with what `?bot=`, `?version=`, `?again=`, `?trial=` or `?starter=` names.

    POST tries what was written. Scripts get only the part that shows the trial.
    """
    competition = get_object_or_404(Competition, slug=slug)
    if request.method != "POST":
        return _page(request, competition, opening.opened(request, competition))
    sent = _Sent(
        EditorForm(competition, _user(request), request.POST),
        SeveralForm(competition, _user(request), request.POST) if "several" in request.POST else None,
    )
    own = own_bots(request.user, competition)
    bot = own_bot(own, request.POST.get("bot"))
    started = _start(request, competition, sent, bot) if sent.is_valid() else None
    if not request.headers.get("HX-Request"):
        if started is None:
            again = opening.again(request.user, competition, request.POST.get("again"))
            return _page(request, competition, opening.Opened(own, "", bot, again=again), sent)
        return redirect(f"{request.path}?{urlencode({'trial': started.token})}#trial")
    if started is None:
        context = {"forms": sent.forms, "trial": visitors.ongoing(request, competition)}
        return render(request, "trials/refused.html", context, status=422)
    return _part(request, started, with_batch=True)


class _Sent(NamedTuple):
    """What was sent to be tried. several: None for one match against the chosen opponent."""

    editor: EditorForm
    several: SeveralForm | None

    @property
    def forms(self) -> list[forms.Form]:
        return [form for form in self if form is not None]

    def is_valid(self) -> bool:
        if self.several is not None or "again" in self.editor.data:
            self.editor.fields["opponent"].required = False
        return all([form.is_valid() for form in self.forms])


def _user(request: HttpRequest) -> User | None:
    return request.user if request.user.is_authenticated else None


def _start(request: HttpRequest, competition: Competition, sent: _Sent, bot: Own | None) -> Trial | None:
    data = sent.editor.cleaned_data
    visitor = visitors.visitor_of(request)
    try:
        if not ratelimit.consume(request, action="try_program", key=visitor.person):
            raise Refused("", _("That was a lot of tries within a minute. Wait a moment."))
        again = _again(request, competition)
        trial = services.start(
            visitor,
            competition,
            [again.table] if again else _tables(competition, visitor.owner, sent),
            data["language"],
            data["text"],
            bot.bot if bot is not None else None,
            again.match if again else None,
        )
    except Refused as refused:
        of_program = sent.several is None or refused.field in ("text", "language")
        (sent.editor if of_program else sent.several or sent.editor).refuse(refused)
        return None
    visitors.remember(request, visitor)
    return trial


def _again(request: HttpRequest, competition: Competition) -> Again | None:
    """The match that is to be played again, if the button for that was pressed."""
    key = request.POST.get("again")
    if key is None:
        return None
    again = opening.again(request.user, competition, key)
    if again is None:
        raise Refused("", _("This match cannot be tried again."))
    return again


def _tables(competition: Competition, user: User | None, sent: _Sent) -> list[Table]:
    if sent.several is None:
        (opponent,) = services.chosen(competition, user, [sent.editor.cleaned_data["opponent"]])
        return [tables.one(competition, opponent)]
    several = sent.several.cleaned_data
    submissions = services.chosen(competition, user, several["opponents"])
    return tables.several(competition, submissions, several["number"], several["seat"], several["seed"])


def _page(
    request: HttpRequest, competition: Competition, opened: opening.Opened, sent: _Sent | None = None
) -> HttpResponse:
    """sent: what was sent to be tried, and refused."""
    trial = opened.trial
    several = sent.several if sent is not None else None
    context = {
        "competition": competition,
        "form": sent.editor if sent else EditorForm(competition, _user(request), initial=opened.fields()),
        "several": several or SeveralForm(competition, _user(request), initial=opened.several()),
        "refused_several": several is not None,
        "opened": opened,
        "bot": opened.bot,
        "again": opened.again,
        "who": request.user.pk or "visitor",
        "starters": opening.starters(competition),
        "has_viewer": file_of(competition.game, "viewer.js") is not None,
        **(_trial_context(trial) if trial is not None else {}),
        "batch": batches.of_trial(trial) if trial is not None else None,
    }
    return render(request, "trials/editor.html", context, status=200 if sent is None else 422)


@require_safe
def trial(request: HttpRequest, token: str) -> HttpResponse:
    """The state of a trial; the open page polls it with `seen=` until it is over or deleted."""
    is_polled = bool(request.headers.get("HX-Request"))
    trial = opening.visible(request, token)
    if trial is None and is_polled:
        return render(request, "trials/gone.html")
    if trial is None:
        raise Http404
    place = waiting.of_trial(trial)
    shown = request.GET.get("place")
    if request.GET.get("seen") == trial.state and shown in (None, place and place.stamp):
        return HttpResponse(status=204)  # nothing new: the open page stays as it is
    if not is_polled:
        page = reverse("editor", args=[trial.competition.slug])
        return redirect(f"{page}?{urlencode({'trial': token})}#trial")
    return _part(request, trial)


@require_safe
def batch(request: HttpRequest, token: str) -> HttpResponse:
    """The table of matches that were tried together; open pages poll it with `seen=` until all are over."""
    trial = opening.visible(request, token)
    shown = batches.of_trial(trial) if trial is not None else None
    if shown is not None and request.GET.get("seen") == shown.stamp:
        return HttpResponse(status=204)
    if shown is None and not request.headers.get("HX-Request"):
        raise Http404
    return render(request, "trials/batch.html", {"batch": shown})


@require_safe
def log(request: HttpRequest, token: str) -> HttpResponse:
    """The data of the replay, as agon.site.web.matches.replay_views.log serves it."""
    match_log = showing.log_of(_trial(request, token))
    if match_log is None:
        raise Http404
    return replay_of(request, match_log)


@require_safe
def debug(request: HttpRequest, token: str) -> HttpResponse:
    """The program's standard error by frame, as agon.site.web.matches.replay_views.debug serves it."""
    trial = _trial(request, token)
    log = showing.log_of(trial)
    if log is None:
        raise Http404
    return JsonResponse({"pieces": [piece._asdict() for piece in showing.debug_pieces(trial, log)]})


def _trial(request: HttpRequest, token: str) -> Trial:
    trial = opening.visible(request, token)
    if trial is None:
        raise Http404
    return trial


def _part(request: HttpRequest, trial: Trial, with_batch: bool = False) -> HttpResponse:
    """with_batch: the place of the table changes, too."""
    context = _trial_context(trial)
    if with_batch:
        context |= {"with_batch": True, "batch": batches.of_trial(trial)}
    return render(request, "trials/part.html", context)


def _trial_context(trial: Trial) -> dict[str, Any]:
    return {**showing.context(trial), "place": waiting.of_trial(trial)}
