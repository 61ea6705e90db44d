"""The page of notices, and the badge of a bot's rank for pages elsewhere."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from agon.site.bots.access import get_bot
from agon.site.bots.models import Bot, Submission
from agon.site.events import notices as notices_of
from agon.site.events.models import Event, Kind
from agon.site.leaderboards import table
from agon.site.tournaments.models import Tournament
from agon.site.web.core.paging import Page
from agon.site.web.core.requests import SignedInRequest

NOTICES = 40  # on a page
BADGE_SECONDS = 300
CHARACTER = 6.6  # pixels, of the badge's font
PADDING = 10


class Notice(NamedTuple):
    """An event in words. href: the page of what it concerns; "" if it is gone."""

    event: Event
    text: str
    href: str
    is_new: bool


@never_cache
@require_safe
@login_required
def notices(request: SignedInRequest) -> HttpResponse:
    """What concerns the reader's bots, the newest first. What is shown is read."""
    page = Page(notices_of.of_account(request.user), NOTICES, request.GET.get("page"))
    seen = notices_of.read_until(request.user)
    shown = _in_words(page.items, seen)
    if request.method == "GET":
        notices_of.mark_read(request.user, page.items)
    return render(request, "events/notices.html", {"page": page, "notices": shown})


def _in_words(events: Sequence[Event], seen: int) -> list[Notice]:
    """Two queries for all of them."""
    versions = Submission.objects.select_related("bot").in_bulk(_ids(events, "submission"))
    cups = Tournament.objects.in_bulk(_ids(events, "tournament"))
    bots = Bot.objects.in_bulk(_ids(events, "bot"))
    found = []
    for event in events:
        concerned: Any = (
            versions.get(event.data.get("submission"))
            or cups.get(event.data.get("tournament"))
            or bots.get(event.data.get("bot"))
        )
        if concerned is not None:
            is_new = event.number is None or event.number > seen
            found.append(Notice(event, _text(event, concerned), concerned.get_absolute_url(), is_new))
    return found


def _ids(events: Sequence[Event], name: str) -> set[int]:
    return {event.data[name] for event in events if name in event.data}


def _text(event: Event, concerned: Any) -> str:
    match event.kind:
        case Kind.VERSION_ACTIVE:
            words = _("Version %(number)d of %(bot)s has qualified and plays.")
            return words % {"number": concerned.number, "bot": concerned.bot.name}
        case Kind.VERSION_REJECTED:
            words = _("Version %(number)d of %(bot)s was rejected.")
            return words % {"number": concerned.number, "bot": concerned.bot.name}
        case Kind.TOURNAMENT_FINISHED:
            return _("The tournament %(name)s is over.") % {"name": concerned.name}
        case _:
            return _("%(bot)s was stopped.") % {"bot": concerned.name}


@require_safe
def badge(request: HttpRequest, pk: int) -> HttpResponse:
    """A picture with a bot's rank, for a README. Anyone may show it."""
    bot = get_bot(request.user, pk)
    row = next(iter(table.rows_of([bot])), None)
    value = _("rank %(rank)s") % {"rank": row.rank} if row and row.best else _("unranked")
    widths = [round(len(text) * CHARACTER) + PADDING for text in (bot.name, value)]
    context = {"name": bot.name, "value": value, "left": widths[0], "width": sum(widths)}
    context |= {"middle": widths[0] / 2, "right": widths[0] + widths[1] / 2}
    svg = render_to_string("events/badge.svg", context)
    headers = {"Cache-Control": f"public, max-age={BADGE_SECONDS}", "Access-Control-Allow-Origin": "*"}
    return HttpResponse(svg, content_type="image/svg+xml", headers=headers)
