"""manifest.json read back. It may be anyone's, so each field's type and range is checked, and the first wrong
one named.

It is read once, as it comes, value by value. Matches and files, of which there may be millions, go to a
ledger; acts and environments are for readers of the file, so that only their form is checked. All else is
kept in memory, up to LARGEST_KEPT.
"""

import itertools
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from agon.contest.archive.json_stream import JsonStream
from agon.contest.archive.ledger import Ledger, Played
from agon.contest.archive.manifest import (
    ARCHIVE_FORMAT,
    LARGEST_KEPT,
    LONGEST_TEXT,
    MOST_ACTS,
    MOST_DEPARTURES,
    MOST_DRAWS,
    MOST_ENTRANTS,
    MOST_ENVIRONMENTS,
    MOST_FAILED,
    MOST_FILES,
    MOST_MEMBERS,
    MOST_RATING,
    SECRET,
    Absent,
    ArchivedAct,
    BadArchive,
    Digest,
    Draw,
    End,
    Fared,
    Fate,
    Header,
    Origin,
    Why,
    seeding_of,
)
from agon.contest.attempts import FailedAttempt, FailureKind
from agon.contest.formats import MOST_MATCHES, SERIES, Absence, ScheduledMatch, Value
from games.core import seeds
from games.core.fields import Fields, Read, Reader, or_none
from games.core.record import MOST_SEATS, SeatInfo

_LARGEST_NUMBER = (1 << 63) - 1
_HEX = re.compile(r"[0-9a-f]{64}", re.ASCII)
_T = TypeVar("_T")
_E = TypeVar("_E", bound=StrEnum)
_READER = Reader(BadArchive, lambda value: repr(value)[:60], prefix="manifest.json: ", is_closed=False)


@dataclass(frozen=True)
class Stated:
    """What a manifest states. ledger: its matches and files. results: the results digest."""

    header: Header
    ledger: Ledger
    results: str
    end: End
    origin: Origin

    @property
    def is_one_match(self) -> bool:
        """Whether its signature must be that of a single match."""
        return bool(self.origin.match) or self.header.format == SERIES


def read_manifest(pieces: Iterable[bytes], ledger: Ledger) -> Stated:
    """Read manifest.json, its matches and files into the ledger. Raises BadArchive."""
    try:
        top = Fields(_READER, _members(JsonStream(pieces), ledger), "")
    except ValueError as error:
        raise BadArchive(f"manifest.json: {error}") from None
    number = top.read("archive", _number)
    if number != ARCHIVE_FORMAT:
        raise BadArchive(f"manifest.json: archive: expected format {ARCHIVE_FORMAT}, got {number}")
    return _stated(top, ledger)


def _stated(top: Fields, ledger: Ledger) -> Stated:
    entrants: tuple[SeatInfo, ...] = top.take("entrants")
    if len(set(entrants)) < len(entrants):
        raise BadArchive("manifest.json: entrants: expected each of them once")
    for name in ("matches", "absent"):
        top.take(name)
    _check_matches("matches", (match.scheduled for match in ledger.played()), len(entrants))
    _check_matches("absent", (scheduled for scheduled, _ in ledger.absent()), len(entrants))
    header = _header(top, entrants)
    top.take("files")
    results = top.read("results", _hex)
    top.take("acts")
    return Stated(header, ledger, results, top.read("end", _choice(End)), _origin(top))


def _header(top: Fields, entrants: tuple[SeatInfo, ...]) -> Header:
    format = top.read("format", _text)
    if top.take("seeding") != seeding_of(format):
        raise BadArchive(f"manifest.json: seeding: expected {seeding_of(format)} for this format")
    return Header(
        game=top.read("game", _text),
        format=format,
        rounds=top.read("rounds", _number),
        seed=top.read("seed", _seed),
        points=top.read("points", _text),
        seats=top.integer("seats", 1, MOST_SEATS),
        entrants=entrants,
        stopped=_stopped(top, len(entrants)),
        format_settings=top.read("format_settings", _format_settings, ()),
        ratings=_ratings(top, len(entrants)),
        departures=_departures(top, len(entrants)),
        draws=top.take("draws", ()),
        **{name: secret for name in SECRET if (secret := top.read(name, _hex, None)) is not None},
    )


def _format_settings(given: object, path: str) -> tuple[tuple[str, Value], ...]:
    """agon.contest.formats.make_plan says whether the format has such settings."""
    if not isinstance(given, dict) or len(given) > MOST_MEMBERS:
        raise _READER.wrong(path, "an object", given)
    for name, value in given.items():
        if not isinstance(value, bool | int | str) or len(str(value)) > LONGEST_TEXT:
            raise _READER.wrong(f"{path}.{name[:100]}", "a number, a text, true or false", value)
    return tuple(given.items())


