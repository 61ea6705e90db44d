"""Lists what is going on at the site: running and announced tournaments, matches to watch, upsets, new bots.

An upset is a rated match that a bot won alone although another bot in it is rated at least UPSET points
higher: 400 points are odds of ten to one, so 200 points are odds of three to one. Current ratings are
compared; provisional ones do not count.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Exists, OuterRef, Q
from django.utils import timezone

from agon.site.bots.models import Submission
from agon.site.bots.states import COMPETED
from agon.site.bots.states import State as SubmissionState
from agon.site.core.cached import cached
from agon.site.leaderboards.models import PROVISIONAL
from agon.site.matches.models import Match, Seat
from agon.site.matches.states import OVER
from agon.site.tournaments import rights
from agon.site.tournaments.match_access import hidden_from, visible
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.states import State
from games.core.broken import working_games
from games.core.public import is_watchable

SHOWN = 3  # tournaments, matches, and upsets each
UPSET = 200.0  # points
HOUR = timedelta(hours=1)
MOST_MATCHES = 2000  # of the site, the latest ones, among which upsets are sought
FRESH = 5.0  # seconds
LONG = timedelta(seconds=3)  # since the claim, before a match is listed; short ones are over sooner
MOST_LIVE = 50  # running matches that are listed


class Running(NamedTuple):
    """A running tournament. played, planned: its matches that have ended, and all, as its own page says."""

    tournament: Tournament
    played: int
    planned: int


class Live(NamedTuple):
    """A running match that everyone may watch.

    match, competition: ids. title: of the competition. names: of the bots, by seat, in one string, or the
    number of the match while they are secret.
    """

    match: int
    competition: int
    title: str
    names: str


class Upset(NamedTuple):
    """An upset. competition: its title. winner, loser: the bots' names in the match.

    points: by how many the loser's rating exceeds the winner's.
    """

    match: int
    competition: str
    winner: str
    winner_id: int
    loser: str
    loser_id: int
    points: int


class NewBot(NamedTuple):
    """A bot that has qualified. bot: its id. competition: the title."""

    bot: int
    name: str
    author: str
    competition: str
    since: datetime


def running() -> list[Running]:
    """The latest running tournaments that everyone may see."""
    return cached("running-tournaments", _running, FRESH)


def upcoming() -> list[Tournament]:
    """The next tournaments that everyone may see and whose time is announced."""
    now = timezone.now()
    tournaments = cached("upcoming-tournaments", _upcoming, FRESH)
    return [
        tournament
        for tournament in tournaments
        if tournament.starts_at is not None and tournament.starts_at > now
    ]


def live(competition: int | None = None) -> list[Live]:
    """The latest running matches that everyone may watch; of one competition, or of all."""
    lives = cached("live-matches", _live, FRESH)
    return [live for live in lives if competition in (None, live.competition)][:SHOWN]


def upsets() -> list[Upset]:
    """The greatest upsets of the last hour, each pair of bots once."""
    return cached("upsets", _upsets, FRESH)


def newest() -> list[NewBot]:
    """The bots that qualified last with their first version to do so. House bots are no news."""
    return cached("newest-bots", _newest, FRESH)


def _newest() -> list[NewBot]:
    earlier = Submission.objects.filter(
        bot=OuterRef("bot"), number__lt=OuterRef("number"), state__in=COMPETED
    )
    submissions = Submission.objects.filter(
        ~Exists(earlier), state=SubmissionState.ACTIVE, bot__house=False, activated__isnull=False
    )
    latest = submissions.select_related("bot__owner", "bot__competition").order_by("-activated", "-pk")[
        :SHOWN
    ]
    return [
        NewBot(
            submission.bot_id,
            submission.bot.name,
            submission.bot.owner.shown_name,
            submission.bot.competition.title,
            submission.activated,
        )
        for submission in latest
        if submission.activated is not None
    ]


def _running() -> list[Running]:
    tournaments = Tournament.objects.filter(rights.visible(AnonymousUser()), state=State.RUNNING)
    ended = Count("matches", filter=Q(matches__state__in=OVER))
    counted = tournaments.select_related("competition").annotate(played=ended)
    return [
        Running(tournament, tournament.played, tournament.likely_total)
        for tournament in counted.order_by("-pk")[:SHOWN]
    ]


def _upcoming() -> list[Tournament]:
    announced = Tournament.objects.filter(
        rights.visible(AnonymousUser()), state=State.DRAFT, starts_at__gt=timezone.now()
    )
    return list(announced.select_related("competition").order_by("starts_at")[:SHOWN])


def _live() -> list[Live]:
    begun = timezone.now() - LONG
    watchable = [info.slug for info in working_games() if is_watchable(info.slug)]
    # A query of its own: in one query, a database would go through all matches, the newest first.
    now_running = list(Match.objects.filter(state=Match.State.RUNNING).values_list("pk", flat=True))
    running = visible(AnonymousUser()).filter(
        pk__in=now_running, state=Match.State.RUNNING, started__lt=begun, competition__game__in=watchable
    )
    rows = running.select_related("competition").prefetch_related("seats").order_by("-pk")[:MOST_LIVE]
    return [
        Live(
            match.pk,
            match.competition_id,
            match.competition.title,
            str(match) if match.names_are_secret else " – ".join(seat.name for seat in match.seats.all()),
        )
        for match in rows
    ]


def _upsets() -> list[Upset]:
    latest = Match.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    matches = Match.objects.filter(
        pk__gt=latest - MOST_MATCHES,
        kind=Match.Kind.LADDER,
        state=Match.State.FINISHED,
        finished_at__gt=timezone.now() - HOUR,
    ).exclude(hidden_from(AnonymousUser()))
    titles = dict(matches.values_list("pk", "competition__title"))
    # A query of its own: in one query, a database would go through all matches.
    rows = Seat.objects.filter(match__in=list(titles), submission__rated__rating__played__gte=PROVISIONAL)
    fields = ("match_id", "won", "name", "submission__bot", "submission__rated__rating__rating")
    seats_by_match = groupby(rows.order_by("match_id", "number").values_list(*fields), key=itemgetter(0))
    every = (_upset(titles[match], list(seats)) for match, seats in seats_by_match)
    return _greatest(upset for upset in every if upset is not None)


def _upset(title: str, seats: list[tuple[int, bool, str, int, float]]) -> Upset | None:
    """The upset, if the match with these seats was one. A seat: match, won, name, bot, rating."""
    winner = next((seat for seat in seats if seat[1]), None)
    if winner is None:
        return None
    loser = max(seats, key=itemgetter(4))
    points = loser[4] - winner[4]
    if points < UPSET:
        return None
    return Upset(winner[0], title, winner[2], winner[3], loser[2], loser[3], round(points))


def _greatest(upsets: Iterable[Upset]) -> list[Upset]:
    of_pairs: dict[tuple[int, int], Upset] = {}
    for upset in upsets:  # of equally great ones, the latest is kept
        pair = upset.winner_id, upset.loser_id
        if pair not in of_pairs or of_pairs[pair].points <= upset.points:
            of_pairs[pair] = upset
    return sorted(of_pairs.values(), key=lambda upset: -upset.points)[:SHOWN]
