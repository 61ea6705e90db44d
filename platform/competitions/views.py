"""The home page, and the rules of a competition's game with its starter bots."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from accounts.models import User
from agon.recent import recent
from agon.web.downloads import download
from bots import languages
from bots.models import Bot
from bots.packing import packed
from competitions.models import Competition
from competitions.rules import rules_of
from games.core.manifest import OwnBot, starters
from leaderboards import table
from leaderboards.own_bots import own_bots
from matches.models import Match
from tournaments import happening
from tournaments.featured import featured
from tournaments.forms import in_words
from trials.starting_code import easiest

SHOWN = 3  # best bots on a card
OWN = 5  # of the reader's own bots
FIRST = 10.0  # seconds for which newcomers are sent to the same competition


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What is on now, and every competition as a card with its best bots; open pages poll `?part=cards`."""
    competitions = list(Competition.objects.order_by("-state", "title"))  # open before closed
    bots = recent("bots", partial(_counts, Bot.objects.filter(active__isnull=False)))
    played = recent("played", partial(_counts, Match.objects.filter(state=Match.State.FINISHED)))
    cards = [
        {
            "competition": competition,
            "best": table.best(competition, SHOWN),
            "bots": bots.get(competition.pk, 0),
            "played": played.get(competition.pk, 0),
        }
        for competition in competitions
    ]
    context: dict[str, Any] = {
        "cards": cards,
        "running": happening.running(),
        "live": happening.live(),
        "upsets": happening.upsets(),
    }
    if request.GET.get("part") == "cards":
        return render(request, "competitions/cards.html", context)
    context["featured"] = featured()
    if request.user.is_authenticated:
        context["own_bots"] = own_bots(request.user, OWN)
    if _is_newcomer(request.user):
        context["first"] = recent("first-competition", partial(easiest, competitions), FIRST)
    return render(request, "competitions/home.html", context)


def _is_newcomer(user: User | AnonymousUser) -> bool:
    """Whether this visitor has no bot, as far as we know."""
    return not user.is_authenticated or not Bot.objects.filter(owner=user).exists()


def _counts(rows: QuerySet[Any]) -> dict[int, int]:
    return dict(rows.values_list("competition").annotate(Count("pk")).order_by())


@require_safe
def rules(request: HttpRequest, slug: str) -> HttpResponse:
    competition = get_object_or_404(Competition, slug=slug)
    info = competition.info
    context = {
        "competition": competition,
        "info": info,
        "rules": rules_of(info, get_language() or ""),
        "starters": _by_language(starters(info)),
        "original": in_words(info.tournament),
    }
    return render(request, "competitions/rules.html", context)


def _by_language(bots: Iterable[OwnBot]) -> list[dict[str, Any]]:
    """Starter bots grouped by language in the manifest's order; languages offered here come first."""
    here = {language.slug for language in languages.offered()}
    groups: dict[str, list[OwnBot]] = {}
    for bot in bots:
        groups.setdefault(bot.language, []).append(bot)
    found = [{"language": slug, "offered": slug in here, "bots": each} for slug, each in groups.items()]
    return sorted(found, key=lambda group: not group["offered"])


@require_safe
def starter(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Download a starter bot: its file, or its folder as a zip."""
    info = get_object_or_404(Competition, slug=slug).info
    found = [bot for bot in starters(info) if bot.name == name]
    if not found:
        raise Http404
    filename, data = packed(found[0].path)
    return download(data, filename)
