"""An archive: everything about a tournament (or a few matches) as files, with a manifest of digests.

    manifest.json                         what was played, and SHA-256 and size of every other file
    standings.csv                         the table
    matches/<n>/record.json               the record; n is the match's index
    matches/<n>/times.json                how long each answer took; older records hold that themselves
    matches/<n>/<seat>-<name>.stderr      what each bot wrote to its standard error
    matches/<n>/...                       the game's own output files, named as its manifest says

`entries` yields these files one after another, the manifest last. It holds one match at a time in memory,
plus a line for each file and each result. `write_folder` and `stream_zip` differ only in where they put the
files. `contest.archive.verify` reads archives back and trusts nothing in them.

`archived_match` makes an ArchivedMatch from a record. A site that has stored its records passes their bytes
and its stored results instead: parsing and writing every record again would dominate the time an archive
takes.

Bots' names become parts of file names through `safe_name` only.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from zipfile import ZIP_DEFLATED

from contest import standings
from contest.archive.manifest import Digest, Header, Manifest, results_digest
from contest.archive.manifest import to_json as manifest_json
from contest.formats import Pairing
from contest.points import Result
from games.core import record as records
from games.core import timing
from games.core.faults import FaultKind, Policy
from games.core.manifest import load
from games.core.match_log import MatchLog

MANIFEST = "manifest.json"
STANDINGS = "standings.csv"
RECORD = "record.json"
TIMES = "times.json"
_NAME_BYTES = 60


class BadFolder(Exception):
    """A folder that an archive cannot be written to; str(e) says why."""


@dataclass(frozen=True)
class ArchivedMatch:
    """One match that was played.

    names: the bots', by seat. result: what counts of the match. record, times: as canonical JSON; no times
    where an older record holds them. stderr: by seat.
    files: the game's own output files, by the game's names.
    """

    pairing: Pairing
    names: tuple[str, ...]
    result: Result
    record: bytes
    times: bytes
    stderr: tuple[bytes, ...]
    files: Mapping[str, str]


class LostMatch(NamedTuple):
    """One match that was played, and whose record is lost. match: its index in the schedule."""

    match: int
    reason: str


def archived_match(
    pairing: Pairing, log: MatchLog, stderr: tuple[bytes, ...], files: Mapping[str, str]
) -> ArchivedMatch:
    """A match that was played just now, from its log."""
    names = tuple(seat.name for seat in log.seats)
    result = standings.result_of(log, pairing.seats)
    record = records.to_json(log.record).encode()
    times = timing.to_json(log.timing).encode()
    return ArchivedMatch(pairing, names, result, record, times, stderr, files)


def write_folder(folder: Path, header: Header, matches: Iterable[ArchivedMatch | LostMatch]) -> None:
    """Write an archive into a new or empty folder, match by match. Raises BadFolder, OSError."""
    prepare_folder(folder)
    for path, data in entries(header, matches):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def prepare_folder(folder: Path) -> None:
    """Make the folder if need be. Raises BadFolder when it holds something or cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        used = next(folder.iterdir(), None)
    except OSError as error:
        raise BadFolder(f"{folder}: {error.strerror or error}") from None
    if used is not None:
        raise BadFolder(f"{folder}: expected a new or empty folder, it holds {used.name}")


def stream_zip(header: Header, matches: Iterable[ArchivedMatch | LostMatch]) -> Iterator[bytes]:
    """The same archive as the bytes of a zip file, made while it is being read."""
    from zipstream import ZipStream  # type: ignore[import-untyped]

    stream = ZipStream(compress_type=ZIP_DEFLATED)
    for path, data in entries(header, matches):
        stream.add(data, path)
        yield from stream.all_files()
    yield from stream.finalize()


def entries(header: Header, matches: Iterable[ArchivedMatch | LostMatch]) -> Iterator[tuple[str, bytes]]:
    """Every file of the archive: (path, contents)."""
    files: dict[str, Digest] = {}
    played: list[Pairing] = []
    results: list[Result] = []
    lost: list[LostMatch] = []
    for match in matches:
        if isinstance(match, LostMatch):
            lost.append(match)
            continue
        played.append(match.pairing)
        results.append(match.result)
        for path, data in match_entries(header.game, match):
            files[path] = digest(data)
            yield path, data
    table = standings_csv(header, results).encode()
    files[STANDINGS] = digest(table)
    yield STANDINGS, table
    records = ((pairing.index, files[f"matches/{pairing.index}/{RECORD}"].sha256) for pairing in played)
    manifest = Manifest(header, tuple(played), files, results_digest(records), tuple(lost))
    yield MANIFEST, manifest_json(manifest).encode()


def match_entries(game: str, match: ArchivedMatch) -> Iterator[tuple[str, bytes]]:
    """The files of one match."""
    folder = f"matches/{match.pairing.index}"
    yield f"{folder}/{RECORD}", match.record
    if match.times:
        yield f"{folder}/{TIMES}", match.times
    for seat, (name, stderr) in enumerate(zip(match.names, match.stderr, strict=True)):
        yield f"{folder}/{seat}-{safe_name(name)}.stderr", stderr
    for name, text in game_files(game, match.names, match.pairing, match.files).items():
        yield f"{folder}/{name}", text.encode()


def game_files(game: str, names: Sequence[str], pairing: Pairing, files: Mapping[str, str]) -> dict[str, str]:
    """The game's own files under the names they have in an archive. names: the bots', by seat."""
    info = load(game)
    safe = [safe_name(name) for name in names]
    return {
        info.archive_name(file, safe, pairing.round, pairing.number): text for file, text in files.items()
    }


def standings_csv(header: Header, results: Iterable[Result]) -> str:
    """standings.csv for these results."""
    names = [entrant.name for entrant in header.entrants]
    stopped = dict(header.stopped)
    rows = standings.compute_standings(names, results, header.points, disqualifying(header.game), stopped)
    return standings.to_csv(rows)


def disqualifying(game: str) -> frozenset[FaultKind]:
    """The kinds of fault that put a bot out of a tournament of this game."""
    return frozenset(kind for kind, policy in load(game).faults.items() if policy == Policy.DISQUALIFY)


def safe_name(name: str) -> str:
    """A bot's name as part of a file name on any system: letters, digits, `-`, `_` and inner dots."""
    kept = "".join(c if c.isalnum() or c in "-_." else "_" for c in unicodedata.normalize("NFC", name))
    short = kept.encode()[:_NAME_BYTES].decode(errors="ignore").strip(".")
    return short or "bot"


def digest(data: bytes) -> Digest:
    """What the manifest says about a file with these contents."""
    return Digest(hashlib.sha256(data).hexdigest(), len(data))
