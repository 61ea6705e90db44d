"""The standings of a tournament, from the results in the database."""

import time
from collections.abc import Mapping
from types import MappingProxyType

from django.core.cache import cache

from contest import standings as rules
from contest.archive.writer import disqualifying
from contest.points import Result
from tournaments import scheduling
from tournaments.models import Tournament
from tournaments.results import results

FRESH = 3.0  # seconds
SHARE = 0.05  # of a processor, at most, for computing standings
LONGEST = 24 * 3600  # seconds for which standings are cached


def recent_standings(tournament: Tournament) -> tuple[rules.StandingsRow, ...]:
    """The standings of a moment ago, for pages that anyone may open and that ask repeatedly.

    They are summed over all results. The longer that takes, the less often it is done, and by one process at
    a time, while others show the previous standings. Those of a finished tournament do not change.
    """
    key = cache_key(tournament)
    rows: tuple[rules.StandingsRow, ...] | None
    rows, fresh_until = cache.get(key, (None, 0.0))
    if rows is not None and time.time() < fresh_until:
        return rows
    if not cache.add(f"{key}-added-up", True, 60) and rows is not None:
        return rows
    began = time.time()
    rows = current_standings(tournament)
    over = tournament.is_over
    pause = LONGEST if over else max(FRESH, (time.time() - began) / SHARE)
    cache.set(key, (rows, time.time() + pause), LONGEST)
    cache.delete(f"{key}-added-up")
    return rows


def cache_key(tournament: Tournament) -> str:
    return f"standings-{tournament.pk}-{tournament.state}"


def current_standings(
    tournament: Tournament, changed: Mapping[int, Result] = MappingProxyType({})
) -> tuple[rules.StandingsRow, ...]:
    """The current standings, best first; row.entrant is the entrant's number, in order of entry.

    changed: results by index that replace those there are.
    """
    entrants = list(tournament.entrants.all())
    needs_results = tournament.chosen_format.needs_results
    return rules.compute_standings(
        [entrant.name for entrant in entrants],
        (results(tournament) | dict(changed)).values(),
        tournament.competition.info.tournament.points,
        disqualifying(tournament.competition.game),
        {entrant.number: entrant.stopped for entrant in entrants if entrant.stopped},
        scheduling.plan(tournament),
        scheduling.history(tournament, changed) if needs_results else None,
    )
