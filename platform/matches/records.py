"""Reads what a match stored. A damaged file counts as lost."""

import gzip
import json
import zlib
from dataclasses import replace

from django.db.models.fields.files import FieldFile

from games.core import record as records
from games.core.record import Record
from matches.models import Match, Seat


def record_json(match: Match) -> bytes:
    """The record as canonical JSON. Raises FileNotFoundError if there is none (not finished, or lost)."""
    return _read(match.record)


def public_json(match: Match) -> bytes:
    """The record for everyone: its seed is null while it is secret. Raises ValueError if damaged."""
    data = record_json(match)
    if match.seed_is_public:
        return data
    facts = json.loads(data) | {"seed": None}
    return json.dumps(facts, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def record(match: Match) -> Record:
    """The record. Raises FileNotFoundError, BadRecord."""
    return records.from_json(record_json(match))


def public(match: Match) -> Record:
    """The record for everyone: its seed is 0 while it is secret."""
    found = record(match)
    return found if match.seed_is_public else replace(found, seed=0)


def files(match: Match) -> dict[str, str]:
    """The game's own output files by name; none before the match is finished."""
    return json.loads(_read(match.files)) if match.files else {}


def stderr(seat: Seat) -> bytes:
    """What the bot wrote to standard error; only for those whom `matches.access` allows."""
    return _read(seat.stderr) if seat.stderr else b""


def _read(file: FieldFile) -> bytes:
    if not file:
        raise FileNotFoundError("nothing was recorded")
    with file.open("rb") as stored:
        compressed = stored.read()
    try:
        if not compressed:  # gzip would take an empty file for valid
            raise EOFError("it is empty")
        return gzip.decompress(compressed)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FileNotFoundError(f"{file.name} is damaged: {error}") from error
