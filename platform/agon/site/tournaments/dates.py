"""The dates of a competition that everyone may know: its entry window, and when its tournaments start.

Nothing of drafts that only organizers see is among them, and no result.
"""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Max, Q, QuerySet

from agon.site.audit.models import Act
from agon.site.audit.verbs import Verb
from agon.site.competitions.models import Competition
from agon.site.tournaments import rights
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.states import State

MOST_TOURNAMENTS = 500  # tournaments of a competition, the latest ones


class What(StrEnum):
    """What happens at a date."""

    ENTRY_OPENS = "entry-opens"
    ENTRY_CLOSES = "entry-closes"
    TOURNAMENT_ENTRY = "last-entry"  # from then on, versions of its entrants are frozen
    TOURNAMENT = "start"


class Date(NamedTuple):
    """A date.

    key: names it among those of the site, whatever changes. title: of the competition or tournament. until:
    its end, if it has one. changed: when it was changed last. changes: how often. path: of its page.
    """

    what: What
    key: str
    title: str
    at: datetime
    until: datetime | None
    changed: datetime
    changes: int
    path: str
    cancelled: bool = False


def public_tournaments() -> QuerySet[Tournament]:
    """The tournaments that everyone may see and that have a time, the latest first."""
    announced = Q(state__in=(State.DRAFT, State.CANCELLED), starts_at__isnull=False)
    timed = Q(started__isnull=False) | announced
    tournaments = Tournament.objects.filter(rights.visible(AnonymousUser()), timed)
    counted = tournaments.annotate(changed=Max("acts__at"), changes=Count("acts"))
    return counted.select_related("competition").order_by("-pk")


def of_tournament(tournament: Tournament) -> list[Date]:
    """The dates of one of `public_tournaments`."""
    start = tournament.started or tournament.starts_at
    if start is None:
        return []
    closes = tournament.competition.entry_closes
    last_entry = start if closes is None else min(start, closes)
    changed = getattr(tournament, "changed", None) or tournament.created
    changes = getattr(tournament, "changes", 0)
    path, cancelled = tournament.get_absolute_url(), tournament.state == State.CANCELLED
    return [
        Date(
            what,
            f"tournament-{tournament.pk}-{what}",
            tournament.name,
            *when,
            changed,
            changes,
            path,
            cancelled,
        )
        for what, when in (
            (What.TOURNAMENT_ENTRY, (last_entry, None)),
            (What.TOURNAMENT, (start, tournament.finished_at)),
        )
    ]


def of_competition(competition: Competition) -> list[Date]:
    """All dates of a competition that are known, in order."""
    acts = Act.objects.filter(competition=competition, tournament=None, verb=Verb.CHANGE_COMPETITION)
    changed = acts.aggregate(last=Max("at"))["last"] or competition.created
    changes, path = acts.count(), competition.get_absolute_url()
    window: Iterable[tuple[What, datetime | None]] = (
        (What.ENTRY_OPENS, competition.entry_opens),
        (What.ENTRY_CLOSES, competition.entry_closes),
    )
    dates = [
        Date(
            what, f"competition-{competition.pk}-{what}", competition.title, at, None, changed, changes, path
        )
        for what, at in window
        if at is not None
    ]
    for tournament in public_tournaments().filter(competition=competition)[:MOST_TOURNAMENTS]:
        dates += of_tournament(tournament)
    return sorted(dates, key=lambda date: date.at)