def _ratings(top: Fields, entrants: int) -> tuple[int | None, ...]:
    """One for each entrant, null for one that had none; archives without any rating do not have it."""
    given = top.take("ratings", [])
    if not isinstance(given, list) or len(given) not in (0, entrants):
        raise _READER.wrong("ratings", "a number or null for each entrant", given)
    return _READER.items(given, "ratings", or_none(_READER.whole(-MOST_RATING, MOST_RATING)))


def _departures(top: Fields, entrants: int) -> tuple[Absence, ...]:
    departures: tuple[Absence, ...] = top.take("departures", ())
    for place, departure in enumerate(departures):
        _READER.integer(departure.entrant, f"departures[{place}].entrant", 0, entrants - 1)
        if departure.until is not None:
            _READER.integer(departure.until, f"departures[{place}].until", departure.since, _LARGEST_NUMBER)
    return departures


def _stopped(top: Fields, entrants: int) -> tuple[tuple[int, str], ...]:
    """Archives of tournaments without a stopped bot do not have it."""
    stopped: tuple[tuple[int, str], ...] = top.take("stopped", ())
    for place, (number, _) in enumerate(stopped):
        _READER.integer(number, f"stopped[{place}].entrant", 0, entrants - 1)
    if any(first[0] >= second[0] for first, second in itertools.pairwise(stopped)):
        raise BadArchive("manifest.json: stopped: expected rising numbers of entrants")
    return stopped


def _check_matches(name: str, scheduled_matches: Iterable[ScheduledMatch], entrants: int) -> None:
    before = -1
    for place, scheduled in enumerate(scheduled_matches):
        for seat in scheduled.seats:
            _READER.integer(seat, f"{name}[{place}].seats", 0, entrants - 1)
        if scheduled.index <= before:
            raise BadArchive(f"manifest.json: {name}: expected rising indexes")
        before = scheduled.index


def _origin(top: Fields) -> Origin:
    """Shown to readers and no more, so whatever is not as expected is left out."""
    kinds: dict[str, type] = dict.fromkeys(("agon", "python", "version"), str)
    kinds |= dict.fromkeys(("settings", "site", "chain", "match"), dict)
    given = {name: top.take(name, None) for name in kinds}
    facts: dict[str, Any] = {
        name: value if isinstance(value := given[name], kind) else kind() for name, kind in kinds.items()
    }
    return Origin(**facts)


def _members(stream: JsonStream, ledger: Ledger) -> dict[str, Any]:
    """The members of the top-level object; the long ones are read element by element."""
    if stream.next != "{":
        raise _READER.wrong("the whole", "an object", stream.value())
    elsewhere: dict[str, Callable[[Iterator[Any]], object]] = {
        "matches": ledger.add_played,
        "absent": ledger.add_absent,
        "files": ledger.add_listed,
        "acts": _drop,
        "environments": _drop,
    }
    top: dict[str, Any] = {}
    kept = 0
    for name in stream.members():
        if name in top:
            raise BadArchive(f"manifest.json: {name[:100]}: is there twice")
        if len(top) == MOST_MEMBERS:
            raise BadArchive(f"manifest.json: expected at most {MOST_MEMBERS} members")
        if name in elsewhere:
            top[name] = elsewhere[name](_elements(stream, name))
        elif name in _LISTS:
            top[name], kept = _kept(stream, name, _elements(stream, name), kept)
        else:
            top[name] = stream.value()
    stream.end()
    return top


def _elements(stream: JsonStream, name: str) -> Iterator[Any]:
    """What is in a long member, one after the other."""
    return _list(stream, name, *_LISTS[name]) if name in _LISTS else _object(stream, name, *_OBJECTS[name])


def _drop(elements: Iterator[object]) -> None:
    deque(elements, maxlen=0)


def _kept(stream: JsonStream, name: str, elements: Iterator[_T], kept: int) -> tuple[tuple[_T, ...], int]:
    """The elements, and how many characters were kept with them."""
    start = stream.position - kept
    items: list[_T] = []
    for item in elements:
        items.append(item)
        if stream.position - start > LARGEST_KEPT:
            raise BadArchive(f"manifest.json: {name}: expected at most {LARGEST_KEPT >> 20} MiB")
    return tuple(items), stream.position - start


def _list(stream: JsonStream, name: str, read: Read[_T], most: int) -> Iterator[_T]:
    if stream.next != "[":
        raise _READER.wrong(name, "a list", stream.value())
    for place, _ in enumerate(stream.elements()):
        yield read(stream.value(), f"{name}[{place}]")
        if place == most:
            raise BadArchive(f"manifest.json: {name}: expected at most {most:,}")


def _object(stream: JsonStream, name: str, read: Read[_T], most: int) -> Iterator[tuple[str, _T]]:
    if stream.next != "{":
        raise _READER.wrong(name, "an object", stream.value())
    for place, key in enumerate(stream.members()):
        yield key, read(stream.value(), f"{name}: {key}")
        if place == most:
            raise BadArchive(f"manifest.json: {name}: expected at most {most:,}")


def _text(value: object, path: str) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise _READER.wrong(path, "a short text", value)
    return value


