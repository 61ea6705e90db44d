"""An archive: everything about a tournament (or a few matches) as files, with a manifest and digests.

    matches/<n>/record.json               the record; n is the match's index
    matches/<n>/times.json                how long each answer took; not there if that is lost
    matches/<n>/<seat>-<name>.stderr      what each bot wrote to its standard error
    matches/<n>/...                       the game's own output files, named as its manifest says
    standings.csv                         the table
    manifest.json                         what was played, what was not and why, size and SHA-256 of the above
    SHA256SUMS                            the digests of all of the above, for `sha256sum -c`
    SHA256SUMS.sig                        the site's signature of SHA256SUMS (agon.contest.archive.signature)

`entries` yields these files one after another. It holds one match at a time in memory, and what the standings
are made of: sums, and where pairings follow from results, these; a line for each file and each match is kept
on the disk until the manifest is written. `fill_folder` and
`write_zip` differ only in where they put the files. Equal matches make equal archives, byte for byte.
`agon.contest.archive.verify` reads archives back and trusts nothing in them.

`archived_match` makes an ArchivedMatch from a record. A site that has stored its records passes their bytes
and its stored results instead: parsing and writing every record again would dominate the time an archive
takes.

Bots' names become parts of file names through `safe_name` only.
"""

import hashlib
import tempfile
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from agon.contest import standings
from agon.contest.archive import manifest_text
from agon.contest.archive.manifest import (
    Absent,
    ArchivedAct,
    Digest,
    End,
    Fate,
    Header,
    Origin,
    ResultsDigest,
    origin_of,
    results_digest,
)
from agon.contest.archive.zip_writer import ZipWriter
from agon.contest.attempts import FailedAttempt
from agon.contest.formats import FORMATS, ScheduledMatch
from agon.contest.points import POINTS, Result
from agon.contest.tally import Counting
from games.core import record as records
from games.core import timing
from games.core.faults import FaultKind, Policy
from games.core.manifest import load
from games.core.match_log import MatchLog

MANIFEST = "manifest.json"
STANDINGS = "standings.csv"
UNFINISHED = "unfinished.json"
RECORD = "record.json"
TIMES = "times.json"
SUMS = "SHA256SUMS"
SIGNATURE = "SHA256SUMS.sig"
_NAME_BYTES = 60
_IN_MEMORY = 1 << 20  # characters of lines, before they go to the disk
Sign = Callable[[bytes], bytes]  # the signature of a file with this SHA-512


class BadFolder(Exception):
    """A folder that an archive cannot be written to; str(e) says why."""


@dataclass(frozen=True)
class ArchivedMatch:
    """One match that was played.

    names: the bots', by seat. record, times: as canonical JSON; times is empty if they are lost.
    stderr: by seat. files: the game's own output files, by the game's names. environment: a key of
    Origin.environments, or "". drawn: a number of the header's draws, from 1, or 0. failed: the attempts
    that failed.
    """

    scheduled: ScheduledMatch
    seed: int
    names: tuple[str, ...]
    result: Result
    record: bytes
    times: bytes
    stderr: tuple[bytes, ...]
    files: Mapping[str, str]
    environment: str = ""
    drawn: int = 0
    failed: tuple[FailedAttempt, ...] = ()


@dataclass(frozen=True)
class About:
    """What an archive says besides what was played. end: None where it follows from what was not played.

    sign: None for an archive without a signature.
    """

    origin: Origin | None = None
    acts: tuple[ArchivedAct, ...] = ()
    end: End | None = None
    sign: Sign | None = None


UNSIGNED = About()


def archived_match(
    scheduled: ScheduledMatch, log: MatchLog, stderr: tuple[bytes, ...], files: Mapping[str, str]
) -> ArchivedMatch:
    """A match that was played just now, from its log."""
    names = tuple(seat.name for seat in log.seats)
    result = standings.result_of(log, scheduled.seats)
    record = records.to_json(log.record).encode()
    times = timing.to_json(log.timing).encode()
    return ArchivedMatch(scheduled, log.seed, names, result, record, times, stderr, files)


def fill_folder(
    folder: Path, header: Header, matches: Iterable[ArchivedMatch | Absent], about: About = UNSIGNED
) -> None:
    """Write an archive into an empty folder, or one that holds a part of it, match by match. Raises OSError.

    Until it is complete, UNFINISHED says what is being played. A file is there as a whole or not at all, so
    that what was played can be kept wherever this is interrupted.
    """
    head = manifest_text.head_of(header, Origin(), End.FINISHED, results_digest(()))
    unfinished = manifest_text.pieces(head, header, (), (), (), ())
    _write(folder / UNFINISHED, map(str.encode, unfinished))
    for path, pieces in entries(header, matches, about):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        _write(target, pieces)
    (folder / UNFINISHED).unlink()


def _write(target: Path, pieces: Iterable[bytes]) -> None:
    part = target.with_name(f"{target.name}.part")
    with open(part, "wb") as file:
        file.writelines(pieces)
    part.replace(target)


