"""A record: everything about one match, as plain data, and as JSON that is the same for the same match.

Records are read back from archives that anyone may have forged, so `from_json` trusts nothing: it bounds the
text before parsing it and checks every field's type and range, naming the wrong one. Whether a record agrees
with the rules of its game is checked by `replay`.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from games.core import seeds
from games.core.faults import FaultCause, FaultKind
from games.core.fields import Fields, Reader
from games.core.game import Json
from games.core.untrusted_json import parse

FORMAT = 2
LARGEST_RECORD = 32 << 20
MOST_SEATS = 64
DEEPEST = 16
_MOST = 1 << 63
_EXACT = re.compile(r"-?[0-9]{1,40}(/[1-9][0-9]{0,39})?", re.ASCII)
_T = TypeVar("_T")


class BadRecord(Exception):
    """Not a record. str(e) names the field, what was expected and what it got."""


class RecordedFault(NamedTuple):
    """What a bot did wrong. step: the number of the ask, from 0; a `start` fault has step 0."""

    seat: int
    kind: FaultKind
    step: int
    reason: str


class SeatInfo(NamedTuple):
    """A seat's bot: its name and the digest of its submission ("" if it has none)."""

    name: str
    submission: str


class Exchange(NamedTuple):
    """One seat's question and answer. step: the number of the ask, from 0.

    sent: the text sent (stdio, function) or {"args": [...]} (program; the file is all appended texts,
    joined). reply: the raw reply, None when there was none. fault: what was wrong with it, if anything.
    wall_us, cpu_us, wait_us: microseconds; what is charged is wall less wait. The latter two are None where
    they were not measured. host: of a timeout, what the host did meanwhile; left out where it is empty.
    """

    step: int
    kind: str
    seat: int
    sent: Json
    reply: Json
    fault: FaultCause | None
    wall_us: int
    cpu_us: int | None
    wait_us: int | None
    host: str = ""


@dataclass(frozen=True)
class Record:
    """One match. scores: exact numbers as text ("12", "7/2"). started: ISO time or "". seconds: wall time.

    summary: what the game tells of the end. format: the one that the record was read from, and is written in.
    """

    game: str
    version: str
    seed: int
    seats: tuple[SeatInfo, ...]
    exchanges: tuple[Exchange, ...]
    frames: tuple[dict[str, Json], ...]
    faults: tuple[RecordedFault, ...]
    scores: tuple[str, ...]
    ranks: tuple[int, ...]
    summary: dict[str, Json]
    started: str = ""
    seconds: float = 0.0
    format: int = FORMAT


class _Names(NamedTuple):
    """What a format calls the fields whose names have changed."""

    exchanges: str
    step: str
    summary: str


_NAMES = {1: _Names("turns", "turn", "facts"), FORMAT: _Names("exchanges", "step", "summary")}


def to_data(record: Record) -> dict[str, Any]:
    """The record as JSON data: objects with named fields, nothing but what `from_json` reads."""
    names = _NAMES[record.format]
    return {
        "format": record.format,
        "game": record.game,
        "version": record.version,
        "seed": seeds.to_data(record.seed),
        "seats": [seat._asdict() for seat in record.seats],
        names.exchanges: [_exchange_data(exchange, names) for exchange in record.exchanges],
        "frames": list(record.frames),
        "faults": [_step_renamed(_kind_as_text(fault._asdict()), names) for fault in record.faults],
        "scores": list(record.scores),
        "ranks": list(record.ranks),
        names.summary: record.summary,
        "started": record.started,
        "seconds": record.seconds,
    }


def to_json(record: Record) -> str:
    """Canonical JSON: sorted keys, no spaces, ASCII only, one newline at the end."""
    return json.dumps(to_data(record), sort_keys=True, separators=(",", ":"), allow_nan=False) + "\n"


def _exchange_data(exchange: Exchange, names: _Names) -> dict[str, Any]:
    data = _step_renamed(exchange._asdict(), names)
    if not exchange.host:
        del data["host"]
    if exchange.fault is not None:
        data["fault"] = _kind_as_text(exchange.fault._asdict())
    return data


def _kind_as_text(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "kind": str(data["kind"])}


def _step_renamed(data: dict[str, Any], names: _Names) -> dict[str, Any]:
    data[names.step] = data.pop("step")
    return data


