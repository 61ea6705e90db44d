"""Chooses the match that the home page plays. Open competitions take turns.

It is a rated match without faults that one bot won alone: an upset of the last hour if there is one, else the
newest one with a bot of a user, else the newest of all. It must not be long, since its replay is part of the
first page that most people see.
"""

import time
from collections.abc import Sequence
from typing import NamedTuple

from agon.site.competitions.models import Competition
from agon.site.core.cached import cached
from agon.site.matches.models import Fault, Match, Seat
from agon.site.matches.states import State
from agon.site.tournaments import happening
from games.core.manifest import file_of

FRESH = 30.0  # seconds
TURN = 300.0  # seconds of a competition's turn
MOST_TRIES = 5  # competitions to search
LATEST_MATCHES = 50  # matches to consider in each
STEPS = (4, 600)  # of the match, at least and at most


class Featured(NamedTuple):
    """The match to show, and how.

    game: the slug. competition, address: its title and URL. names: of the bots, by seat.
    """

    match: int
    game: str
    competition: str
    address: str
    names: list[str]


def featured() -> Featured | None:
    """The match to show: the same for all readers for FRESH seconds. None if there is none."""
    return cached("featured-match", lambda: _featured(time.time()), FRESH)


def _featured(now: float) -> Featured | None:
    open_competitions = Competition.objects.filter(state=Competition.State.OPEN).order_by("pk")
    shown = [each for each in open_competitions if not each.suspended and file_of(each.game, "viewer.js")]
    first = int(now // TURN) % max(1, len(shown))
    in_turn = (shown[first:] + shown[:first])[:MOST_TRIES]
    return next((found for each in in_turn if (found := _featured_of(each))), None)


def _featured_of(competition: Competition) -> Featured | None:
    played = Match.objects.filter(
        competition=competition, kind=Match.Kind.LADDER, state=State.FINISHED, steps__range=STEPS
    )
    latest = list(played.order_by("-pk").values_list("pk", flat=True)[:LATEST_MATCHES])
    won = Seat.objects.filter(match__in=latest, won=True).values_list("match", flat=True)
    faulty = Fault.objects.filter(seat__match__in=latest).values_list("seat__match", flat=True)
    best = _best(sorted(set(won) - set(faulty), reverse=True))
    if best is None:
        return None
    names = Seat.objects.filter(match=best).order_by("number").values_list("name", flat=True)
    address = competition.get_absolute_url()
    return Featured(best, competition.game, competition.title, address, list(names))


def _best(matches: Sequence[int]) -> int | None:
    """The match to show of these, if any."""
    upsets = {upset.match for upset in happening.upsets()}
    user_seats = Seat.objects.filter(match__in=matches, submission__bot__house=False)
    with_user_bots = set(user_seats.values_list("match", flat=True))
    return max(matches, key=lambda pk: (pk in upsets, pk in with_user_bots, pk), default=None)
