"""Match logs as JSON: what is stored of a match whose game has changed since. It is read within the bounds of
a record.
"""

from typing import Any

from games.core import seeds
from games.core.faults import FaultCause
from games.core.fields import or_none
from games.core.game import Json
from games.core.match_log import FORMAT, Exchange, MatchLog
from games.core.record import (
    LARGEST_NUMBER,
    READER,
    canonical,
    fields,
    limit_depth,
    one_each,
    read_fault,
    read_kind,
    read_match,
    read_object,
    read_reason,
)
from games.core.timing import read_seconds

_microseconds = or_none(READER.whole(0, LARGEST_NUMBER))


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
    facts = read_match(top, FORMAT)
    seats = len(facts["seats"])
    return top.done(
        MatchLog(
            **facts,
            exchanges=top.items("exchanges", lambda value, path: _exchange(value, path, seats)),
            frames=top.items("frames", _object),
            faults=top.items("faults", lambda value, path: read_fault(value, path, seats)),
            ranks=one_each(top.items("ranks", READER.whole(1, seats)), "ranks", seats),
            summary=top.read("summary", _object),
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


def _cause(value: Json, path: str) -> FaultCause:
    cause = fields(value, path)
    return cause.done(FaultCause(cause.read("kind", read_kind), read_reason(cause)))


def _exchange(value: Json, path: str, seats: int) -> Exchange:
    given = fields(value, path)
    return given.done(
        Exchange(
            step=given.integer("step", 0, LARGEST_NUMBER),
            kind=given.text("kind"),
            seat=given.integer("seat", 0, seats - 1),
            sent=given.read("sent", limit_depth),
            reply=given.read("reply", limit_depth),
            fault=given.read("fault", or_none(_cause)),
            wall_us=given.read("wall_us", _microseconds),
            cpu_us=given.read("cpu_us", _microseconds),
            wait_us=given.read("wait_us", _microseconds),
            host=given.read("host", READER.text, ""),
        )
    )
