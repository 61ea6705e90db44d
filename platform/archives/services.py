"""Makes the archives of tournaments, and of single matches, as zip files."""

import tempfile
from collections.abc import Iterator
from typing import IO

from django.utils import translation

from archives.contents import (
    Readable,
    about_match,
    about_tournament,
    match_contents,
    match_header,
    tournament_header,
    tournament_matches,
    with_seats,
)
from contest.archive.writer import write_zip
from matches.models import Match
from tournaments.models import Tournament

_PIECE = 1 << 18


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
    Raises FileNotFoundError where the record is lost.
    """
    [match] = with_seats(Match.objects.filter(pk=match.pk))
    header = match_header(match)
    contents = match_contents(match, header, readable)
    with tempfile.TemporaryFile() as file, translation.override("en"):
        write_zip(file, header, [contents], about_match(match))
        file.seek(0)
        return file.read()