def _reason(value: object, path: str) -> str:
    if not _text(value, path):
        raise _READER.wrong(path, "a reason", value)
    return str(value)


def _choice(choices: type[_E]) -> Read[_E]:
    def read(value: object, path: str) -> _E:
        if not isinstance(value, str) or value not in list(choices):
            raise _READER.wrong(path, f"one of {', '.join(choices)}", value)
        return choices(value)

    return read


def _seed(value: object, path: str) -> int:
    """A number, or decimal text where it is larger than any number of JSON should be."""
    if not isinstance(value, str):
        return _number(value, path)
    seed = seeds.from_text(value)
    if seed is None:
        raise _READER.wrong(path, "a whole number from 0 to 2^63 - 1, or as text to 2^256 - 1", value)
    return seed


def _hex(value: object, path: str) -> str:
    if not isinstance(value, str) or not _HEX.fullmatch(value):
        raise _READER.wrong(path, "64 hexadecimal digits", value)
    return value


def _draw(value: object, path: str) -> Draw:
    fields = _fields(value, path)
    state = fields.read("state", _choice(Fared))
    salt = fields.take("salt", "")
    return Draw(
        why=fields.read("why", _choice(Why)),
        state=state,
        since=fields.read("since", _number),
        commitment=fields.read("commitment", _hex),
        draw=fields.read("draw", _hex),
        salt="" if state == Fared.OPEN and salt == "" else _hex(salt, f"{path}.salt"),
    )


def _absent(value: object, path: str) -> Absent:
    fields, scheduled = _fields(value, path), _scheduled(value, path)
    state, reason = fields.read("state", _choice(Fate)), fields.read("reason", _text)
    return Absent(scheduled, state, reason, _failed(fields, scheduled))


def _played(value: object, path: str) -> tuple[Played, tuple[FailedAttempt, ...]]:
    """The match, and the attempts at it that failed."""
    fields, scheduled = _fields(value, path), _scheduled(value, path)
    drawn = fields.read("draw", _READER.whole(0, MOST_DRAWS), 0)
    return Played(scheduled, fields.read("seed", _seed), drawn), _failed(fields, scheduled)


def _failed(fields: Fields, scheduled: ScheduledMatch) -> tuple[FailedAttempt, ...]:
    attempts, seats = fields.read("failed", _attempts, ()), len(scheduled.seats)
    for place, attempt in enumerate(attempts):
        path = f"{fields.path}.failed[{place}].asked"
        if len(attempt.asked) > seats:
            raise _READER.wrong(path, f"a list of at most {seats} seats", list(attempt.asked))
        for seat in attempt.asked:
            _READER.integer(seat, path, 0, seats - 1)
    return attempts


def _few(read: Read[_T], most: int) -> Read[tuple[_T, ...]]:
    """A reader of short lists."""

    def read_list(value: object, path: str) -> tuple[_T, ...]:
        if not isinstance(value, list) or len(value) > most:
            raise _READER.wrong(path, f"a list of at most {most}", value)
        return _READER.items(value, path, read)

    return read_list


def _fields(value: object, path: str) -> Fields:
    return Fields(_READER, _READER.object(value, path), path)


_number = _READER.whole(0, _LARGEST_NUMBER)
_entrant_number = _READER.whole(0, MOST_ENTRANTS - 1)
_entrant = _READER.object_of(SeatInfo, name=_text, submission=_text)
_stopped_entrant = _READER.object_of(
    lambda entrant, reason: (entrant, reason), entrant=_entrant_number, reason=_reason
)
_departure = _READER.object_of(Absence, entrant=_entrant_number, since=_number, until=or_none(_number))
_act = _READER.object_of(
    ArchivedAct, at=_text, actor=_text, verb=_text, subject=_text, reason=_text, details=_READER.object
)
_digest = _READER.object_of(Digest, sha256=_hex, size=_number)
_scheduled = _READER.object_of(
    ScheduledMatch,
    index=_number,
    round=_number,
    number=_number,
    seats=_few(_entrant_number, MOST_SEATS),
)
_attempts = _few(
    _READER.object_of(
        FailedAttempt,
        asked=_few(_READER.whole(0, MOST_SEATS - 1), MOST_SEATS),
        kind=_choice(FailureKind),
        worker=_text,
        started=_text,
        ended=_text,
    ),
    MOST_FAILED,
)
# The long members: how each of their elements is read, and how many there may be.
_LISTS: dict[str, tuple[Read[Any], int]] = {
    "entrants": (_entrant, MOST_ENTRANTS),
    "stopped": (_stopped_entrant, MOST_ENTRANTS),
    "departures": (_departure, MOST_DEPARTURES),
    "draws": (_draw, MOST_DRAWS),
    "absent": (_absent, MOST_MATCHES),
    "acts": (_act, MOST_ACTS),
    "matches": (_played, MOST_MATCHES),
}
_OBJECTS: dict[str, tuple[Read[Any], int]] = {
    "files": (_digest, MOST_FILES),
    "environments": (_READER.object, MOST_ENVIRONMENTS),
}
