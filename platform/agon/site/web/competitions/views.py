"""The home page, and the rules of a competition's game with its starter bots."""

from collections.abc import Iterable
from functools import partial
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from agon.site.accounts.models import User
from agon.site.bots import access, languages
from agon.site.bots.models import Bot
from agon.site.bots.packing import packed
from agon.site.competitions.lists import listed
from agon.site.competitions.models import Competition
from agon.site.core.cached import cached
from agon.site.events.announced import recently_announced_to
from agon.site.leaderboards import table
from agon.site.leaderboards.own_bots import own_bots
from agon.site.matches import played
from agon.site.tournaments import happening
from agon.site.tournaments.featured import featured
from agon.site.trials.starting_code import easiest
from agon.site.web.competitions.rules import rules_of
from agon.site.web.competitions.starter_kit import kit, starter_of
from agon.site.web.core.downloads import download
from agon.site.web.core.markdown import render as render_markdown
from agon.site.web.core.paging import whole_number
from agon.site.web.tournaments.forms import original_contest
from games.core.comments import with_comments
from games.core.manifest import OwnBot, starters

SHOWN = 3  # best bots on a card
OWN = 5  # of the reader's own bots
ANNOUNCED = 3  # announcements for the reader
CARDS = 24  # competitions on a page
FRESH = 2.0  # seconds for which all readers get the same cards
FIRST = 10.0  # seconds for which newcomers are sent to the same competition


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What is on now, and the competitions as cards with their best bots; open pages poll `?part=cards`.

    Those that are archived are shown alone, with `?archived=true`.
    """
    archived = request.GET.get("archived") == "true"
    pages = max(1, -(-listed(archived).count() // CARDS))
    page = min(max(whole_number(request.GET.get("page"), 1), 1), pages)
    # The same for all readers, and rendered once for all of them.
    name = f"cards-{get_language()}-{'archived-' * archived}{page}-{pages}"
    cards = cached(name, partial(_cards, page, pages, archived), FRESH)
    if request.GET.get("part") == "cards":
        return HttpResponse(cards)
    context: dict[str, Any] = {
        "cards": mark_safe(cards),
        "page": page,
        "archived": archived,
        "featured": featured(),
    }
    if request.user.is_authenticated:
        context["announcements"] = recently_announced_to(request.user, ANNOUNCED)
        context["own_bots"] = own_bots(request.user, OWN)
    if _is_newcomer(request.user):
        context["first"] = cached("first-competition", _first, FIRST)
    return render(request, "competitions/home.html", context)


def _cards(page: int, pages: int, archived: bool) -> str:
    """The HTML of a page of cards. Open competitions come before closed ones."""
    shown = listed(archived).order_by("-state", "title")[(page - 1) * CARDS : page * CARDS]
    competitions = list(shown)
    best = table.best(competitions, SHOWN)
    bots = cached("bots", partial(_counts, Bot.objects.filter(active__isnull=False)))
    finished = cached("played", played.by_competition)
    cards = [
        {
            "competition": competition,
            "best": best.get(competition.pk, []),
            "bots": bots.get(competition.pk, 0),
            "played": finished.get(competition.pk, 0),
        }
        for competition in competitions
    ]
    context = {
        "cards": cards,
        "page": page,
        "pages": pages,
        "archived": archived,
        "some_are_archived": not archived and listed(archived=True).exists(),
    }
    if not archived:
        context |= {
            "running": happening.running(),
            "upcoming": happening.upcoming(),
            "live": happening.live(),
            "upsets": happening.upsets(),
            "newest": happening.newest(),
        }
    return str(render_to_string("competitions/cards.html", context))


def _first() -> Competition | None:
    return easiest(list(listed().order_by("-state", "title")))


def _is_newcomer(user: User | AnonymousUser) -> bool:
    """Whether this visitor has no bot, as far as we know."""
    return not user.is_authenticated or not access.own_bots(user).exists()


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
        "original": original_contest(info),
        "text": render_markdown(competition.text, below=2).html if competition.text else "",
    }
    return render(request, "competitions/rules.html", context)


def _by_language(bots: Iterable[OwnBot]) -> list[dict[str, Any]]:
    """Starter bots grouped by language in the manifest's order; languages offered here come first."""
    here = {language.slug for language in languages.offered()}
    groups: dict[str, list[OwnBot]] = {}
    for bot in bots:
        groups.setdefault(bot.language, []).append(bot)
    rows = [{"language": slug, "offered": slug in here, "bots": group} for slug, group in groups.items()]
    return sorted(rows, key=lambda group: not group["offered"])


@require_safe
def starter(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Download a starter bot: its file, with comments in the reader's language, or its folder as a zip."""
    path = starter_of(get_object_or_404(Competition, slug=slug).info, name).path
    filename, data = packed(path)
    return download(with_comments(path, get_language() or "").encode() if path.is_file() else data, filename)


@require_safe
def starter_kit(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Download a starter bot with the rules, and with what programs that write bots have to know."""
    competition = get_object_or_404(Competition, slug=slug)
    filename, data = kit(competition, starter_of(competition.info, name))
    return download(data, filename, "application/zip")
