"""Archives of what was played, streamed from the stored records as they are read; nothing is built in memory.

Records are copied as they were stored: this site wrote them, and what counts of a match is in the database.
Void matches are not in an archive; nothing was played. Archives hold seeds, so they are for what is over.
"""

from collections.abc import Callable, Iterable, Iterator

from django.db.models import QuerySet

from contest.archive.manifest import Header
from contest.archive.writer import ArchivedMatch, stream_zip
from contest.formats import SERIES, Pairing
from games.core.record import SeatInfo
from matches import records, results
from matches.models import Match, Seat
from matches.states import State
from tournaments.models import Tournament
from tournaments.scheduling import pairings


def of_tournament(tournament: Tournament) -> Iterator[bytes]:
    """The bytes of a zip with all finished matches of a tournament that was started and is over."""
    entrants = list(tournament.entrants.select_related("submission"))
    header = Header(
        game=tournament.competition.game,
        format=tournament.format,
        rounds=tournament.rounds,
        seed=tournament.seed,
        salt=tournament.salt,
        commitment=tournament.commitment,
        points=tournament.competition.info.tournament.points,
        seats=tournament.seats,
        entrants=tuple(SeatInfo(each.name, each.frozen.digest) for each in entrants),
        stopped=tuple((each.number, each.stopped) for each in entrants if each.stopped),
    )
    schedule = pairings(tournament)
    finished = tournament.matches.filter(state=State.FINISHED).order_by("index")
    return stream_zip(header, _kept((match, schedule[match.index]) for match in _with_seats(finished)))


def of_match(match: Match, readable: Callable[[Seat], bool]) -> Iterator[bytes]:
    """The bytes of a zip with one finished match: an archive of its own.

    What the bot of a seat wrote to standard error is in it where `readable` says so, else it is empty.
    Raises FileNotFoundError where the record is lost, before anything has been sent.
    """
    [match] = _with_seats(Match.objects.filter(pk=match.pk))
    seats = [SeatInfo(seat.name, seat.submission.digest) for seat in match.seats.all()]
    entrants = tuple(dict.fromkeys(seats))
    header = Header(
        game=match.competition.game,
        format=SERIES,
        rounds=1,
        seed=match.seed,
        commitment=match.commitment,
        points=match.competition.info.tournament.points,
        seats=len(seats),
        entrants=entrants,
    )
    pairing = Pairing(0, 0, 0, tuple(entrants.index(each) for each in seats))
    [kept] = _kept([(match, pairing)], readable)
    return stream_zip(header, [kept])


def _with_seats(matches: QuerySet[Match]) -> Iterator[Match]:
    with_seats = matches.select_related("competition").prefetch_related("seats__submission", "seats__faults")
    return iter(with_seats.iterator(chunk_size=100))


def _kept(
    matches: Iterable[tuple[Match, Pairing]], readable: Callable[[Seat], bool] = lambda seat: True
) -> Iterator[ArchivedMatch]:
    for match, pairing in matches:
        record = records.record_json(match)  # first of all: where there is none nothing counts either
        seats = match.seats.all()
        yield ArchivedMatch(
            pairing=pairing,
            names=tuple(seat.name for seat in seats),
            result=results.counted(match, pairing.seats),
            record=record,
            stderr=tuple(records.stderr(seat) if readable(seat) else b"" for seat in seats),
            files=records.files(match),
        )
