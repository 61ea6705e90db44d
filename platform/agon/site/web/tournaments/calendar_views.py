"""Calendar files of a tournament and of a competition, to import or to subscribe to.

They hold what everyone may see, no matter who asks: calendar programs do not sign in.
"""

from collections.abc import Iterable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from agon.site.competitions.models import Competition
from agon.site.tournaments import dates
from agon.site.tournaments.dates import Date, What
from agon.site.web.core.downloads import download
from agon.site.web.core.icalendar import CONTENT_TYPE, Entry, calendar


@require_safe
def of_tournament(request: HttpRequest, pk: int) -> HttpResponse:
    """The start, and until when bots can be entered. 404 for drafts that are not announced to everyone."""
    tournament = get_object_or_404(dates.public_tournaments(), pk=pk)
    name = f"{slugify(tournament.name) or 'tournament'}-{tournament.pk}"
    return _file(f"{tournament.name} · {tournament.competition.title}", name, dates.of_tournament(tournament))


@require_safe
def of_competition(request: HttpRequest, slug: str) -> HttpResponse:
    """All dates of the competition that are known."""
    competition = get_object_or_404(Competition, slug=slug)
    return _file(competition.title, competition.slug, dates.of_competition(competition))


def _file(title: str, name: str, dates: Iterable[Date]) -> HttpResponse:
    return download(calendar(title, map(_entry, dates)), f"{name}.ics", CONTENT_TYPE)


def _entry(date: Date) -> Entry:
    words = {
        What.ENTRY_OPENS: _("Entry opens: %(title)s"),
        What.ENTRY_CLOSES: _("Entry closes: %(title)s"),
        What.TOURNAMENT_ENTRY: _("Last moment to enter: %(title)s"),
        What.TOURNAMENT: _("Tournament: %(title)s"),
    }
    notes = {What.TOURNAMENT_ENTRY: _("The active versions of its entrants are frozen when it starts.")}
    return Entry(
        uid=f"{date.key}@{urlsplit(settings.SITE_URL).hostname}",
        title=words[date.what] % {"title": date.title},
        start=date.at,
        end=date.until,
        changed=date.changed,
        sequence=date.changes,
        description=notes.get(date.what, ""),
        url=settings.SITE_URL + date.path,
        cancelled=date.cancelled,
    )
