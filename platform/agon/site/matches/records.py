"""Reads the stored records, logs, output files and standard error of matches.

Damaged data counts as lost and raises FileNotFoundError, so that callers
can show the rest of a page or archive.
"""

import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from agon.site.matches.models import Match, Recording, Seat, Stderr
from games.core import match_log_json, timing
from games.core.match_log import MatchLog, timed
from games.core.record import BadRecord, canonical
from games.core.replay import log_of


def record_json(match: Match) -> bytes:
    """The record as canonical JSON. Raises FileNotFoundError if there is none (not finished, or lost)."""
    recording, name = _recording(match), f"record of match {match.pk}"
    if recording is None:
        raise FileNotFoundError(f"the {name} is missing")
    data = _inflate(recording.record, name)
    if not data.startswith(b"{"):  # not parsed, because an archive has very many
        raise FileNotFoundError(f"the {name} is damaged: it is no JSON object")
    return data


def times_json(match: Match) -> bytes:
    """The times of answers as canonical JSON; b"" if lost."""
    recording = _recording(match)
    try:
        data = b"" if recording is None else _inflate(recording.times, f"times of match {match.pk}")
    except FileNotFoundError:
        return b""
    return data if data.startswith(b"{") else b""


def public_json(match: Match) -> bytes:
    """The record for everyone: its seed is null while it is secret. Raises ValueError if damaged."""
    data = record_json(match)
    if match.seed_is_public:
        return data
    return canonical(json.loads(data) | {"seed": None}).encode()


def log(match: Match) -> MatchLog:
    """The match log with its times, replayed from the record. Raises FileNotFoundError, BadRecord.

    A match that its game can no longer replay has a stored log (agon.site.matches.stored_logs).
    """
    recording = _recording(match)
    if recording is not None and recording.log:
        return match_log_json.from_json(_inflate(recording.log, f"log of match {match.pk}"))
    return replay(record_json(match), times_json(match))


def replay(record: bytes, times: bytes) -> MatchLog:
    """The log of the match with this record and these times (b"" if they are lost). Raises BadRecord."""
    match_log = _replay(record)
    try:
        return timed(match_log, timing.from_json(times)) if times else match_log
    except BadRecord:  # the times are lost, the match is not
        return match_log


def _replay(data: bytes) -> MatchLog:
    try:
        return log_of(data)
    except BadRecord:
        raise
    except Exception as error:  # the game was changed, and kept its version
        raise BadRecord(f"its game cannot replay it: {error!r}") from error


def public_log(match: Match) -> MatchLog:
    """The log for everyone: its seed is 0 while it is secret."""
    match_log = log(match)
    return match_log if match.seed_is_public else replace(match_log, seed=0)


def files(match: Match) -> dict[str, str]:
    """The game's own output files by name; none before the match is finished. Raises FileNotFoundError."""
    recording, name = _recording(match), f"output of match {match.pk}"
    if recording is None or not recording.files:
        return {}
    found = _parse(_inflate(recording.files, name), name)
    if not isinstance(found, dict):
        raise FileNotFoundError(f"the {name} is damaged: it is no JSON object")
    return found


class StderrData(NamedTuple):
    """A bot's standard error in a match. lost: why that cannot be read, or ""."""

    data: bytes
    lost: str = ""


def stderr(seat: Seat) -> bytes:
    """The bot's standard error. The caller checks access (agon.site.tournaments.match_access).

    Raises FileNotFoundError.
    """
    stderr_data = stderr_of([seat])[0]
    if stderr_data.lost:
        raise FileNotFoundError(stderr_data.lost)
    return stderr_data.data


def stderr_of(seats: Sequence[Seat]) -> list[StderrData]:
    """The standard error of each of these seats, read in one query."""
    stored = Stderr.objects.in_bulk([seat.pk for seat in seats])
    return [_read_stderr(seat, stored.get(seat.pk)) for seat in seats]


def _read_stderr(seat: Seat, stored: Stderr | None) -> StderrData:
    name = f"standard error of seat {seat.number + 1} in match {seat.match_id}"
    try:
        return StderrData(b"" if stored is None else _inflate(stored.data, name))
    except FileNotFoundError as error:
        return StderrData(b"", str(error))


def stderr_asks(seat: Seat) -> list[int]:
    """The number of bytes that the bot had written to standard error before each ask; [] if unknown."""
    stored = Stderr.objects.filter(seat=seat).first()
    if stored is None or not stored.asks:
        return []
    name = f"asks of seat {seat.number + 1}"
    try:
        return list(_parse(_inflate(stored.asks, name), name))
    except FileNotFoundError:
        return []


def _recording(match: Match) -> Recording | None:
    """The recording; None for a match that is not finished, or whose recording was removed."""
    return getattr(match, "recording", None)


def _inflate(data: bytes | memoryview, name: str) -> bytes:
    try:
        return zlib.decompress(data)
    except zlib.error as error:
        raise FileNotFoundError(f"the {name} is damaged: {error}") from error


def _parse(data: bytes, name: str) -> Any:
    try:
        return json.loads(data)
    except ValueError as error:
        raise FileNotFoundError(f"the {name} is damaged: {error}") from error
