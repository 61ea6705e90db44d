"""Computes the standings of a tournament in the database, by the rules of agon.contest.standings."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from agon.contest import standings as rules
from agon.contest.points import Result
from agon.contest.tally import Tally, tally_of
from agon.site.tournaments import scheduling, tallies
from agon.site.tournaments.cached import cached
from agon.site.tournaments.game_rules import rules_of
from agon.site.tournaments.models import Tournament
from agon.site.tournaments.results import results
from agon.site.tournaments.states import State


def recent_standings(tournament: Tournament) -> tuple[rules.StandingsRow, ...]:
    """`current_standings`, cached for a moment."""
    return cached(tournament, "standings", lambda: current_standings(tournament))


def shown_standings(tournament: Tournament) -> tuple[rules.StandingsRow, ...]:
    """What the page of a tournament shows: `recent_standings`, or the order by means while it runs."""
    if not is_by_mean_meanwhile(tournament):
        return recent_standings(tournament)
    return cached(tournament, "means", lambda: _standings(tournament, by_mean=True))


def is_by_mean_meanwhile(tournament: Tournament) -> bool:
    """Whether a sum decides in the end, which says little while some have played more than others."""
    by_sum = tournament.chosen_format.rank is None and tournament.format_settings.get("rank_by") != "mean"
    return by_sum and tournament.state in (State.RUNNING, State.PAUSED)


def fallen_entrants(tournament: Tournament, table: Iterable[rules.StandingsRow]) -> set[int]:
    """The numbers of the disqualified entrants whose matches do not count for their opponents either."""
    if tournament.chosen_format.needs_results:
        return set()
    return {row.entrant for row in table if row.disqualified}


def current_standings(
    tournament: Tournament, changed: Mapping[int, Result] = MappingProxyType({})
) -> tuple[rules.StandingsRow, ...]:
    """The standings as of now, best first; row.entrant is the entrant's number, in order of entry.

    changed: results by index that replace those in the database.
    """
    return _standings(tournament, changed)


def _standings(
    tournament: Tournament,
    changed: Mapping[int, Result] = MappingProxyType({}),
    by_mean: bool = False,
) -> tuple[rules.StandingsRow, ...]:
    """by_mean: whatever decides in the end."""
    plan = scheduling.plan(tournament)
    if by_mean:
        plan = replace(plan, settings={**plan.settings, "rank_by": "mean", "ties": "shared"})
    entrants = list(tournament.entrants.all())
    needs_results = tournament.chosen_format.needs_results
    return rules.standings_of(
        [entrant.name for entrant in entrants],
        _tally(tournament, changed),
        {entrant.number: entrant.stopped for entrant in entrants if entrant.stopped},
        plan,
        scheduling.history(tournament, changed) if needs_results else None,
    )


def _tally(tournament: Tournament, changed: Mapping[int, Result]) -> Tally:
    if not changed:
        return tallies.count(tournament).tally
    replaced = results(tournament) | dict(changed)
    in_order = (replaced[index] for index in sorted(replaced))
    return tally_of(in_order, *rules_of(tournament))
