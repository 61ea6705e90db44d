"""Reads what is kept of a match, by this site or by an older one that kept it in files.

What is damaged counts as lost, and raises FileNotFoundError: the rest of the page or archive is still shown.
"""

import errno
import gzip
import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from django.db.models.fields.files import FieldFile

from games.core import match_log_json, timing
from games.core.match_log import MatchLog, timed
from games.core.record import BadRecord, canonical
from games.core.replay import log_of
from matches.models import Match, Recording, Seat, Stderr

_UNREADABLE = {errno.EISDIR, errno.ENOTDIR, errno.EACCES, errno.EIO}  # but not a shortage, which will pass


def record_json(match: Match) -> bytes:
    """The record as canonical JSON. Raises FileNotFoundError if there is none (not finished, or lost)."""
    recording, name = _recording(match), f"record of match {match.pk}"
    data = _read(match.record, name) if recording is None else _inflate(recording.record, name)
    if not data.startswith(b"{"):  # it is not parsed here, because an archive has many
        raise FileNotFoundError(f"the {name} is damaged: it is no JSON object")
    return data


def times_json(match: Match) -> bytes:
    """How long answers took, as canonical JSON; b"" if it is lost, or an older record holds it."""
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
    """What happened, with its times: replayed from the record. Raises FileNotFoundError, BadRecord.

    A match that its game can no longer replay has a stored log (matches.stored_logs).
    """
    recording = _recording(match)
    if recording is not None and recording.log:
        return match_log_json.from_json(_inflate(recording.log, f"log of match {match.pk}"))
    return replayed(record_json(match), times_json(match))


def replayed(record: bytes, times: bytes) -> MatchLog:
    """What happened in the match of a record, with its times ("" if they are lost). Raises BadRecord."""
    found = _replayed(record)
    try:
        return timed(found, timing.from_json(times)) if times else found
    except BadRecord:  # the times are lost, the match is not
        return found


def _replayed(data: bytes) -> MatchLog:
    try:
        return log_of(data)
    except BadRecord:
        raise
    except Exception as error:  # the game was changed, and kept its version
        raise BadRecord(f"its game cannot replay it: {error!r}") from error


def public_log(match: Match) -> MatchLog:
    """The log for everyone: its seed is 0 while it is secret."""
    found = log(match)
    return found if match.seed_is_public else replace(found, seed=0)


def files(match: Match) -> dict[str, str]:
    """The game's own output files by name; none before the match is finished. Raises FileNotFoundError."""
    recording, name = _recording(match), f"output of match {match.pk}"
    if recording is None:
        data = _read(match.files, name) if match.files else b""
    else:
        data = _inflate(recording.files, name) if recording.files else b""
    found = _parse(data, name) if data else {}
    if not isinstance(found, dict):
        raise FileNotFoundError(f"the {name} is damaged: it is no JSON object")
    return found


class Written(NamedTuple):
    """What a bot wrote to standard error. lost: why that cannot be read, or ""."""

    data: bytes
    lost: str = ""


def stderr(seat: Seat) -> bytes:
    """What the bot wrote to standard error; only for those whom `matches.access` allows.

    Raises FileNotFoundError.
    """
    written = stderr_of([seat])[0]
    if written.lost:
        raise FileNotFoundError(written.lost)
    return written.data


def stderr_of(seats: Sequence[Seat]) -> list[Written]:
    """What each of these bots wrote to standard error, in one query."""
    kept = Stderr.objects.in_bulk([seat.pk for seat in seats if not seat.stderr])
    return [_written(seat, kept.get(seat.pk)) for seat in seats]


def _written(seat: Seat, kept: Stderr | None) -> Written:
    name = f"standard error of seat {seat.number + 1} in match {seat.match_id}"
    try:
        if seat.stderr:
            return Written(_read(seat.stderr, name))
        return Written(b"" if kept is None else _inflate(kept.data, name))
    except FileNotFoundError as error:
        return Written(b"", str(error))


def stderr_asks(seat: Seat) -> list[int]:
    """How many bytes of its standard error the bot had written before each ask; [] if that is not known."""
    kept = Stderr.objects.filter(seat=seat).first()
    if kept is None or not kept.asks:
        return []
    name = f"asks of seat {seat.number + 1}"
    try:
        return list(_parse(_inflate(kept.asks, name), name))
    except FileNotFoundError:
        return []


def _recording(match: Match) -> Recording | None:
    """None for a match that is not finished, or was played by an older site."""
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


def _read(file: FieldFile, name: str) -> bytes:
    """The uncompressed contents. Errors name no path of this host, because archives publish them."""
    if not file:
        raise FileNotFoundError(f"the {name} is missing")
    try:
        with file.open("rb") as stored:
            compressed = stored.read()
    except FileNotFoundError as error:
        raise FileNotFoundError(f"the {name} is missing") from error
    except OSError as error:
        if error.errno not in _UNREADABLE:
            raise
        raise FileNotFoundError(f"the {name} cannot be read: {error.strerror}") from error
    try:
        if not compressed:  # gzip would take an empty file for valid
            raise EOFError("it is empty")
        return gzip.decompress(compressed)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FileNotFoundError(f"the {name} is damaged: {error}") from error
