"""manifest.json read back. It may be anyone's, so each field's type and range is checked, and the first wrong
one named.
"""

import itertools
import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from agon.contest.archive.json_stream import JsonStream
from agon.contest.archive.manifest import (
    ARCHIVE_FORMAT,
    LARGEST_MANIFEST,
    LARGEST_WIDE,
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
    Manifest,
    Origin,
    Why,
    seeding_of,
)
from agon.contest.attempts import FailedAttempt, FailureKind
from agon.contest.formats import MOST_MATCHES, Absence, ScheduledMatch, Value
from games.core import seeds
from games.core.fields import Fields, Reader
from games.core.record import MOST_SEATS, SeatInfo

_LARGEST_NUMBER = (1 << 63) - 1
_HEX = re.compile(r"[0-9a-f]{64}", re.ASCII)
_T = TypeVar("_T")
_E = TypeVar("_E", bound=StrEnum)
_READER = Reader(BadArchive, lambda value: repr(value)[:60], prefix="manifest.json: ")


class _Played(NamedTuple):
    scheduled: ScheduledMatch
    seed: int
    drawn: int
    failed: tuple[FailedAttempt, ...]


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
    number = top.integer("archive", 0, _LARGEST_NUMBER)
    if number != ARCHIVE_FORMAT:
        raise BadArchive(f"manifest.json: archive: expected format {ARCHIVE_FORMAT}, got {number}")
    return _manifest(top)


def _manifest(top: Fields) -> Manifest:
    entrants: tuple[SeatInfo, ...] = top.take("entrants")
    if len(set(entrants)) < len(entrants):
        raise BadArchive("manifest.json: entrants: expected each of them once")
    played: tuple[_Played, ...] = top.take("matches")
    matches = tuple(each.scheduled for each in played)
    absent: tuple[Absent, ...] = top.take("absent")
    _check_matches("matches", matches, len(entrants))
    _check_matches("absent", [each.scheduled for each in absent], len(entrants))
    return Manifest(
        header=_header(top, entrants),
        matches=matches,
        files=top.take("files"),
        results=_hex(top.take("results"), "results"),
        seeds=tuple(each.seed for each in played),
        drawn=_drawn(played),
        failed=tuple(each.failed for each in played) if any(each.failed for each in played) else (),
        absent=absent,
        acts=top.take("acts"),
        end=_choice(top.take("end"), "end", End),
        origin=_origin(top),
    )


def _header(top: Fields, entrants: tuple[SeatInfo, ...]) -> Header:
    format = _text(top, "format")
    if top.take("seeding") != seeding_of(format):
        raise BadArchive(f"manifest.json: seeding: expected {seeding_of(format)} for this format")
    return Header(
        game=_text(top, "game"),
        format=format,
        rounds=top.integer("rounds", 0, _LARGEST_NUMBER),
        seed=_seed(top.take("seed"), "seed"),
        points=_text(top, "points"),
        seats=top.integer("seats", 1, MOST_SEATS),
        entrants=entrants,
        stopped=_stopped(top, len(entrants)),
        format_settings=_format_settings(top),
        ratings=_ratings(top, len(entrants)),
        departures=_departures(top, len(entrants)),
        draws=top.take("draws", ()),
        **{name: _hex(value, name) for name in SECRET if (value := top.take(name, None)) is not None},
    )


def _format_settings(top: Fields) -> tuple[tuple[str, Value], ...]:
    """agon.contest.formats.make_plan says whether the format has such settings."""
    given = top.take("format_settings", {})
    if not isinstance(given, dict) or len(given) > MOST_MEMBERS:
        raise _READER.wrong("format_settings", "an object", given)
    for name, value in given.items():
        if not isinstance(value, bool | int | str) or len(str(value)) > LONGEST_TEXT:
            raise _READER.wrong(f"format_settings.{name[:100]}", "a number, a text, true or false", value)
    return tuple(given.items())


def _ratings(top: Fields, entrants: int) -> tuple[int | None, ...]:
    """One for each entrant, null for one that had none; archives without any rating do not have it."""
    given = top.take("ratings", [])
    if not isinstance(given, list) or len(given) not in (0, entrants):
        raise _READER.wrong("ratings", "a number or null for each entrant", given)
    return tuple(
        None if each is None else _READER.integer(each, f"ratings[{place}]", -MOST_RATING, MOST_RATING)
        for place, each in enumerate(given)
    )


def _departures(top: Fields, entrants: int) -> tuple[Absence, ...]:
    departures: tuple[Absence, ...] = top.take("departures", ())
    for place, departure in enumerate(departures):
        _READER.integer(departure.entrant, f"departures[{place}].entrant", 0, entrants - 1)
    return departures