def prepare_folder(folder: Path) -> None:
    """Make the folder if need be. Raises BadFolder when it holds something or cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        used = next(folder.iterdir(), None)
    except OSError as error:
        raise BadFolder(f"{folder}: {error.strerror or error}") from None
    if used is not None:
        raise BadFolder(f"{folder}: expected a new or empty folder, it holds {used.name}")


def write_zip(
    file: IO[bytes], header: Header, matches: Iterable[ArchivedMatch | Absent], about: About = UNSIGNED
) -> None:
    """The same archive as a zip. file: open at its beginning."""
    with closing(ZipWriter(file)) as out:
        for path, pieces in entries(header, matches, about):
            out.add(path, pieces)


def entries(
    header: Header, matches: Iterable[ArchivedMatch | Absent], about: About = UNSIGNED
) -> Iterator[tuple[str, Iterable[bytes]]]:
    """Every file of the archive: its path, and its contents in pieces, to be read before the next file.

    matches: the whole schedule in its order, those that are not there as Absent.
    """
    with _Lines() as played, _Lines() as absent, _Lines() as files, _Lines() as sums:
        end = about.end or End.FINISHED
        table = Standings(header)
        scheduled = 0
        recorded = ResultsDigest()

        def listed(path: str, data: bytes) -> tuple[str, Iterable[bytes]]:
            of_file = digest(data)
            files.add(manifest_text.file_line(path, of_file))
            sums.add(sum_line(path, of_file.sha256))
            if path.endswith(f"/{RECORD}"):
                recorded.add(int(path.split("/")[1]), of_file.sha256)
            return path, (data,)

        for match in matches:
            scheduled += 1
            if isinstance(match, Absent):
                absent.add(manifest_text.absent_line(match))
                end = End.STOPPED if match.state == Fate.UNPLAYED else end
                continue
            played.add(
                manifest_text.match_line(
                    match.scheduled, match.seed, match.environment, match.drawn, match.failed
                )
            )
            table.add(match.scheduled.index, match.result)
            for path, data in match_entries(header.game, match):
                yield listed(path, data)
        yield listed(STANDINGS, table.csv(scheduled).encode())
        head = manifest_text.head_of(header, about.origin or origin_of(header.game), end, recorded.hex)
        manifest = Hashed(
            piece.encode() for piece in manifest_text.pieces(head, header, absent, about.acts, played, files)
        )
        yield MANIFEST, manifest
        sums.add(sum_line(MANIFEST, manifest.sha256.hexdigest()))
        listing = Hashed(f"{line}\n".encode() for line in sums)
        yield SUMS, listing
        if about.sign is not None:
            yield SIGNATURE, (about.sign(listing.sha512.digest()),)


def sum_line(path: str, sha256: str) -> str:
    """A line of SHA256SUMS."""
    return f"{sha256}  {path}"


class _Lines:
    """Lines that are written first and read afterwards; many of them are on the disk."""

    def __enter__(self) -> "_Lines":
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8", newline="\n")
        return self

    def __exit__(self, *_exception: object) -> None:
        self._file.close()

    def add(self, line: str) -> None:
        self._file.write(f"{line}\n")

    def __iter__(self) -> Iterator[str]:
        self._file.seek(0)
        for line in self._file:
            yield line[:-1]


class Hashed:
    """Pieces that are passed on, and the digests of all of them afterwards."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self.sha256 = hashlib.sha256()
        self.sha512 = hashlib.sha512()

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self.sha256.update(piece)
            self.sha512.update(piece)
            yield piece


def match_entries(game: str, match: ArchivedMatch) -> Iterator[tuple[str, bytes]]:
    """The files of one match."""
    folder = f"matches/{match.scheduled.index}"
    yield f"{folder}/{RECORD}", match.record
    if match.times:
        yield f"{folder}/{TIMES}", match.times
    for seat, (name, stderr) in enumerate(zip(match.names, match.stderr, strict=True)):
        yield f"{folder}/{seat}-{safe_name(name)}.stderr", stderr
    for name, text in game_files(game, match.names, match.scheduled, match.files).items():
        yield f"{folder}/{name}", text.encode()


def game_files(
    game: str, names: Sequence[str], scheduled: ScheduledMatch, files: Mapping[str, str]
) -> dict[str, str]:
    """The game's own files under the names they have in an archive. names: the bots', by seat."""
    info = load(game)
    safe = [safe_name(name) for name in names]
    return {
        info.archive_name(file, safe, scheduled.round, scheduled.number): text for file, text in files.items()
    }


class Standings:
    """Makes the standings of results that come one by one; keeps these only if pairings follow from them."""

    def __init__(self, header: Header) -> None:
        self._header = header
        self._plan = header.plan
        self._needs_results = self._plan is not None and FORMATS[self._plan.format].needs_results
        self._disqualifying = disqualifying(header.game)
        self._counting = Counting(POINTS[header.points], self._disqualifying)
        self.results: dict[int, Result] = {}

    def add(self, index: int, result: Result) -> None:
        self._counting.add(result)
        if self._needs_results:
            self.results[index] = result

    def rows(self, scheduled: int) -> tuple[standings.StandingsRow, ...]:
        """scheduled: how many matches there are, also those without a result. Raises BadFormat."""
        header, history = self._header, None
        if self._plan is not None and self._needs_results:
            _, history = standings.history_of(
                self._plan, self.results, scheduled, self._disqualifying, header.departures
            )
        names = [entrant.name for entrant in header.entrants]
        return standings.standings_of(names, self._counting.tally, dict(header.stopped), self._plan, history)

    def csv(self, scheduled: int) -> str:
        return standings.to_csv(self.rows(scheduled))


def disqualifying(game: str) -> frozenset[FaultKind]:
    """The kinds of fault that disqualify a bot from a tournament of this game."""
    return frozenset(kind for kind, policy in load(game).faults.items() if policy == Policy.DISQUALIFY)


def safe_name(name: str) -> str:
    """A bot's name as part of a file name on any system: letters, digits, `-`, `_` and inner dots."""
    kept = "".join(c if c.isalnum() or c in "-_." else "_" for c in unicodedata.normalize("NFC", name))
    short = kept.encode()[:_NAME_BYTES].decode(errors="ignore").strip(".")
    return short or "bot"


def digest(data: bytes) -> Digest:
    """What the manifest says about a file with these contents."""
    return Digest(hashlib.sha256(data).hexdigest(), len(data))
