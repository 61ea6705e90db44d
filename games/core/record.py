"""A record: everything about one match, as plain data, and as JSON that is the same for the same match.

Records come back from archives that anybody may have forged. `from_json` therefore takes nothing on trust:
it bounds the text before it parses it and checks every field's type and range, naming the field that is
wrong. What a record claims about the game is a matter for `replay`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from games.core import seeds
from games.core.faults import FaultCause, FaultKind
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
    """Not a record. str(e) names the field, what was expected there and what it holds."""


class RecordedFault(NamedTuple):
    """What a bot did wrong. step: the number of the ask, from 0; a `start` fault has step 0."""

    seat: int
    kind: FaultKind
    step: int
    reason: str


class SeatInfo(NamedTuple):
    """Who sat there: the bot's name and the digest of its submission ("" when it has none)."""

    name: str
    submission: str


class Exchange(NamedTuple):
    """One seat's question and answer. step: the number of the ask, from 0.

    sent: the text sent (stdio, function) or {"args": [...]} (program; the file is all appended texts joined).
    reply: the raw reply, None when there was none. fault: what was wrong with it, if anything.
    wall_us, cpu_us, wait_us: microseconds; what is charged is wall less wait.
    """

    step: int
    kind: str
    seat: int
    sent: Json
    reply: Json
    fault: FaultCause | None
    wall_us: int
    cpu_us: int
    wait_us: int


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
    top = _Fields(data, "")
    number = top.integer("format", 0, 1 << 31)
    if number not in _NAMES:
        raise BadRecord(f"format: expected {' or '.join(map(str, _NAMES))}, got {number}")
    names = _NAMES[number]
    seats = top.many("seats", _seat)
    if not 1 <= len(seats) <= MOST_SEATS:
        raise BadRecord(f"seats: expected 1 to {MOST_SEATS}, got {len(seats)}")
    return top.done(
        Record(
            game=top.text("game"),
            version=top.text("version"),
            seed=_seed(top.take("seed")),
            seats=seats,
            exchanges=top.many(names.exchanges, lambda v, p: _exchange(v, p, len(seats), names)),
            frames=top.many("frames", _plain_object),
            faults=top.many("faults", lambda value, path: _fault(value, path, len(seats), names)),
            scores=_one_each(top.many("scores", _score), "scores", seats),
            ranks=_one_each(top.many("ranks", lambda v, p: _integer(v, p, 1, len(seats))), "ranks", seats),
            summary=_plain_object(top.take(names.summary), names.summary),
            started=top.text("started"),
            seconds=top.seconds("seconds"),
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


class _Fields:
    """An untrusted JSON object, read field by field; whatever is left over at the end is refused."""

    def __init__(self, value: object, path: str) -> None:
        self._fields = dict(_object(value, path or "the record"))
        self._prefix = f"{path}." if path else ""

    def take(self, name: str) -> Json:
        if name not in self._fields:
            raise BadRecord(f"{self._prefix}{name}: missing")
        return self._fields.pop(name)

    def text(self, name: str) -> str:
        return _text(self.take(name), self._prefix + name)

    def integer(self, name: str, least: int, most: int) -> int:
        return _integer(self.take(name), self._prefix + name, least, most)

    def seconds(self, name: str) -> float:
        value = self.take(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST:
            raise BadRecord(f"{self._prefix}{name}: expected seconds, got {_what(value)}")
        return float(value)

    def many(self, name: str, read: Callable[[Json, str], _T]) -> tuple[_T, ...]:
        path, value = self._prefix + name, self.take(name)
        if not isinstance(value, list):
            raise BadRecord(f"{path}: expected a list, got {_what(value)}")
        return tuple(read(item, f"{path}[{i}]") for i, item in enumerate(value))

    def done(self, result: _T) -> _T:
        if self._fields:
            raise BadRecord(f"{self._prefix}{min(self._fields)[:60]}: not a field of a record")
        return result


def _what(value: object) -> str:
    """A wrong value in a few words."""
    if isinstance(value, str):
        return f"text {value[:40]!r}"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int | float):
        return f"the number {value!r}" if isinstance(value, float) or abs(value) <= _MOST else "a huge number"
    return "a list" if isinstance(value, list) else "an object"


def _object(value: object, path: str) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise BadRecord(f"{path}: expected an object, got {_what(value)}")
    return value


def _plain(value: Json, path: str, depth: int = DEEPEST) -> Json:
    """Any JSON, but not nested so deeply that working on it could exhaust the stack."""
    if isinstance(value, dict | list):
        if depth == 0:
            raise BadRecord(f"{path}: nested more than {DEEPEST} deep")
        for item in value.values() if isinstance(value, dict) else value:
            _plain(item, path, depth - 1)
    return value


def _plain_object(value: Json, path: str) -> dict[str, Json]:
    _plain(value, path)
    return _object(value, path)


def _text(value: Json, path: str) -> str:
    if not isinstance(value, str):
        raise BadRecord(f"{path}: expected text, got {_what(value)}")
    return value


def _integer(value: Json, path: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BadRecord(f"{path}: expected a whole number from {least} to {most}, got {_what(value)}")
    return value


def _seed(value: Json) -> int:
    """A number, or decimal text where it is larger than any number of JSON should be."""
    if value is None:
        raise BadRecord("seed: withheld until the match's tournament is over")
    if not isinstance(value, str):
        return _integer(value, "seed", -_MOST, _MOST)
    seed = seeds.from_text(value)
    if seed is None:
        raise BadRecord(f"seed: expected a whole number from 2^63 to 2^256 - 1, got {_what(value)}")
    return seed


def _score(value: Json, path: str) -> str:
    if not isinstance(value, str) or not _EXACT.fullmatch(value):
        raise BadRecord(f'{path}: expected an exact number as text like "12" or "7/2", got {_what(value)}')
    return value


def _one_each(values: tuple[_T, ...], path: str, seats: tuple[SeatInfo, ...]) -> tuple[_T, ...]:
    if len(values) != len(seats):
        raise BadRecord(f"{path}: expected one for each of {len(seats)} seats, got {len(values)}")
    return values


def _seat(value: Json, path: str) -> SeatInfo:
    fields = _Fields(value, path)
    return fields.done(SeatInfo(fields.text("name"), fields.text("submission")))


def _kind(value: Json, path: str) -> FaultKind:
    try:
        return FaultKind(str(value))
    except ValueError:
        raise BadRecord(f"{path}: expected one of {' '.join(FaultKind)}, got {_what(value)}") from None


def _fault(value: Json, path: str, seats: int, names: _Names) -> RecordedFault:
    fields = _Fields(value, path)
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
    fields = _Fields(value, path)
    return fields.done(FaultCause(_kind(fields.take("kind"), f"{path}.kind"), fields.text("reason")))


def _exchange(value: Json, path: str, seats: int, names: _Names) -> Exchange:
    fields = _Fields(value, path)
    return fields.done(
        Exchange(
            step=fields.integer(names.step, 0, _MOST),
            kind=fields.text("kind"),
            seat=fields.integer("seat", 0, seats - 1),
            sent=_plain(fields.take("sent"), f"{path}.sent"),
            reply=_plain(fields.take("reply"), f"{path}.reply"),
            fault=_cause(fields.take("fault"), f"{path}.fault"),
            wall_us=fields.integer("wall_us", 0, _MOST),
            cpu_us=fields.integer("cpu_us", 0, _MOST),
            wait_us=fields.integer("wait_us", 0, _MOST),
        )
    )
