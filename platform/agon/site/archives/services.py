"""Makes the archives of tournaments, and of single matches, as zip files."""

import logging
import tempfile
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import IO

from django.utils import translation

from agon.contest.archive.manifest import Header
from agon.contest.archive.writer import About, ArchivedMatch, write_zip
from agon.site.archives import seals
from agon.site.archives.contents import (
    Readable,
    about_match,
    about_tournament,
    match_contents,
    match_header,
    tournament_header,
    tournament_matches,
    with_seats,
)
from agon.site.matches.models import Match
from agon.site.matches.states import State
from agon.site.tournaments.models import Tournament

_PIECE = 1 << 18

log = logging.getLogger(__name__)


def write_tournament(file: IO[bytes], tournament: Tournament) -> None:
    """Write the zip of a tournament that was started."""
    with translation.override("en"):  # the reasons in it are the same for every reader
        write_zip(
            file,
            tournament_header(tournament),
            tournament_matches(tournament),
            about_tournament(tournament),
        )


def of_tournament(tournament: Tournament) -> Iterator[bytes]:
    """The bytes of the zip, as they are now."""
    with tempfile.TemporaryFile() as file:
        write_tournament(file, tournament)
        file.seek(0)
        while piece := file.read(_PIECE):
            yield piece


def of_match(match: Match, readable: Readable) -> bytes:
    """A zip with one finished match: an archive of its own.

    What the bot of a seat wrote to standard error is in it where `readable` says so, else it is empty.
    Raises FileNotFoundError where the record is lost, NotSigned where nothing signs it in time.
    """
    [match] = with_seats(Match.objects.filter(pk=match.pk))
    seats = [seat.number for seat in match.seats.all() if readable(seat)]
    header = match_header(match)
    contents = match_contents(match, header, readable)
    try:
        return _zip(header, contents, about_match(match, seals.of(match, seats)))
    except seals.NotSigned:  # perhaps what is known of the match has changed since it was signed
        return _zip(header, contents, about_match(match, seals.of(match, seats)))


def sign_match(pk: int, seats: Collection[int]) -> None:
    """Sign the download of a match for a process that has no key, and may not be trusted with one.

    seats: those whose standard error is in it. What cannot be downloaded is not signed.
    """
    match = next(with_seats(Match.objects.filter(pk=pk, state=State.FINISHED)), None)
    if match is None or not match.seed_is_public:
        log.error("match %s is not signed: it is not over", pk)
        return
    seal = seals.own()
    seen: dict[str, str] = {}
    if seal is not None:
        header = match_header(match)
        contents = match_contents(match, header, lambda seat: seat.number in seats)
        _zip(header, contents, about_match(match, replace(seal, sign=seals.record(seal.sign, seen))))
    seals.hand_out(pk, seats, "" if seal is None else seal.fingerprint, seen)


def _zip(header: Header, contents: ArchivedMatch, about: About) -> bytes:
    with tempfile.TemporaryFile() as file, translation.override("en"):
        write_zip(file, header, [contents], about)
        file.seek(0)
        return file.read()
