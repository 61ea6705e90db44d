"""An archive: everything about a tournament (or a few matches) as files, with a manifest of digests.

    manifest.json                         what was played, and SHA-256 and size of every other file
    standings.csv                         the table
    matches/<n>/record.json               the record; n is the match's index
    matches/<n>/<seat>-<name>.stderr      what each bot wrote to its standard error
    matches/<n>/...                       the game's own output files, named as its manifest says

`entries` yields these files one after another, the manifest last, and holds no more than one match at a time
in memory, beside a line for each file and each result. `write_folder` and `stream_zip` only differ in where
they put them. `agon.verify` reads archives back and trusts nothing in them.

Bots' names become parts of file names through `safe_name` only.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZIP_DEFLATED

from agon import standings
from agon.archive_manifest import Digest, Header, Manifest
from agon.archive_manifest import to_json as manifest_json
from agon.formats import Pairing
from games.core.manifest import load
from games.core.record import Record, to_json

MANIFEST = "manifest.json"
STANDINGS = "standings.csv"
_NAME_BYTES = 60


class BadFolder(Exception):
    """A folder that an archive cannot be written to; str(e) says why."""


@dataclass(frozen=True)
class Kept:
    """One match that was played. stderr: by seat. files: the game's own output files, by the game's names."""

    pairing: Pairing
    record: Record
    stderr: tuple[bytes, ...]
    files: Mapping[str, str]


def write_folder(folder: Path, header: Header, matches: Iterable[Kept]) -> None:
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


def stream_zip(header: Header, matches: Iterable[Kept]) -> Iterator[bytes]:
    """The same archive as the bytes of a zip file, made while it is being read."""
    from zipstream import ZipStream  # type: ignore[import-untyped]

    stream = ZipStream(compress_type=ZIP_DEFLATED)
    for path, data in entries(header, matches):
        stream.add(data, path)
        yield from stream.all_files()
    yield from stream.finalize()


def entries(header: Header, matches: Iterable[Kept]) -> Iterator[tuple[str, bytes]]:
    """Every file of the archive: (path, contents)."""
    files: dict[str, Digest] = {}
    played: list[Pairing] = []
    results: list[standings.Result] = []
    for match in matches:
        played.append(match.pairing)
        results.append(standings.result_of(match.record, match.pairing.seats))
        for path, data in match_entries(match):
            files[path] = digest(data)
            yield path, data
    table = standings_csv(header, results).encode()
    files[STANDINGS] = digest(table)
    yield STANDINGS, table
    yield MANIFEST, manifest_json(Manifest(header, tuple(played), files)).encode()


def match_entries(match: Kept) -> Iterator[tuple[str, bytes]]:
    """The files of one match."""
    folder = f"matches/{match.pairing.index}"
    names = [safe_name(seat.name) for seat in match.record.seats]
    yield f"{folder}/record.json", to_json(match.record).encode()
    for seat, (name, stderr) in enumerate(zip(names, match.stderr, strict=True)):
        yield f"{folder}/{seat}-{name}.stderr", stderr
    for name, text in game_files(match.record, match.pairing, match.files).items():
        yield f"{folder}/{name}", text.encode()


def game_files(record: Record, pairing: Pairing, files: Mapping[str, str]) -> dict[str, str]:
    """The game's own files under the names they have in an archive."""
    info = load(record.game)
    names = [safe_name(seat.name) for seat in record.seats]
    return {
        info.archive_name(file, names, pairing.round, pairing.number): text for file, text in files.items()
    }


def standings_csv(header: Header, results: Iterable[standings.Result]) -> str:
    """standings.csv for these results."""
    names = [entrant.name for entrant in header.entrants]
    rows = standings.standings(names, results, header.points, disqualifying(header.game))
    return standings.to_csv(rows)


def disqualifying(game: str) -> frozenset[str]:
    """The kinds of fault that put a bot out of a tournament of this game."""
    return frozenset(kind for kind, policy in load(game).faults.items() if policy == "disqualify")


def safe_name(name: str) -> str:
    """A bot's name as part of a file name on any system: letters, digits, `-`, `_` and inner dots."""
    kept = "".join(c if c.isalnum() or c in "-_." else "_" for c in unicodedata.normalize("NFC", name))
    short = kept.encode()[:_NAME_BYTES].decode(errors="ignore").strip(".")
    return short or "bot"


def digest(data: bytes) -> Digest:
    """What the manifest says about a file with these contents."""
    return Digest(hashlib.sha256(data).hexdigest(), len(data))