def _departure(value: object, path: str) -> Absence:
    fields = _fields(value, path)
    since = fields.integer("since", 0, _LARGEST_NUMBER)
    until = fields.take("until")
    if until is not None:
        until = _READER.integer(until, f"{path}.until", since, _LARGEST_NUMBER)
    return Absence(fields.integer("entrant", 0, MOST_ENTRANTS - 1), since, until)


def _check_matches(name: str, scheduled_matches: Sequence[ScheduledMatch], entrants: int) -> None:
    for place, scheduled in enumerate(scheduled_matches):
        for seat in scheduled.seats:
            _READER.integer(seat, f"{name}[{place}].seats", 0, entrants - 1)
    if any(first.index >= second.index for first, second in itertools.pairwise(scheduled_matches)):
        raise BadArchive(f"manifest.json: {name}: expected rising indexes")


def _drawn(played: Sequence[_Played]) -> tuple[int, ...]:
    return tuple(each.drawn for each in played) if any(each.drawn for each in played) else ()


def _origin(top: Fields) -> Origin:
    """Shown to readers and no more, so whatever is not as expected is left out."""
    kinds: dict[str, type] = dict.fromkeys(("agon", "python", "version"), str)
    kinds |= dict.fromkeys(("settings", "environments", "site", "chain", "match"), dict)
    given = {name: top.take(name, None) for name in kinds}
    facts: dict[str, Any] = {
        name: value if isinstance(value := given[name], kind) else kind() for name, kind in kinds.items()
    }
    return Origin(**facts)


