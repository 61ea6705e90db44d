"""Challenging a bot: the choice, the results so far, and the lists of challenges. Anyone may see them."""

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from agon.site.bots.access import get_bot
from agon.site.bots.models import Bot
from agon.site.challenges import progress, queries, services
from agon.site.challenges.models import Challenge
from agon.site.challenges.results import results_of
from agon.site.challenges.services import NotChallenged
from agon.site.competitions.models import Competition
from agon.site.core.db.transitions import IllegalTransition
from agon.site.matches import usage
from agon.site.matches.models import Match
from agon.site.matches.states import State as MatchState
from agon.site.teams.queries import acting_accounts
from agon.site.tournaments.match_access import visible
from agon.site.use_cases import waiting
from agon.site.web.challenges.forms import ChallengeForm
from agon.site.web.core import signed_in
from agon.site.web.core.paging import Page
from agon.site.web.core.requests import SignedInRequest
from agon.site.web.matches import listed

CHALLENGES = 40  # per page of a list


@signed_in.form
def challenge_new(request: SignedInRequest, slug: str) -> HttpResponse:
    """Choose who is challenged (`?bot=`: a bot that is chosen already), and start."""
    competition = get_object_or_404(Competition, slug=slug)
    own = services.challengers(request.user, competition)
    form = _form(request, competition, own) if own else None
    if request.method == "POST" and form is not None and form.is_valid():
        try:
            return redirect(services.start(request.user, *form.wanted))
        except NotChallenged as refused:
            form.refuse(str(refused), refused.field)
    context = {
        "competition": competition,
        "form": form,
        "running": queries.of_owner(request.user).filter(state=Challenge.State.RUNNING),
        "most": services.AT_ONCE,
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "challenges/new.html", context, status=status)


@require_safe
def challenge(request: HttpRequest, pk: int) -> HttpResponse:
    """The page, which polls `?part=challenge` until the challenge is over."""
    challenge = get_object_or_404(queries.shown(), pk=pk)
    results = results_of(challenge)
    at_home = challenge.matches.filter(queue=Match.Queue.HOME).exists()  # these cost no worker time
    wait = usage.wait_of(challenge.challenger.bot, usage.PART_FOR_CHALLENGES)
    wait = None if challenge.is_over or at_home else wait
    seen = f"{challenge.state}-{results.played}-{results.void}{'-waits' if wait else ''}"
    place = waiting.of_matches(_going_on(challenge)) if wait is None else None
    part = request.GET.get("part") == "challenge"
    is_same_place = request.GET.get("place") in (None, place.stamp if place else "")
    if part and request.GET.get("seen") == seen and is_same_place:
        return HttpResponse(status=204)  # nothing new: the open page stays as it is
    readable = visible(request.user).filter(challenge=challenge)
    begun = readable.exclude(state__in=[MatchState.QUEUED, MatchState.WITHDRAWN]).order_by("-index")
    context = {
        "challenge": challenge,
        "competition": challenge.competition,
        "results": results,
        "seen": seen,
        "wait": wait,
        "place": place,
        "rows": listed.rows(list(begun.values_list(*listed.STAMP)), acting_accounts(request.user)),
        "may_cancel": not challenge.is_over and progress.may_cancel(request.user, challenge),
    }
    return render(request, "challenges/part.html" if part else "challenges/challenge.html", context)


@signed_in.act
def challenge_cancel(request: SignedInRequest, pk: int) -> HttpResponse:
    challenge = get_object_or_404(queries.shown(), pk=pk)
    if not progress.may_cancel(request.user, challenge):
        raise Http404
    try:
        progress.cancel(challenge)
    except IllegalTransition:
        messages.info(request, _("The challenge is over."))
    return redirect(challenge)


@signed_in.page
def own_challenges(request: SignedInRequest) -> HttpResponse:
    """The reader's challenges, in all competitions."""
    return render(request, "challenges/own.html", _listed(request, queries.of_owner(request.user)))


@require_safe
def bot_challenges(request: HttpRequest, pk: int) -> HttpResponse:
    """The challenges of a bot: by it, and of it."""
    bot = get_bot(request.user, pk)
    context = _listed(request, queries.of_bot(bot)) | {"bot": bot, "competition": bot.competition}
    return render(request, "challenges/bot.html", context)


def _form(request: SignedInRequest, competition: Competition, own: list[Bot]) -> ChallengeForm:
    data = request.POST if request.method == "POST" else None
    return ChallengeForm(
        data, reader=request.user, competition=competition, own=own, chosen=request.GET.get("bot")
    )


def _listed(request: HttpRequest, challenges: QuerySet[Challenge]) -> dict[str, object]:
    page = Page(challenges, CHALLENGES, request.GET.get("page"))
    return {"page": page, "challenges": page.items}


def _going_on(challenge: Challenge) -> list[Match]:
    going_on = challenge.matches.filter(state__in=[MatchState.QUEUED, MatchState.RUNNING])
    return list(going_on.select_related("competition"))
