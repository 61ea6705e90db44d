"""The results of a tournament that are held back, as they are revealed: what everyone sees, and what is next.

Which place is reached is in the tournament's row (`revealed`), so that every screen, also one that was
reloaded, goes on at the same place. What everyone sees depends on nothing that is not revealed.
"""

from dataclasses import dataclass
from typing import NamedTuple

from agon.contest import revealing
from agon.contest.standings import StandingsRow
from agon.site.bots.models import Bot
from agon.site.competitions.prizes import Prize
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.running import prizes_to_come
from agon.site.tournaments.standings import recent_standings
from agon.site.tournaments.states import State


class Placed(NamedTuple):
    """prizes: of the competition, if this tournament awards them."""

    row: StandingsRow
    bot: Bot
    prizes: tuple[Prize, ...]


@dataclass(frozen=True)
class Revealed:
    """What everyone sees at a step.

    newest: the places of the step, best first. before: those of the steps before, best first. hidden: how
    many places are not seen yet. step, steps: the number of the step, from 1, and how many were made; 0
    before the first.
    """

    newest: list[Placed]
    before: list[Placed]
    hidden: int
    step: int
    steps: int


@dataclass(frozen=True)
class Upcoming:
    """What is revealed next, and after that, for the presenter; empty lists at the end."""

    next: list[Placed]
    then: list[Placed]


def is_over(tournament: Tournament) -> bool:
    """Whether its places can be revealed."""
    return tournament.state == State.FINISHED


def revealed(tournament: Tournament, at: int | None = None) -> Revealed:
    """What everyone sees now, or at the earlier step `at`."""
    table = _table(tournament)
    shown = _shown(tournament, table)
    made = [
        revealed for revealed in revealing.steps([placed.row.rank for placed in table]) if revealed <= shown
    ]
    if shown and shown not in made:  # results that were changed meanwhile may share places anew
        made.append(shown)
    step = len(made) if at is None else min(max(at, 1), len(made)) if made else 0
    if not step:
        return Revealed([], [], len(tournament.ratings) if is_over(tournament) else 0, 0, 0)
    reached, before = made[step - 1], made[step - 2] if step > 1 else 0
    first, last = len(table) - reached, len(table) - before
    return Revealed(table[first:last], table[last:], len(table) - reached, step, len(made))


def upcoming(tournament: Tournament) -> Upcoming:
    """What is next, for those who run the tournament alone."""
    table = _table(tournament)
    ranks = [placed.row.rank for placed in table]
    shown = _shown(tournament, table)
    following = revealing.next_step(ranks, shown)
    if following is None:
        return Upcoming([], [])
    after = revealing.next_step(ranks, following)
    end = len(table) - following
    return Upcoming(table[end : len(table) - shown], [] if after is None else table[len(table) - after : end])


def stamp(tournament: Tournament) -> str:
    """A text that changes whenever what everyone sees may have changed."""
    last = tournament.acts.order_by("-pk").values_list("pk", flat=True).first()
    return f"{tournament.state}-{tournament.release}-{tournament.revealed}-{last}"


def _shown(tournament: Tournament, table: list[Placed]) -> int:
    if tournament.release == Tournament.Release.PUBLIC:
        return len(table)
    return min(tournament.revealed, len(table))


def _table(tournament: Tournament) -> list[Placed]:
    """Best first; empty before the end."""
    if not is_over(tournament):
        return []
    bots = [entrant.bot for entrant in tournament.entrants.select_related("bot__owner")]
    rows = recent_standings(tournament)
    won = prizes_to_come(tournament, rows, {number for number, bot in enumerate(bots) if bot.house})
    return [Placed(row, bots[row.entrant], won.get(row.entrant, ())) for row in rows]
