"""Reads the stored records, logs, output files and standard error of matches.

Damaged data counts as lost and raises FileNotFoundError, so that callers
can show the rest of a page or archive.

A recording is a row of its own, and later in a pack with others (agon.site.matches.packing). Nothing else
needs to know where it is. What reads those of many matches, in their order, goes through `of_many`: otherwise
a pack is read again for each.
"""

import hashlib
import json
import logging
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from agon.site.matches.models import Match, Recording, Seat, Stderr
from agon.site.matches.pack_format import DamagedPack
from agon.site.matches.packs import Packs
from games.core import match_log_json, timing
from games.core.match_log import MatchLog, timed
from games.core.record import BadRecord, canonical
from games.core.replay import log_of
from games.core.shown_log import shown
from games.core.time_limit import TookTooLong, limited

LONGEST_REPLAY = 10.0  # seconds of processor time; those of our games take less than one
logger = logging.getLogger(__name__)
_PACKS = "_packs"  # among the attributes of a match: the reader of packs that it shares with others


def of_many(matches: Iterable[Match]) -> Iterator[Match]:
    """The same matches, which share the packs that are read for them."""
    packs = Packs()
    for match in matches:
        vars(match)[_PACKS] = packs
        yield match


def record_json(match: Match) -> bytes:
    """The record as canonical JSON. Raises FileNotFoundError if there is none (not finished, or lost)."""
    name = f"record of match {match.pk}"
    data = _text(match, "record", name)
    if data is None:
        raise FileNotFoundError(f"the {name} is missing")
    if not data.startswith(b"{"):  # not parsed, because an archive has very many
        raise FileNotFoundError(f"the {name} is damaged: it is no JSON object")
    return data


def digest(match: Match) -> str:
    """The SHA-256 of the record, for the chain of results; zeros, which no file has, for one that is lost."""
    try:
        return hashlib.sha256(record_json(match)).hexdigest()
    except FileNotFoundError:
        return "0" * 64


def is_kept(match: Match) -> bool:
    """Whether its record can be read."""
    try:
        return bool(record_json(match))
    except FileNotFoundError:
        return False


def times_json(match: Match) -> bytes:
    """The times of answers as canonical JSON; b"" if lost."""
    try:
        data = _text(match, "times", f"times of match {match.pk}") or b""
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
    if stored := _text(match, "log", f"log of match {match.pk}"):
        return match_log_json.from_json(stored)
    return replay(record_json(match), times_json(match))


def replay(record: bytes, times: bytes) -> MatchLog:
    """The log of the match with this record and these times (b"" if they are lost). Raises BadRecord."""
    match_log, wrong = _replay(record)
    if wrong:
        logger.error("%s cannot describe a match in full: %s", match_log.game, wrong)
    try:
        return timed(match_log, timing.from_json(times)) if times else match_log
    except BadRecord:  # the times are lost, the match is not
        return match_log


def _replay(data: bytes) -> tuple[MatchLog, str]:
    """The log, and what its game has put into it that pages cannot show."""
    try:
        with limited(LONGEST_REPLAY):  # a page waits for it, and those of others beside it
            return shown(log_of(data))
    except BadRecord:
        raise
    except (Exception, TookTooLong) as error:  # the game was changed, and kept its version
        raise BadRecord(f"its game cannot replay it: {error!r}") from error


def has_log(match: Match) -> bool:
    """Whether the match has a stored log (agon.site.matches.stored_logs). Raises FileNotFoundError."""
    return bool(_text(match, "log", f"log of match {match.pk}"))


def public_log(match: Match) -> MatchLog:
    """The log for everyone: its seed is 0 while it is secret."""
    match_log = log(match)
    return match_log if match.seed_is_public else replace(match_log, seed=0)


def files(match: Match) -> dict[str, str]:
    """The game's own output files by name; none before the match is finished. Raises FileNotFoundError."""
    name = f"output of match {match.pk}"
    data = _text(match, "files", name)
    contents = _parse(data, name) if data else {}
    if not isinstance(contents, dict):
        raise FileNotFoundError(f"the {name} is damaged: it is no JSON object")
    return contents


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
    return [read_stderr(seat, stored.get(seat.pk)) for seat in seats]


def read_stderr(seat: Seat, stored: Stderr | None) -> StderrData:
    """The standard error in a seat's row of `Stderr`; stored: None if it has none."""
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


def _text(match: Match, part: str, name: str) -> bytes | None:
    """A part of the recording, b"" if it has none. None: the match is not finished, or it was removed.

    Raises FileNotFoundError if it is damaged.
    """
    recording: Recording | None = getattr(match, "recording", None)
    if recording is not None:
        return text_of(recording, part, name)
    if match.finished_at is None:
        return None
    packs: Packs = vars(match).setdefault(_PACKS, Packs())
    try:
        pack = packs.find(match)
        return None if pack is None else pack.text(match.pk, part)
    except DamagedPack as error:
        raise FileNotFoundError(f"the {name} is damaged: {error}") from error


def text_of(recording: Recording, part: str, name: str) -> bytes:
    """A part of a recording that is a row of its own. Raises FileNotFoundError if it is damaged."""
    data = getattr(recording, part)
    return _inflate(data, name) if data or part in ("record", "times") else b""


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
