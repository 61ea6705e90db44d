"""Tournaments of Honest RPS whose matches are run again."""

from collections.abc import Sequence

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.matches import leases
from agon.site.tournaments import reruns
from agon.site.tournaments.models import Rerun, Tournament
from agon.site.tournaments.reruns import Choice
from agon.site.tournaments.standings import current_standings
from tests.support.factories import duel

NAMES = ["a", "b", "c"]


def play(order: Sequence[str], limit: int = 1000) -> None:
    """Play what waits, at most `limit` matches: the bot first in `order` wins."""
    while limit and (match := leases.claim("w")) is not None:
        leases.finish(match, duel(match, order))
        limit -= 1


def ranks(cup: Tournament) -> dict[str, int | None]:
    return {row.bot: row.rank for row in current_standings(cup)}


def begun(cup: Tournament, boss: User, **choice: object) -> Rerun:
    """A rerun of the matches with these fields of a Choice."""
    return reruns.begin(cup, Choice(**choice), boss, "the worker was broken")


def bots_of(cup: Tournament) -> list[Bot]:
    return [entrant.bot for entrant in cup.entrants.select_related("bot")]
