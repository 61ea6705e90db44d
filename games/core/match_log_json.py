"""Match logs as JSON: what is stored of a match whose game has changed since. It is read within the bounds of
a record.
"""

from typing import Any

from games.core import seeds
from games.core.faults import FaultCause
from games.core.game import Json
from games.core.match_log import FORMAT, Exchange, MatchLog
from games.core.record import (
    LARGEST_NUMBER,
    READER,
    BadRecord,
    RecordedFault,
    canonical,
    fields,
    limit_depth,
    one_each,
    read_kind,
    read_object,
    read_reason,
    read_scores,
    read_seats,
    read_seed,
)
from games.core.timing import read_seconds


def to_data(log: MatchLog) -> dict[str, Any]:
    """The log as JSON data: objects with named fields, nothing but what `from_json` reads."""
    return {
        "format": FORMAT,
        "game": log.game,
        "version": log.version,
        "seed": seeds.to_data(log.seed),
        "seats": [seat._asdict() for seat in log.seats],
        "exchanges": [_exchange_data(exchange) for exchange in log.exchanges],
        "frames": list(log.frames),
        "faults": [fault.to_data() for fault in log.faults],
        "scores": list(log.scores),
        "ranks": list(log.ranks),
        "summary": log.summary,
        "started": log.started,
        "seconds": log.seconds,
    }


def to_json(log: MatchLog) -> str:
    """Canonical JSON: sorted keys, no spaces, ASCII only, one newline at the end."""
    return canonical(to_data(log))


def from_json(text: str | bytes) -> MatchLog:
    """Read a log. Raises BadRecord with the path of the first wrong field."""
    top = read_object(text)
    number = top.integer("format", 0, 1 << 31)
    if number != FORMAT:
        raise BadRecord(f"format: expected {FORMAT}, got {number}")
    seats = read_seats(top)
    return top.done(
        MatchLog(
            game=top.text("game"),
            version=top.text("version"),
            seed=read_seed(top),
            seats=seats,
            exchanges=top.items("exchanges", lambda v, p: _exchange(v, p, len(seats))),
            frames=top.items("frames", _object),
            faults=top.items("faults", lambda value, path: _fault(value, path, len(seats))),
            scores=read_scores(top, seats),
            ranks=one_each(top.items("ranks", lambda v, p: _rank(v, p, len(seats))), "ranks", seats),
            summary=_object(top.take("summary"), "summary"),
            started=top.text("started"),
            seconds=read_seconds(top),
        )
    )


def _exchange_data(exchange: Exchange) -> dict[str, Any]:
    data = exchange._asdict()
    if not exchange.host:
        del data["host"]
    if exchange.fault is not None:
        data["fault"] = {"kind": str(exchange.fault.kind)} | exchange.fault.reason.to_data()
    return data


def _object(value: Json, path: str) -> dict[str, Json]:
    limit_depth(value, path)
    return READER.object(value, path)


def _rank(value: Json, path: str, seats: int) -> int:
    return READER.integer(value, path, 1, seats)


def _fault(value: Json, path: str, seats: int) -> RecordedFault:
    fault = fields(value, path)
    return fault.done(
        RecordedFault(
            seat=fault.integer("seat", 0, seats - 1),
            kind=read_kind(fault.take("kind"), f"{path}.kind"),
            step=fault.integer("step", 0, LARGEST_NUMBER),
            reason=read_reason(fault),
        )
    )


def _cause(value: Json, path: str) -> FaultCause | None:
    if value is None:
        return None
    cause = fields(value, path)
    return cause.done(FaultCause(read_kind(cause.take("kind"), f"{path}.kind"), read_reason(cause)))


def _microseconds(value: Json, path: str) -> int | None:
    return None if value is None else READER.integer(value, path, 0, LARGEST_NUMBER)


def _exchange(value: Json, path: str, seats: int) -> Exchange:
    given = fields(value, path)
    return given.done(
        Exchange(
            step=given.integer("step", 0, LARGEST_NUMBER),
            kind=given.text("kind"),
            seat=given.integer("seat", 0, seats - 1),
            sent=limit_depth(given.take("sent"), f"{path}.sent"),
            reply=limit_depth(given.take("reply"), f"{path}.reply"),
            fault=_cause(given.take("fault"), f"{path}.fault"),
            wall_us=_microseconds(given.take("wall_us"), f"{path}.wall_us"),
            cpu_us=_microseconds(given.take("cpu_us"), f"{path}.cpu_us"),
            wait_us=_microseconds(given.take("wait_us"), f"{path}.wait_us"),
            host=READER.text(given.take("host", ""), f"{path}.host"),
        )
    )
