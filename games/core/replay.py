"""Re-running a record without bots: verification, audit and resumption in one.

The game is played again from the record's seed. Where a bot answered, its recorded raw reply (or the fault
that the arena saw) is fed in. Everything else (what was sent, illegal moves, fault policy, frames, scores) is
derived again, so an honest record and its replay are equal bit for bit, and a changed one is not.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

from games.core.driver import Driver, Reply, Request
from games.core.faults import FaultCause, FaultKind
from games.core.game import Json
from games.core.manifest import Channel, UnknownGame, load
from games.core.record import BadRecord, Exchange, Record, to_data

MOST_DIFFERENCES = 10
_OTHER_WORDS = (1,)  # formats from when referees refused moves in other words


def replay(record: Record) -> Record:
    """Play the match again. Raises BadRecord when the record cannot be a match of its game.

    That is: an unknown game or version, or replies that are missing, left over or of another seat.
    """
    return record_again(record, rerun(record))


def record_again(record: Record, driver: Driver) -> Record:
    """What `record` should be, by the match that `driver` has played again from it: in the same format."""
    again = driver.record(record.seats, record.started, record.seconds)
    if record.format in _OTHER_WORDS:
        again = _refused_in_the_words_of(record, again)
    return dataclasses.replace(again, format=record.format)


def rerun(record: Record) -> Driver:
    """Like replay(), for callers that also need what is not in a record: the game's own output files."""
    driver = _driver(record)
    _start(driver, record)
    recorded = iter(record.exchanges)
    place = 0
    while driver.pending:
        replies = {}
        for request in driver.pending:
            replies[request.seat] = _reply(next(recorded, None), request, place, driver.info.channel)
            place += 1
        driver.answer(replies)
    if place < len(record.exchanges):
        raise BadRecord(f"exchanges[{place}]: the match is over before this step")
    return driver


def differences(a: Record, b: Record) -> list[str]:
    """Descriptions of the first differences between two records; [] if they are equal bit for bit."""
    return list(itertools.islice(_differing(to_data(a), to_data(b), ""), MOST_DIFFERENCES))


def _refused_in_the_words_of(record: Record, again: Record) -> Record:
    """`again` with the recorded reasons of illegal moves; the game still decides which are illegal."""
    reasons = {
        (fault.step, fault.seat): fault.reason for fault in record.faults if fault.kind == FaultKind.ILLEGAL
    }
    own = {
        (exchange.step, exchange.seat): exchange.fault
        for exchange in record.exchanges
        if exchange.fault is not None and exchange.fault.kind == FaultKind.ILLEGAL
    }
    return dataclasses.replace(
        again,
        faults=tuple(
            fault._replace(reason=reasons.get((fault.step, fault.seat), fault.reason))
            if fault.kind == FaultKind.ILLEGAL
            else fault
            for fault in again.faults
        ),
        exchanges=tuple(
            exchange._replace(fault=own.get((exchange.step, exchange.seat), exchange.fault))
            if exchange.fault is not None and exchange.fault.kind == FaultKind.ILLEGAL
            else exchange
            for exchange in again.exchanges
        ),
    )


def _driver(record: Record) -> Driver:
    try:
        info = load(record.game)
    except UnknownGame as error:
        raise BadRecord(f"game: {error}") from None
    if record.version != info.version:
        raise BadRecord(
            f"version: this was played under version {record.version[:40]!r} of {info.slug}, "
            f"here is version {info.version!r}"
        )
    try:
        return Driver(info, len(record.seats), record.seed)
    except ValueError as error:
        raise BadRecord(f"seats: {error}") from None


def _start(driver: Driver, record: Record) -> None:
    faults = {
        fault.seat: FaultCause(fault.kind, fault.reason)
        for fault in record.faults
        if fault.kind == FaultKind.START
    }
    if faults:
        driver.start_faults(faults)


def _reply(recorded: Exchange | None, request: Request, place: int, channel: Channel) -> Reply:
    """The record's answer to `request`, which its exchange number `place` must be."""
    path = f"exchanges[{place}]"
    if recorded is None:
        raise BadRecord(f"{path}: missing: the game goes on and asks seat {request.seat}")
    if (recorded.step, recorded.seat) != (request.step, request.seat):
        raise BadRecord(
            f"{path}: expected seat {request.seat} in step {request.step}, "
            f"got seat {recorded.seat} in step {recorded.step}"
        )
    fault = recorded.fault
    if fault is not None and fault.kind == FaultKind.START:
        raise BadRecord(f"{path}.fault.kind: a bot that answers has been started")
    if fault is not None and fault.kind == FaultKind.ILLEGAL:
        fault = None
    if fault is None and not _has_shape(recorded.reply, channel):
        raise BadRecord(f"{path}.reply: not what a bot of channel {channel} can have answered")
    return Reply(recorded.reply, fault, recorded.wall_us, recorded.cpu_us, recorded.wait_us, recorded.host)


def _has_shape(raw: Json, channel: Channel) -> bool:
    if channel != Channel.PROGRAM:
        return isinstance(raw, str)
    return (
        isinstance(raw, dict)
        and set(raw) in ({"appended", "stdout"}, {"changed"})
        and all(isinstance(value, str) for value in raw.values())
    )


def _differing(a: Any, b: Any, path: str) -> Iterator[str]:
    """Walk both values together; types must be equal too, as 1 and True are different JSON."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted({*a, *b}):
            where = f"{path}.{key}" if path else key
            if key not in a or key not in b:
                yield f"{where}: only in the {'first' if key in a else 'second'}"
            else:
                yield from _differing(a[key], b[key], where)
    elif isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            yield f"{path}: {len(a)} against {len(b)}"
        for i, (left, right) in enumerate(zip(a, b, strict=False)):
            yield from _differing(left, right, f"{path}[{i}]")
    elif type(a) is not type(b) or a != b:
        yield f"{path}: {_short(a)} against {_short(b)}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
