"""The match that plays on the home page: one of each open competition in turn.

It is a rated match that a bot won alone, with no fault of anyone: an upset of the last hour if there is one,
else the newest in which somebody's own bot plays, else the newest of all. Its replay must be light: it is
part of the first page that most people see.
"""

import time
from collections.abc import Sequence
from typing import NamedTuple

from agon.recent import recent
from competitions.models import Competition
from games.core.manifest import file_of
from matches.models import Fault, Match, Seat
from matches.states import State
from tournaments import happening

FRESH = 30.0  # seconds
TURN = 300.0  # seconds for which it is a competition's turn
MOST_TRIES = 5  # competitions that are looked at
LATEST = 50  # matches that are looked at in each
STEPS = (4, 600)  # at least, at most


class Featured(NamedTuple):
    """names: of the bots, by seat."""

    match: int
    game: str
    competition: str
    address: str
    names: list[str]


def featured() -> Featured | None:
    """The same for all readers for a while; None if there is no such match."""
    return recent("featured-match", lambda: _featured(time.time()), FRESH)


def _featured(now: float) -> Featured | None:
    there = Competition.objects.filter(state=Competition.State.OPEN).order_by("pk")
    shown = [each for each in there if not each.suspended and file_of(each.game, "viewer.js")]
    first = int(now // TURN) % max(1, len(shown))
    in_turn = (shown[first:] + shown[:first])[:MOST_TRIES]
    return next((found for each in in_turn if (found := _of(each))), None)


def _of(competition: Competition) -> Featured | None:
    played = Match.objects.filter(
        competition=competition, kind=Match.Kind.LADDER, state=State.FINISHED, steps__range=STEPS
    )
    latest = list(played.order_by("-pk").values_list("pk", flat=True)[:LATEST])
    won = Seat.objects.filter(match__in=latest, won=True).values_list("match", flat=True)
    faulty = Fault.objects.filter(seat__match__in=latest).values_list("seat__match", flat=True)
    best = _best(sorted(set(won) - set(faulty), reverse=True))
    if best is None:
        return None
    names = Seat.objects.filter(match=best).order_by("number").values_list("name", flat=True)
    address = competition.get_absolute_url()
    return Featured(best, competition.game, competition.title, address, list(names))


def _best(matches: Sequence[int]) -> int | None:
    """matches: the newest first."""
    upsets = {upset.match for upset in happening.upsets()}
    own = Seat.objects.filter(match__in=matches, submission__bot__house=False)
    peoples = set(own.values_list("match", flat=True))
    return max(matches, key=lambda pk: (pk in upsets, pk in peoples, pk), default=None)
