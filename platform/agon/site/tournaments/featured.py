"""Chooses the match that the home page plays. Open competitions take turns."""

import time
from typing import NamedTuple

from agon.site.competitions.models import Competition
from agon.site.core.cached import cached
from agon.site.tournaments import worth_watching
from games.core.manifest import file_of

FRESH = 30.0  # seconds
TURN = 300.0  # seconds of a competition's turn
MOST_TRIES = 5  # competitions to search


class Featured(NamedTuple):
    """The match to show, and how.

    game: the slug. competition, address: its title and URL. names: of the bots, by seat.
    """

    match: int
    game: str
    competition: str
    address: str
    names: tuple[str, ...]


def featured() -> Featured | None:
    """The match to show: the same for all readers for FRESH seconds. None if there is none."""
    return cached("featured-match", lambda: _featured(time.time()), FRESH)


def in_turn(now: float) -> list[Competition]:
    """The open competitions whose matches can be shown; the one whose turn it is comes first.

    now: seconds since the epoch.
    """
    open_competitions = Competition.objects.filter(state=Competition.State.OPEN).order_by("pk")
    shown = [
        competition
        for competition in open_competitions
        if not competition.suspended and file_of(competition.game, "viewer.js")
    ]
    first = int(now // TURN) % max(1, len(shown))
    return (shown[first:] + shown[:first])[:MOST_TRIES]


def _featured(now: float) -> Featured | None:
    return next((featured for competition in in_turn(now) if (featured := _featured_of(competition))), None)


def _featured_of(competition: Competition) -> Featured | None:
    best = worth_watching.choose(worth_watching.of_competition(competition))
    if best is None:
        return None
    address = competition.get_absolute_url()
    return Featured(best.match, competition.game, competition.title, address, best.names)
