"""manifest.json of an archive: what was played, and the digest of every other file.

Written for people with a pager (one line for each field, entrant, match and file) and for programs. Archives
are read back from anywhere, so `from_json` trusts nothing and names the first wrong field.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from contest import __version__
from contest.archive.json_stream import JsonStream
from contest.formats import MOST_MATCHES, Pairing
from contest.secret_seeds import Seeds
from games.core import seeds
from games.core.fields import Fields, Reader
from games.core.record import MOST_SEATS, SeatInfo

ARCHIVE_FORMAT = 3
READABLE_FORMATS = (1, 2, ARCHIVE_FORMAT)  # 1: without the number of seats; 2: without the results digest
LARGEST_MANIFEST = 128 << 20
LARGEST_WIDE = 8 << 20  # of a manifest with other characters than ASCII
MOST_FILES = 600_000
MOST_ENTRANTS = 100_000
MOST_MEMBERS = 100
LONGEST_TEXT = 1000
SECRET = ("salt", "commitment")  # fields of the manifest only where a site drew the seeds in secret
_MOST = (1 << 63) - 1
_HEX = re.compile(r"[0-9a-f]{64}", re.ASCII)
_T = TypeVar("_T")


class BadArchive(Exception):
    """Not an archive, or a refused one. str(e): which file or field, what was expected, what you got."""


_READER = Reader(BadArchive, lambda value: repr(value)[:60], prefix="manifest.json: ")


@dataclass(frozen=True)
class Header:
    """What was played. seed, salt: see contest.secret_seeds. commitment: what a site published before the
    first match.

    format: a key of contest.formats.FORMATS, or contest.formats.SERIES. points: a key of
    contest.points.POINTS. seats: of each match; 0 in an archive of format 1 that has no matches.
    entrants: in entry order, each once. stopped: the numbers of those that the site
    has put out, and why.
    """

    game: str
    format: str
    rounds: int
    seed: int
    points: str
    seats: int
    entrants: tuple[SeatInfo, ...]
    stopped: tuple[tuple[int, str], ...] = ()
    salt: str = ""
    commitment: str = ""

    @property
    def seeds(self) -> Seeds:
        return Seeds(self.salt, self.seed)


class Digest(NamedTuple):
    """SHA-256 (hex) and size (bytes) of a file."""

    sha256: str
    size: int


@dataclass(frozen=True)
class Manifest:
    """manifest.json. matches: those in the archive, in order of play. files: all others, by path.

    results: the results digest, "" in older archives. lost: matches that were played and are not in the
    archive, because the site has lost their records: (index, why).
    """

    header: Header
    matches: tuple[Pairing, ...]
    files: Mapping[str, Digest]
    results: str = ""
    lost: tuple[tuple[int, str], ...] = ()


def results_digest(records: Iterable[tuple[int, str]]) -> str:
    """One digest (hex) of all results. records: (index of the match, SHA-256 of its record.json), in schedule
    order.

    It is the SHA-256 of what `sha256sum matches/*/record.json` prints, in this order. Equal seeds and bots
    give equal records, so two runs of a contest have the same one: on either backend, with any number of
    workers, on a site and on the command line.
    """
    lines = hashlib.sha256()
    for index, sha256 in records:
        lines.update(f"{sha256}  matches/{index}/record.json\n".encode())
    return lines.hexdigest()


def to_json(manifest: Manifest) -> str:
    """The text of manifest.json."""
    header = manifest.header
    facts = {
        "archive": ARCHIVE_FORMAT,
        "agon": __version__,
        "game": header.game,
        "format": header.format,
        "rounds": header.rounds,
        "seed": seeds.to_data(header.seed),
        "points": header.points,
        "seats": header.seats,
    }
    facts |= {name: value for name in SECRET if (value := getattr(header, name))}
    facts |= {"results": manifest.results}
    parts = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in facts.items()]
    parts.append(_block("entrants", "[]", [json.dumps(entrant._asdict()) for entrant in header.entrants]))
    if header.stopped:
        lines = [json.dumps({"entrant": number, "reason": reason}) for number, reason in header.stopped]
        parts.append(_block("stopped", "[]", lines))
    if manifest.lost:
        lines = [json.dumps({"match": index, "reason": reason}) for index, reason in manifest.lost]
        parts.append(_block("lost", "[]", lines))
    parts.append(_block("matches", "[]", [_match_line(pairing) for pairing in manifest.matches]))
    files = [f"{json.dumps(path)}: {_digest_line(digest)}" for path, digest in sorted(manifest.files.items())]
    parts.append(_block("files", "{}", files))
    return "{\n" + ",\n".join(parts) + "\n}\n"


def from_json(data: bytes) -> Manifest:
    """Read manifest.json. Raises BadArchive."""
    if len(data) > LARGEST_MANIFEST:
        raise BadArchive(f"manifest.json: expected at most {LARGEST_MANIFEST >> 20} MiB")
    if len(data) > LARGEST_WIDE and not data.isascii():  # a character may take four bytes in memory
        raise BadArchive(f"manifest.json: expected ASCII only above {LARGEST_WIDE >> 20} MiB")
    try:
        stream = JsonStream(data.decode())
        del data
        top = Fields(_READER, _read(stream), "")
    except ValueError as error:
        raise BadArchive(f"manifest.json: {error}") from None
    number = top.integer("archive", 0, _MOST)
    if number not in READABLE_FORMATS:
        formats = " or ".join(map(str, READABLE_FORMATS))
        raise BadArchive(f"manifest.json: archive: expected format {formats}, got {number}")
    entrants: tuple[SeatInfo, ...] = top.take("entrants")
    if len(set(entrants)) < len(entrants):
        raise BadArchive("manifest.json: entrants: expected each of them once")
    matches: tuple[Pairing, ...] = top.take("matches")
    header = Header(
        game=_text(top, "game"),
        format=_text(top, "format"),
        rounds=top.integer("rounds", 0, _MOST),
        seed=_seed(top.take("seed")),
        points=_text(top, "points"),
        seats=_seats(top, number, matches),
        entrants=entrants,
        stopped=_stopped(top, len(entrants)),
        **{name: _hex(value, name) for name in SECRET if (value := top.take(name, None)) is not None},
    )
    for place, pairing in enumerate(matches):
        for seat in pairing.seats:
            _READER.integer(seat, f"matches[{place}].seats", 0, len(entrants) - 1)
    if any(first.index >= second.index for first, second in itertools.pairwise(matches)):
        raise BadArchive("manifest.json: matches: expected rising indexes")
    results = "" if number < 3 else _hex(top.take("results"), "results")
    return Manifest(header, matches, top.take("files"), results, top.take("lost", ()))


def _read(stream: JsonStream) -> dict[str, Any]:
    """The members of the top-level object; the long ones are read element by element."""
    if stream.next != "{":
        raise _READER.wrong("the whole", "an object", stream.value())
    long: dict[str, Callable[[JsonStream], object]] = {
        "entrants": lambda stream: _many(stream, "entrants", _entrant, MOST_ENTRANTS),
        "lost": lambda stream: _many(stream, "lost", _lost, MOST_MATCHES),
        "matches": lambda stream: _many(stream, "matches", _pairing, MOST_MATCHES),
        "files": _files,
    }
    top: dict[str, Any] = {}
    for name in stream.members():
        if name in top:
            raise BadArchive(f"manifest.json: {name[:100]}: is there twice")
        if len(top) == MOST_MEMBERS:
            raise BadArchive(f"manifest.json: expected at most {MOST_MEMBERS} members")
        top[name] = long[name](stream) if name in long else stream.value()
    stream.end()
    return top


def _seats(top: Fields, number: int, matches: Sequence[Pairing]) -> int:
    """The seats of a match. Format 1 does not say: they are those of its matches."""
    if number == 1:
        return len(matches[0].seats) if matches else 0
    return int(top.integer("seats", 0, MOST_SEATS))


def _files(stream: JsonStream) -> dict[str, Digest]:
    if stream.next != "{":
        raise _READER.wrong("files", "an object", stream.value())
    files: dict[str, Digest] = {}
    for path in stream.members():
        files[path] = _digest(stream.value(), path)
        if len(files) > MOST_FILES:
            raise BadArchive(f"manifest.json: files: expected at most {MOST_FILES:,}")
    return files


def _block(name: str, brackets: str, lines: Sequence[str]) -> str:
    inside = "\n" + ",\n".join(lines) + "\n" if lines else ""
    return f"{json.dumps(name)}: {brackets[0]}{inside}{brackets[1]}"


def _match_line(pairing: Pairing) -> str:
    names = ("index", "round", "number", "seats")
    return json.dumps({name: getattr(pairing, name) for name in names})


def _digest_line(digest: Digest) -> str:
    return json.dumps(digest._asdict())


def _fields(value: object, path: str) -> Fields:
    return Fields(_READER, _READER.object(value, path), path)


def _text(fields: Fields, name: str) -> str:
    value = fields.take(name)
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise _READER.wrong(fields.at(name), "a short text", value)
    return value


def _seed(value: object) -> int:
    """A number, or decimal text where it is larger than any number of JSON should be."""
    if not isinstance(value, str):
        return _READER.integer(value, "seed", 0, _MOST)
    seed = seeds.from_text(value)
    if seed is None:
        raise _READER.wrong("seed", "a whole number from 0 to 2^63 - 1, or as text to 2^256 - 1", value)
    return seed


def _hex(value: object, path: str) -> str:
    if not isinstance(value, str) or not _HEX.fullmatch(value):
        raise _READER.wrong(path, "64 hexadecimal digits", value)
    return value


def _many(stream: JsonStream, name: str, read: Callable[[object, str], _T], most: int) -> tuple[_T, ...]:
    if stream.next != "[":
        raise _READER.wrong(name, "a list", stream.value())
    found: list[_T] = []
    for _ in stream.elements():
        found.append(read(stream.value(), f"{name}[{len(found)}]"))
        if len(found) > most:
            raise BadArchive(f"manifest.json: {name}: expected at most {most:,}")
    return tuple(found)


def _entrant(value: object, path: str) -> SeatInfo:
    fields = _fields(value, path)
    return SeatInfo(_text(fields, "name"), _text(fields, "submission"))


def _stopped(top: Fields, entrants: int) -> tuple[tuple[int, str], ...]:
    """Older archives, and those of tournaments without a stopped bot, do not have it."""
    given = top.take("stopped", [])
    if not isinstance(given, list) or len(given) > entrants:
        raise _READER.wrong("stopped", "a list of entrants", given)
    stopped = tuple(_put_out(value, f"stopped[{place}]", entrants) for place, value in enumerate(given))
    if any(first[0] >= second[0] for first, second in itertools.pairwise(stopped)):
        raise BadArchive("manifest.json: stopped: expected rising numbers of entrants")
    return stopped


def _lost(value: object, path: str) -> tuple[int, str]:
    match = _fields(value, path)
    return match.integer("match", 0, _MOST), _text(match, "reason")


def _put_out(value: object, path: str, entrants: int) -> tuple[int, str]:
    fields = _fields(value, path)
    number = fields.integer("entrant", 0, entrants - 1)
    reason = _text(fields, "reason")
    if not reason:
        raise _READER.wrong(f"{path}.reason", "a reason", reason)
    return number, reason


def _pairing(value: object, path: str) -> Pairing:
    fields = _fields(value, path)
    seats = fields.take("seats")
    if not isinstance(seats, list) or len(seats) > MOST_SEATS:
        raise _READER.wrong(f"{path}.seats", f"a list of at most {MOST_SEATS}", seats)
    return Pairing(
        index=fields.integer("index", 0, _MOST),
        round=fields.integer("round", 0, _MOST),
        number=fields.integer("number", 0, _MOST),
        seats=tuple(_READER.integer(seat, f"{path}.seats", 0, MOST_ENTRANTS - 1) for seat in seats),
    )


def _digest(value: object, path: str) -> Digest:
    fields = _fields(value, path)
    sha256 = _hex(fields.take("sha256"), fields.at("sha256"))
    return Digest(sha256, fields.integer("size", 0, _MOST))