def _read(stream: JsonStream) -> dict[str, Any]:
    """The members of the top-level object; the long ones are read element by element."""
    if stream.next != "{":
        raise _READER.wrong("the whole", "an object", stream.value())
    long: dict[str, Callable[[JsonStream], object]] = {
        "entrants": lambda stream: _many(stream, "entrants", _entrant, MOST_ENTRANTS),
        "stopped": lambda stream: _many(stream, "stopped", _stopped_entrant, MOST_ENTRANTS),
        "departures": lambda stream: _many(stream, "departures", _departure, MOST_DEPARTURES),
        "draws": lambda stream: _many(stream, "draws", _draw, MOST_DRAWS),
        "absent": lambda stream: _many(stream, "absent", _absent, MOST_MATCHES),
        "acts": lambda stream: _many(stream, "acts", _act, MOST_ACTS),
        "matches": lambda stream: _many(stream, "matches", _played, MOST_MATCHES),
        "files": _files,
        "environments": _environments,
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


def _files(stream: JsonStream) -> dict[str, Digest]:
    if stream.next != "{":
        raise _READER.wrong("files", "an object", stream.value())
    files: dict[str, Digest] = {}
    for path in stream.members():
        if path in files:
            raise BadArchive(f"manifest.json: files: {path[:100]}: is there twice")
        files[path] = _digest(stream.value(), path)
        if len(files) > MOST_FILES:
            raise BadArchive(f"manifest.json: files: expected at most {MOST_FILES:,}")
    return files


def _environments(stream: JsonStream) -> dict[str, Any]:
    if stream.next != "{":
        raise _READER.wrong("environments", "an object", stream.value())
    environments: dict[str, Any] = {}
    for digest in stream.members():
        environments[digest] = _READER.object(stream.value(), f"environments.{digest[:64]}")
        if len(environments) > MOST_ENVIRONMENTS:
            raise BadArchive(f"manifest.json: environments: expected at most {MOST_ENVIRONMENTS:,}")
    return environments


def _fields(value: object, path: str) -> Fields:
    return Fields(_READER, _READER.object(value, path), path)


def _text(fields: Fields, name: str) -> str:
    value = fields.take(name)
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise _READER.wrong(fields.at(name), "a short text", value)
    return value


def _choice(value: object, path: str, choices: type[_E]) -> _E:
    if not isinstance(value, str) or value not in list(choices):
        raise _READER.wrong(path, f"one of {', '.join(choices)}", value)
    return choices(value)


def _seed(value: object, path: str) -> int:
    """A number, or decimal text where it is larger than any number of JSON should be."""
    if not isinstance(value, str):
        return _READER.integer(value, path, 0, _LARGEST_NUMBER)
    seed = seeds.from_text(value)
    if seed is None:
        raise _READER.wrong(path, "a whole number from 0 to 2^63 - 1, or as text to 2^256 - 1", value)
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
    """Archives of tournaments without a stopped bot do not have it."""
    stopped: tuple[tuple[int, str], ...] = top.take("stopped", ())
    for place, (number, _) in enumerate(stopped):
        _READER.integer(number, f"stopped[{place}].entrant", 0, entrants - 1)
    if any(first[0] >= second[0] for first, second in itertools.pairwise(stopped)):
        raise BadArchive("manifest.json: stopped: expected rising numbers of entrants")
    return stopped


def _stopped_entrant(value: object, path: str) -> tuple[int, str]:
    fields = _fields(value, path)
    number = fields.integer("entrant", 0, MOST_ENTRANTS - 1)
    reason = _text(fields, "reason")
    if not reason:
        raise _READER.wrong(f"{path}.reason", "a reason", reason)
    return number, reason


def _draw(value: object, path: str) -> Draw:
    fields = _fields(value, path)
    state = _choice(fields.take("state"), f"{path}.state", Fared)
    salt = fields.take("salt", "")
    return Draw(
        why=_choice(fields.take("why"), f"{path}.why", Why),
        state=state,
        since=fields.integer("since", 0, _LARGEST_NUMBER),
        commitment=_hex(fields.take("commitment"), f"{path}.commitment"),
        draw=_hex(fields.take("draw"), f"{path}.draw"),
        salt="" if state == Fared.OPEN and salt == "" else _hex(salt, f"{path}.salt"),
    )


def _absent(value: object, path: str) -> Absent:
    fields = _fields(value, path)
    state = _choice(fields.take("state"), f"{path}.state", Fate)
    scheduled = _scheduled(fields)
    return Absent(scheduled, state, _text(fields, "reason"), _failed(fields, scheduled))


def _act(value: object, path: str) -> ArchivedAct:
    fields = _fields(value, path)
    return ArchivedAct(
        at=_text(fields, "at"),
        actor=_text(fields, "actor"),
        verb=_text(fields, "verb"),
        subject=_text(fields, "subject"),
        reason=_text(fields, "reason"),
        details=_READER.object(fields.take("details"), f"{path}.details"),
    )


def _played(value: object, path: str) -> _Played:
    fields = _fields(value, path)
    drawn = _READER.integer(fields.take("draw", 0), f"{path}.draw", 0, MOST_DRAWS)
    scheduled = _scheduled(fields)
    seed = _seed(fields.take("seed"), f"{path}.seed")
    return _Played(scheduled, seed, drawn, _failed(fields, scheduled))


def _failed(fields: Fields, scheduled: ScheduledMatch) -> tuple[FailedAttempt, ...]:
    """The attempts at a match that failed."""
    path, found = f"{fields.path}.failed", fields.take("failed", [])
    if not isinstance(found, list) or len(found) > MOST_FAILED:
        raise _READER.wrong(path, f"a list of at most {MOST_FAILED}", found)
    last = len(scheduled.seats) - 1
    return tuple(_failed_attempt(each, f"{path}[{place}]", last) for place, each in enumerate(found))


def _failed_attempt(value: object, path: str, last: int) -> FailedAttempt:
    """last: the last seat of the match."""
    fields = _fields(value, path)
    asked = fields.take("asked")
    if not isinstance(asked, list) or len(asked) > last + 1:
        raise _READER.wrong(f"{path}.asked", f"a list of at most {last + 1} seats", asked)
    return FailedAttempt(
        asked=tuple(_READER.integer(seat, f"{path}.asked", 0, last) for seat in asked),
        kind=_choice(fields.take("kind"), f"{path}.kind", FailureKind),
        worker=_text(fields, "worker"),
        started=_text(fields, "started"),
        ended=_text(fields, "ended"),
    )


def _scheduled(fields: Fields) -> ScheduledMatch:
    seats = fields.take("seats")
    if not isinstance(seats, list) or len(seats) > MOST_SEATS:
        raise _READER.wrong(f"{fields.path}.seats", f"a list of at most {MOST_SEATS}", seats)
    return ScheduledMatch(
        index=fields.integer("index", 0, _LARGEST_NUMBER),
        round=fields.integer("round", 0, _LARGEST_NUMBER),
        number=fields.integer("number", 0, _LARGEST_NUMBER),
        seats=tuple(_READER.integer(seat, f"{fields.path}.seats", 0, MOST_ENTRANTS - 1) for seat in seats),
    )


def _digest(value: object, path: str) -> Digest:
    fields = _fields(value, path)
    sha256 = _hex(fields.take("sha256"), fields.at("sha256"))
    return Digest(sha256, fields.integer("size", 0, _LARGEST_NUMBER))
