"""Acts on a tournament, other than starting and stopping it: each is a form on its page.

Those of organizers, and the entries of owners in a draft that opens sources.
"""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from agon.site.bots.models import Bot
from agon.site.tournaments import entering, running
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.services import BadTournament
from agon.site.web.core import refused, signed_in
from agon.site.web.core.paging import whole_number
from agon.site.web.core.requests import SignedInRequest
from agon.site.web.tournaments.access import to_organize


def _number(request: SignedInRequest, name: str) -> int:
    return whole_number(request.POST.get(name), -1)


def _entrant(request: SignedInRequest) -> int:
    return _number(request, "entrant")


def _shown(request: SignedInRequest) -> int | None:
    return _number(request, "shown") if "shown" in request.POST else None


def _reason(request: SignedInRequest) -> str:
    return request.POST.get("reason", "").strip()


ACTS: dict[str, Callable[[Tournament, SignedInRequest], None]] = {
    "withdraw": lambda cup, post: running.withdraw(cup, _entrant(post), post.user, _reason(post)),
    "disqualify": lambda cup, post: running.disqualify(cup, _entrant(post), post.user, _reason(post)),
    "reinstate": lambda cup, post: running.reinstate(cup, _entrant(post), post.user, _reason(post)),
    "release": lambda cup, post: running.release(cup, post.POST.get("stage", ""), post.user, _reason(post)),
    "reveal": lambda cup, post: running.reveal(cup, post.user, _reason(post), _shown(post)),
    "close": lambda cup, post: running.close_sources(cup, post.user, _reason(post)),
    "priority": lambda cup, post: running.set_priority(
        cup, _number(post, "priority"), post.user, _reason(post)
    ),
    "awards": lambda cup, post: running.set_awards(
        cup, post.POST.get("awards") == "yes", post.user, _reason(post)
    ),
    "prize": lambda cup, post: running.set_prize(cup, post.POST.get("prize", ""), post.user, _reason(post)),
}


@signed_in.act
def organize(request: SignedInRequest, pk: int) -> HttpResponse:
    """Carry out one of ACTS. 404 without permission, or for another act."""
    tournament = to_organize(request, pk)
    act = ACTS.get(request.POST.get("act", ""))
    if act is None:
        messages.error(request, _("There is no such act."))
        return redirect(tournament)
    with refused.as_message(request, BadTournament):
        act(tournament, request)
    return redirect(tournament)


ENTRIES = {"enter": entering.enter, "leave": entering.leave}


@signed_in.act
def enter(request: SignedInRequest, pk: int) -> HttpResponse:
    """Enter a bot into a draft that opens sources, or take the entry back. 404 for all other tournaments."""
    tournament = get_object_or_404(Tournament, pk=pk, sources_open=True)
    act = ENTRIES.get(request.POST.get("act", ""))
    bot = Bot.objects.filter(pk=_number(request, "bot")).first()
    if act is None or bot is None:
        messages.error(request, _("There is no such act.") if act is None else _("There is no such bot."))
        return redirect(tournament)
    with refused.as_message(request, BadTournament):
        act(tournament, bot, request.user, _reason(request))
    return redirect(tournament)
