"""Archives of what was played, streamed from the stored records as they are read; nothing is built in memory.

Records are copied as they were stored: this site wrote them, and what counts of a match is in the database. A
match whose record is lost is named in the manifest, and counts for nothing there. Void matches are not in an
archive; nothing was played. Archives hold seeds, so they are for what is over.
"""

import logging
from collections.abc import Callable, Iterable, Iterator

from django.db.models import QuerySet

from contest.archive.manifest import Header
from contest.archive.writer import ArchivedMatch, LostMatch, stream_zip
from contest.formats import SERIES, Pairing
from games.core.record import SeatInfo
from matches import records, results
from matches.models import Match, Seat
from matches.states import State
from tournaments.models import Tournament
from tournaments.scheduling import pairings

log = logging.getLogger(__name__)


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
    return stream_zip(
        header, _kept_or_lost((match, schedule[match.index]) for match in _with_seats(finished))
    )


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
    kept = _kept(match, pairing, readable)
    return stream_zip(header, [kept])


def _with_seats(matches: QuerySet[Match]) -> Iterator[Match]:
    with_seats = matches.select_related("competition", "recording").prefetch_related(
        "seats__submission", "seats__faults"
    )
    return iter(with_seats.iterator(chunk_size=25))


def _kept_or_lost(
    matches: Iterable[tuple[Match, Pairing]],
) -> Iterator[ArchivedMatch | LostMatch]:
    for match, pairing in matches:
        try:
            yield _kept(match, pairing, lambda seat: True)
        except FileNotFoundError as error:
            log.error("match %s has no place in an archive: %s", match.pk, error)
            yield LostMatch(pairing.index, str(error))


def _kept(match: Match, pairing: Pairing, readable: Callable[[Seat], bool]) -> ArchivedMatch:
    seats = match.seats.all()
    return ArchivedMatch(
        pairing=pairing,
        names=tuple(seat.name for seat in seats),
        result=results.counted(match, pairing.seats),
        record=records.record_json(match),
        times=records.times_json(match),
        stderr=tuple(records.stderr(seat) if readable(seat) else b"" for seat in seats),
        files=records.files(match),
    )