def from_json(text: str | bytes) -> Record:
    """Read a record. Raises BadRecord with the path of the first wrong field."""
    if len(text) > LARGEST_RECORD:
        raise BadRecord(f"a record has at most {LARGEST_RECORD} bytes, this has {len(text)}")
    try:
        data = parse(text, parse_constant=_no_constant, parse_float=_finite)
    except ValueError as error:
        raise BadRecord(f"not a record: {error}") from None
    top = _fields(data, "")
    number = top.integer("format", 0, 1 << 31)
    if number not in _NAMES:
        raise BadRecord(f"format: expected {' or '.join(map(str, _NAMES))}, got {number}")
    names = _NAMES[number]
    seats = top.items("seats", _seat)
    if not 1 <= len(seats) <= MOST_SEATS:
        raise BadRecord(f"seats: expected 1 to {MOST_SEATS}, got {len(seats)}")
    return top.done(
        Record(
            game=top.text("game"),
            version=top.text("version"),
            seed=_seed(top.take("seed")),
            seats=seats,
            exchanges=top.items(names.exchanges, lambda v, p: _exchange(v, p, len(seats), names)),
            frames=top.items("frames", _plain_object),
            faults=top.items("faults", lambda value, path: _fault(value, path, len(seats), names)),
            scores=_one_each(top.items("scores", _score), "scores", seats),
            ranks=_one_each(top.items("ranks", lambda v, p: _rank(v, p, len(seats))), "ranks", seats),
            summary=_plain_object(top.take(names.summary), names.summary),
            started=top.text("started"),
            seconds=_seconds(top.take("seconds"), "seconds"),
            format=number,
        )
    )


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{digits[:40]} is too large a number")
    return number


def _what(value: object) -> str:
    """A wrong value in a few words."""
    if isinstance(value, str):
        return f"text {value[:40]!r}"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int | float):
        return f"the number {value!r}" if isinstance(value, float) or abs(value) <= _MOST else "a huge number"
    return "a list" if isinstance(value, list) else "an object"


_READER = Reader(BadRecord, _what)


def _fields(value: Json, path: str) -> Fields:
    return Fields(_READER, _READER.object(value, path or "the record"), path)


def _seconds(value: Json, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST:
        raise _READER.wrong(path, "seconds", value)
    return float(value)


def _plain(value: Json, path: str, depth: int = DEEPEST) -> Json:
    """Any JSON that is not nested so deeply that processing it could exhaust the stack."""
    if isinstance(value, dict | list):
        if depth == 0:
            raise BadRecord(f"{path}: nested more than {DEEPEST} deep")
        for item in value.values() if isinstance(value, dict) else value:
            _plain(item, path, depth - 1)
    return value


def _plain_object(value: Json, path: str) -> dict[str, Json]:
    _plain(value, path)
    return _READER.object(value, path)


def _seed(value: Json) -> int:
    """A number, or decimal text for seeds too large for a JSON number."""
    if value is None:
        raise BadRecord("seed: withheld until the match's tournament is over")
    if not isinstance(value, str):
        return _READER.integer(value, "seed", -_MOST, _MOST)
    seed = seeds.from_text(value)
    if seed is None:
        raise _READER.wrong("seed", "a whole number from 2^63 to 2^256 - 1", value)
    return seed


def _score(value: Json, path: str) -> str:
    if not isinstance(value, str) or not _EXACT.fullmatch(value):
        raise _READER.wrong(path, 'an exact number as text like "12" or "7/2"', value)
    return value


def _rank(value: Json, path: str, seats: int) -> int:
    return _READER.integer(value, path, 1, seats)


def _one_each(values: tuple[_T, ...], path: str, seats: tuple[SeatInfo, ...]) -> tuple[_T, ...]:
    if len(values) != len(seats):
        raise BadRecord(f"{path}: expected one for each of {len(seats)} seats, got {len(values)}")
    return values


def _seat(value: Json, path: str) -> SeatInfo:
    fields = _fields(value, path)
    return fields.done(SeatInfo(fields.text("name"), fields.text("submission")))


def _kind(value: Json, path: str) -> FaultKind:
    try:
        return FaultKind(str(value))
    except ValueError:
        raise _READER.wrong(path, f"one of {' '.join(FaultKind)}", value) from None


def _fault(value: Json, path: str, seats: int, names: _Names) -> RecordedFault:
    fields = _fields(value, path)
    return fields.done(
        RecordedFault(
            seat=fields.integer("seat", 0, seats - 1),
            kind=_kind(fields.take("kind"), f"{path}.kind"),
            step=fields.integer(names.step, 0, _MOST),
            reason=fields.text("reason"),
        )
    )


def _cause(value: Json, path: str) -> FaultCause | None:
    if value is None:
        return None
    fields = _fields(value, path)
    return fields.done(FaultCause(_kind(fields.take("kind"), f"{path}.kind"), fields.text("reason")))


def _exchange(value: Json, path: str, seats: int, names: _Names) -> Exchange:
    fields = _fields(value, path)
    return fields.done(
        Exchange(
            step=fields.integer(names.step, 0, _MOST),
            kind=fields.text("kind"),
            seat=fields.integer("seat", 0, seats - 1),
            sent=_plain(fields.take("sent"), f"{path}.sent"),
            reply=_plain(fields.take("reply"), f"{path}.reply"),
            fault=_cause(fields.take("fault"), f"{path}.fault"),
            wall_us=fields.integer("wall_us", 0, _MOST),
            cpu_us=fields.integer("cpu_us", 0, _MOST, None),
            wait_us=fields.integer("wait_us", 0, _MOST, None),
            host=fields.reader.text(fields.take("host", ""), fields.at("host")),
        )
    )
