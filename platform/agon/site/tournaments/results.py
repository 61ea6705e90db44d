"""Reads the results of a tournament's matches from the database."""

import itertools
from collections import defaultdict
from fractions import Fraction
from functools import cache

from django.db.models import QuerySet

from agon.contest.points import Result
from agon.site.matches.models import Fault, Seat
from agon.site.matches.states import State as MatchState
from agon.site.tournaments.models import Tournament
from games.core.faults import FaultKind
from games.core.record import RecordedFault


def results(tournament: Tournament, since: int = 0, until: int | None = None) -> dict[int, Result]:
    """The results of finished matches by index, in the order of the schedule.

    since, until: only matches with indexes in this range. There may be very many, so rows are read without
    making model instances.
    """
    played = Seat.objects.filter(match__tournament=tournament, match__index__gte=since)
    return results_of(tournament, played if until is None else played.filter(match__index__lt=until))


def results_of(tournament: Tournament, seats_of_matches: QuerySet[Seat]) -> dict[int, Result]:
    """The same of matches with these seats, which entrants of the tournament take."""
    entrant_numbers = dict(tournament.entrants.values_list("submission", "number"))
    played = seats_of_matches.filter(match__state=MatchState.FINISHED)
    rows = played.order_by("match__index", "number")
    seats = list(rows.values_list("match__index", "match__seed", "submission", "score", "rank"))
    faults = _faults(played)  # after the seats, so that no fault of a match read above is missing
    to_fraction = cache(Fraction)  # few scores differ
    result: dict[int, Result] = {}
    for (index, seed), seated in itertools.groupby(seats, key=lambda row: row[:2]):
        _, _, submissions, scores, ranks = zip(*seated, strict=True)
        result[index] = Result(
            seats=tuple(entrant_numbers[submission] for submission in submissions),
            scores=tuple(map(to_fraction, scores)),
            ranks=ranks,
            faults=tuple(faults.get(index, ())),
            seed=seed,
        )
    return result


def _faults(played: QuerySet[Seat]) -> dict[int, list[RecordedFault]]:
    """The faults in these seats, by the index of the match."""
    faults_of_seats = Fault.objects.filter(seat__in=played).order_by(
        "seat__match__index", "seat__number", "pk"
    )
    faults: dict[int, list[RecordedFault]] = defaultdict(list)
    rows = faults_of_seats.values_list("seat__match__index", "seat__number", "kind", "step", "reason")
    for index, seat, kind, step, reason in rows:
        faults[index].append(RecordedFault(seat, FaultKind(kind), step, reason))
    return faults
