"""A record: one finished match as canonical JSON. Equal matches have records of equal bytes.

It holds what cannot be derived: game and version, seed, seats, the answers, and the faults seen from outside.
It also holds the scores, so that the result can be read without the game. What was sent, illegal moves,
frames, ranks and output files are derived from it (games/core/replay.py). How long answers took differs from
run to run, so it is in a file of its own (games/core/timing.py).

Records are read back from archives that anyone may have forged, so `from_json` trusts nothing: it bounds the
text before parsing it and checks every field's type and range, naming the wrong one. Whether a record agrees
with the rules of its game is checked by `replay`.
"""

import json
import math
import re
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from games.core import seeds
from games.core.faults import FaultKind
from games.core.fields import Fields, Reader
from games.core.game import Json
from games.core.reason import Reason, Value
from games.core.untrusted_json import parse

FORMAT = 3
LARGEST_RECORD = 32 << 20
MOST_SEATS = 64
DEEPEST = 16
LARGEST_NUMBER = 1 << 63
MOST_VALUES = 12  # of a reason
DEEPEST_REASON = 6  # reasons within reasons
_CODE = re.compile(r"[a-z][a-z0-9_]{0,39}(\.[a-z][a-z0-9_]{0,39})?", re.ASCII)
_NAME = re.compile(r"[a-z][a-z_]{0,29}", re.ASCII)
_EXACT_NUMBER = re.compile(r"-?[0-9]{1,40}(/[1-9][0-9]{0,39})?", re.ASCII)
_T = TypeVar("_T")


class BadRecord(Exception):
    """Not a record. str(e) names the field, what was expected and what it got."""


class RecordedFault(NamedTuple):
    """What a bot did wrong. step: the number of the ask, from 0; a `start` fault has step 0.

    reason: in a record, what was seen from outside; in a match log, it has the game's position before it.
    """

    seat: int
    kind: FaultKind
    step: int
    reason: Reason

    def to_data(self) -> dict[str, Any]:
        """As JSON data."""
        place = {"seat": self.seat, "kind": str(self.kind), "step": self.step}
        return place | self.reason.to_data()


class SeatInfo(NamedTuple):
    """A seat's bot: its name and the digest of its submission ("" if it has none)."""

    name: str
    submission: str


@dataclass(frozen=True)
class Record:
    """One match. scores: exact numbers as text ("12", "7/2").

    answers: by seat, one for each ask; None if a fault seen from outside left no answer. A line for stdio and
    functions; for programs what they appended, or what happened to the file.
    faults: those seen from outside, in the order of steps and seats; those at the start come first.
    """

    game: str
    version: str
    seed: int
    seats: tuple[SeatInfo, ...]
    answers: tuple[tuple[Json, ...], ...]
    faults: tuple[RecordedFault, ...]
    scores: tuple[str, ...]


def to_data(record: Record) -> dict[str, Any]:
    """The record as JSON data: objects with named fields, nothing but what `from_json` reads."""
    return {
        "format": FORMAT,
        "game": record.game,
        "version": record.version,
        "seed": seeds.to_data(record.seed),
        "seats": [seat._asdict() for seat in record.seats],
        "answers": [list(answers) for answers in record.answers],
        "faults": [fault.to_data() for fault in record.faults],
        "scores": list(record.scores),
    }


def to_json(record: Record) -> str:
    """Canonical JSON: sorted keys, no spaces, ASCII only, one newline at the end."""
    return canonical(to_data(record))


def from_json(text: str | bytes) -> Record:
    """Read a record. Raises BadRecord with the path of the first wrong field."""
    top = read_object(text)
    facts = read_match(top, FORMAT)
    seats = len(facts["seats"])
    answers = one_each(top.items("answers", _answers), "answers", seats)
    faults = top.items("faults", lambda value, path: read_fault(value, path, seats))
    for place, fault in enumerate(faults):
        if fault.kind == FaultKind.ILLEGAL:
            path = f"faults[{place}].kind"
            raise BadRecord(f"{path}: an illegal move is not recorded: it follows from the answer")
    return top.done(Record(**facts, answers=answers, faults=faults))


