"""The standings of a tournament, from the results in the database."""

from fractions import Fraction

from agon import standings as rules
from agon.archive import disqualifying
from games.core.record import Fault
from matches.states import State
from tournaments.models import Tournament


def standings(tournament: Tournament) -> tuple[rules.Row, ...]:
    """The table as it is now, best first; row.entrant is the entrant's number, in order of entry."""
    entrants = list(tournament.entrants.select_related("bot"))
    number = {entrant.submission_id: entrant.number for entrant in entrants}
    finished = tournament.matches.filter(state=State.FINISHED).order_by("index")
    results = []
    for match in finished.prefetch_related("seats__faults").iterator(chunk_size=500):
        seats = list(match.seats.all())
        results.append(
            rules.Result(
                seats=tuple(number[seat.submission_id] for seat in seats),
                scores=tuple(Fraction(seat.score) for seat in seats),
                ranks=tuple(seat.rank for seat in seats),
                faults=tuple(
                    Fault(seat.number, fault.kind, fault.turn, fault.reason)
                    for seat in seats
                    for fault in seat.faults.all()
                ),
            )
        )
    return rules.standings(
        [entrant.bot.name for entrant in entrants],
        results,
        tournament.competition.info.tournament.points,
        disqualifying(tournament.competition.game),
    )
