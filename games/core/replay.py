"""Replays a record without bots, for verification, for audits and for the pages of a match.

The game is played again from the record's seed. Where a bot answered, its recorded answer (or the fault
that was seen from outside) is fed in. Everything else (what was sent, illegal moves, fault policy, frames,
ranks, scores) is derived. So a sound record is, byte for byte, the record of its replay, and a forged one is
not.
"""

import itertools
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from games.core import match_log_json
from games.core import record as records
from games.core.driver import Driver, Reply
from games.core.faults import FaultCause, FaultKind
from games.core.game import Json
from games.core.manifest import Channel, UnknownGame, load
from games.core.match_log import MatchLog
from games.core.record import BadRecord, Record

MOST_DIFFERENCES = 10
_SIDES = ("in the record", "when played again")


class Checked(NamedTuple):
    """The result of checking a record. files: the game's own output files. differences: [] if it is sound."""

    log: MatchLog
    files: Mapping[str, str]
    differences: list[str]


def replay(record: Record) -> MatchLog:
    """Play the match again. Raises BadRecord if the record cannot be a match of its game.

    That is: an unknown game or version, or answers that are missing, left over or of the wrong shape.
    """
    return rerun(record).log(record.seats)


def log_of(data: bytes) -> MatchLog:
    """The match log of a record as JSON. Raises BadRecord."""
    return replay(records.from_json(data))


def frame_steps(log: MatchLog) -> tuple[int, ...]:
    """For each frame the ask that led to it, -1 before the first.

    For a log that was read from JSON it is found by playing the match again. If its game has changed since,
    each frame is taken to follow the ask before it.
    """
    if len(log.frame_steps) == len(log.frames):
        return log.frame_steps
    try:
        again = replay(log.record)
    except BadRecord:
        again = log
    if len(again.frame_steps) == len(log.frames):
        return again.frame_steps
    return tuple(range(-1, len(log.frames) - 1))


def frame_of_step(log: MatchLog) -> Callable[[int], int]:
    """Which frame, from 0, shows what an ask led to: the last one if it led to none."""
    places, last = frame_steps(log), max(0, len(log.frames) - 1)
    return lambda step: min(bisect_left(places, step), last)


def check(data: bytes, record: Record | None = None) -> Checked:
    """Replay an untrusted record. record: the same, if it was already parsed.

    Raises BadRecord if it cannot be replayed.
    """
    record = record or records.from_json(data)
    driver = rerun(record)
    log = driver.log(record.seats)
    canonical = records.to_json(log.record).encode()
    problems: list[str] = []
    if canonical != data:
        problems = _differences(records.to_data(record), records.to_data(log.record))
        problems = problems or [
            f"not written as records are: it differs at byte {_first_difference(data, canonical)}"
        ]
    return Checked(log, driver.files, problems)


def rerun(record: Record) -> Driver:
    """Like replay(), for callers that need the driver itself."""
    driver = _new_driver(record)
    _report_start_faults(driver, record)
    channel = driver.info.channel
    faults = {
        (fault.step, fault.seat): FaultCause(fault.kind, fault.reason)
        for fault in record.faults
        if fault.kind != FaultKind.START
    }
    asked = [0] * driver.seats
    while driver.pending:
        replies = {}
        for request in driver.pending:
            seat, place = request.seat, asked[request.seat]
            if place == len(record.answers[seat]):
                raise BadRecord(
                    f"answers[{seat}][{place}]: missing: the game goes on and asks in step {request.step}"
                )
            raw = record.answers[seat][place]
            asked[seat] = place + 1
            fault = faults.get((request.step, seat)) if faults else None
            if not _has_shape(raw, channel) and (fault is None or raw is not None):
                path = f"answers[{seat}][{place}]"
                raise BadRecord(f"{path}: not what a bot of channel {channel} can have answered")
            replies[seat] = Reply(raw, fault)
        driver.answer(replies)
    for seat, answers in enumerate(record.answers):
        if asked[seat] < len(answers):
            raise BadRecord(f"answers[{seat}][{asked[seat]}]: the match is over before this answer")
    return driver


def differences(a: MatchLog, b: MatchLog, sides: tuple[str, str] = _SIDES) -> list[str]:
    """Descriptions of the first differences between two match logs; [] if they are equal bit for bit.

    sides: where each of the two logs is from, as words that follow a value.
    """
    return _differences(match_log_json.to_data(a), match_log_json.to_data(b), sides)


def _differences(a: Any, b: Any, sides: tuple[str, str] = _SIDES) -> list[str]:
    return list(itertools.islice(_differing(a, b, "", sides), MOST_DIFFERENCES))


def _first_difference(a: bytes, b: bytes) -> int:
    return next(
        (place for place, (left, right) in enumerate(zip(a, b, strict=False)) if left != right), len(b)
    )


def _new_driver(record: Record) -> Driver:
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


def _report_start_faults(driver: Driver, record: Record) -> None:
    faults = {}
    for fault in record.faults:
        if fault.kind == FaultKind.START:
            if fault.step != 0:
                raise BadRecord(
                    f"faults: seat {fault.seat} answers, so it was started before step {fault.step}"
                )
            faults[fault.seat] = FaultCause(fault.kind, fault.reason)
    if faults:
        driver.start_faults(faults)


def _has_shape(raw: Json, channel: Channel) -> bool:
    if channel != Channel.PROGRAM:
        return type(raw) is str
    if not isinstance(raw, dict):
        return False
    if set(raw) == {"changed"}:
        return _is_reason(raw["changed"])
    return set(raw) == {"appended", "stdout"} and all(isinstance(value, str) for value in raw.values())


def _is_reason(value: Json) -> bool:
    try:
        given = records.fields(value, "changed")
        return bool(given.done(records.read_reason(given)))
    except BadRecord:
        return False


def _differing(a: Any, b: Any, path: str, sides: tuple[str, str]) -> Iterator[str]:
    """Walk both values together; types must be equal too, as 1 and True are different JSON."""
    first, second = sides
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted({*a, *b}):
            where = f"{path}.{key}" if path else key
            if key not in a or key not in b:
                yield f"{where}: only {first if key in a else second}"
            else:
                yield from _differing(a[key], b[key], where, sides)
    elif isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            yield f"{path}: {len(a)} {first}, {len(b)} {second}"
        for i, (left, right) in enumerate(zip(a, b, strict=False)):
            yield from _differing(left, right, f"{path}[{i}]", sides)
    elif type(a) is not type(b) or a != b:
        yield f"{path}: {_short(a)} {first}, {_short(b)} {second}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
