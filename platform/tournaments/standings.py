"""The standings of a tournament, from the results in the database."""

import itertools
import time
from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from functools import cache as remembered

from django.core.cache import cache

from contest import standings as rules
from contest.archive.writer import disqualifying
from contest.points import Result
from games.core.faults import FaultKind
from games.core.record import RecordedFault
from matches.models import Fault, Seat
from matches.states import State as MatchState
from tournaments.models import Tournament

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


def current_standings(tournament: Tournament) -> tuple[rules.StandingsRow, ...]:
    """The current standings, best first; row.entrant is the entrant's number, in order of entry."""
    entrants = list(tournament.entrants.all())
    number = {entrant.submission_id: entrant.number for entrant in entrants}
    return rules.compute_standings(
        [entrant.name for entrant in entrants],
        _results(tournament, number),
        tournament.competition.info.tournament.points,
        disqualifying(tournament.competition.game),
        {entrant.number: entrant.stopped for entrant in entrants if entrant.stopped},
    )


def _results(tournament: Tournament, number: Mapping[int | None, int]) -> list[Result]:
    """The results of finished matches in the order of the schedule; read as bare rows, since there may be
    very many.
    """
    seats = list(
        Seat.objects.filter(match__tournament=tournament, match__state=MatchState.FINISHED)
        .order_by("match__index", "number")
        .values_list("match__index", "submission", "score", "rank")
    )
    faults = _faults(tournament)  # after the seats: those of a match that has just been finished are left out
    exact = remembered(Fraction)
    results = []
    for index, rows in itertools.groupby(seats, key=lambda row: row[0]):
        _, submissions, scores, ranks = zip(*rows, strict=True)
        results.append(
            Result(
                seats=tuple(number[submission] for submission in submissions),
                scores=tuple(map(exact, scores)),
                ranks=ranks,
                faults=tuple(faults.get(index, ())),
            )
        )
    return results


def _faults(tournament: Tournament) -> dict[int, list[RecordedFault]]:
    """The faults, by the index of the match."""
    found = Fault.objects.filter(seat__match__tournament=tournament)
    found = found.order_by("seat__match__index", "seat__number", "pk")
    faults: dict[int, list[RecordedFault]] = defaultdict(list)
    rows = found.values_list("seat__match__index", "seat__number", "kind", "step", "reason")
    for index, seat, kind, step, reason in rows:
        faults[index].append(RecordedFault(seat, FaultKind(kind), step, reason))
    return faults