def canonical(data: dict[str, Any]) -> str:
    """The data as canonical JSON: sorted keys, no spaces, ASCII only, one newline at the end."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False) + "\n"


def read_object(text: str | bytes) -> Fields:
    """The fields of an untrusted JSON object. Raises BadRecord."""
    if len(text) > LARGEST_RECORD:
        raise BadRecord(f"a record has at most {LARGEST_RECORD} bytes, this has {len(text)}")
    if not text:
        raise BadRecord("not a record: it is empty")
    try:
        data = parse(text, parse_constant=_refuse_constant, parse_float=_finite_float)
    except ValueError as error:
        raise BadRecord(f"not a record: {error}") from None
    return fields(data, "")


def fields(value: Json, path: str) -> Fields:
    return Fields(READER, READER.object(value, path or "the record"), path)


def limit_depth(value: Json, path: str, depth: int = DEEPEST) -> Json:
    """`value` itself.

    Raises BadRecord if it is nested so deeply that processing it could exhaust the stack.
    """
    if isinstance(value, dict | list):
        if depth == 0:
            raise BadRecord(f"{path}: nested more than {DEEPEST} deep")
        for item in value.values() if isinstance(value, dict) else value:
            limit_depth(item, path, depth - 1)
    return value


def read_match(top: Fields, format: int) -> dict[str, Any]:
    """The fields that records and match logs have in common, after the number of their format."""
    number = top.integer("format", 0, 1 << 31)
    if number != format:
        raise BadRecord(f"format: expected {format}, got {number}")
    seats = top.items("seats", READER.object_of(SeatInfo, name=READER.text, submission=READER.text))
    if not 1 <= len(seats) <= MOST_SEATS:
        raise BadRecord(f"seats: expected 1 to {MOST_SEATS}, got {len(seats)}")
    return {
        "game": top.text("game"),
        "version": top.text("version"),
        "seed": top.read("seed", _seed),
        "seats": seats,
        "scores": one_each(top.items("scores", _score), "scores", len(seats)),
    }


def read_kind(value: Json, path: str) -> FaultKind:
    try:
        return FaultKind(str(value))
    except ValueError:
        raise READER.wrong(path, f"one of {' '.join(FaultKind)}", value) from None


def read_fault(value: Json, path: str, seats: int) -> RecordedFault:
    fault = fields(value, path)
    seat, step = fault.integer("seat", 0, seats - 1), fault.integer("step", 0, LARGEST_NUMBER)
    return fault.done(RecordedFault(seat, fault.read("kind", read_kind), step, read_reason(fault)))


def read_reason(given: Fields, depth: int = DEEPEST_REASON) -> Reason:
    """The reason that an object with the fields `code` and `values` holds."""
    code = given.text("code")
    if not _CODE.fullmatch(code):
        raise READER.wrong(given.at("code"), "the code of a reason", code)
    path = given.at("values")
    values = READER.object(given.take("values"), path)
    if len(values) > MOST_VALUES or not all(map(_NAME.fullmatch, values)):
        raise READER.refuse(path, f"expected at most {MOST_VALUES} values with short names")
    return Reason(code, {name: _value(value, f"{path}.{name}", depth) for name, value in values.items()})


def _value(value: Json, path: str, depth: int) -> Value:
    if isinstance(value, dict) and depth:
        inner = fields(value, path)
        return inner.done(read_reason(inner, depth - 1))
    if isinstance(value, str):
        return value
    if isinstance(value, float) or (type(value) is int and abs(value) <= LARGEST_NUMBER):
        return value
    raise READER.wrong(path, "text, a number or a reason", value)


def one_each(values: tuple[_T, ...], path: str, seats: int) -> tuple[_T, ...]:
    """`values` itself. Raises BadRecord unless there is one for each seat."""
    if len(values) != seats:
        raise BadRecord(f"{path}: expected one for each of {seats} seats, got {len(values)}")
    return values


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _finite_float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{digits[:40]} is too large a number")
    return number


def _describe(value: object) -> str:
    """A wrong value in a few words."""
    if isinstance(value, str):
        return f"text {value[:40]!r}"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int | float):
        return (
            f"the number {value!r}"
            if isinstance(value, float) or abs(value) <= LARGEST_NUMBER
            else "a huge number"
        )
    return "a list" if isinstance(value, list) else "an object"


READER = Reader(BadRecord, _describe)


def _answers(value: Json, path: str) -> tuple[Json, ...]:
    if not isinstance(value, list):
        raise READER.wrong(path, "a list", value)
    return tuple(
        [
            answer if type(answer) is str else limit_depth(answer, f"{path}[{place}]")
            for place, answer in enumerate(value)
        ]
    )


def is_score(text: str) -> bool:
    """Whether readers of records take this score."""
    return _EXACT_NUMBER.fullmatch(text) is not None


def _score(value: Json, path: str) -> str:
    if not isinstance(value, str) or not _EXACT_NUMBER.fullmatch(value):
        raise READER.wrong(path, 'an exact number as text like "12" or "7/2"', value)
    return value


def _seed(value: Json, path: str) -> int:
    """A number, or decimal text for seeds too large for a JSON number."""
    if value is None:
        raise BadRecord("seed: withheld until the match's tournament is over")
    if not isinstance(value, str):
        return READER.integer(value, path, -LARGEST_NUMBER, LARGEST_NUMBER)
    seed = seeds.from_text(value)
    if seed is None:
        raise READER.wrong(path, "a whole number from 2^63 to 2^256 - 1", value)
    return seed
