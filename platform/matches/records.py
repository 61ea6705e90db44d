"""Reading what a match has left in the storage."""

import gzip
import json

from django.db.models.fields.files import FieldFile

from games.core import record as records
from games.core.record import Record
from matches.models import Match, Seat


def record_json(match: Match) -> bytes:
    """The record as canonical JSON. Raises FileNotFoundError where there is none (not finished, or lost)."""
    return _read(match.record)


def record(match: Match) -> Record:
    """The record. Raises FileNotFoundError, BadRecord."""
    return records.from_json(record_json(match))


def files(match: Match) -> dict[str, str]:
    """The game's own output files by name; none before the match is finished."""
    return json.loads(_read(match.files)) if match.files else {}


def stderr(seat: Seat) -> bytes:
    """What the bot wrote to its standard error; for eyes that `matches.access` allows."""
    return _read(seat.stderr) if seat.stderr else b""


def _read(file: FieldFile) -> bytes:
    if not file:
        raise FileNotFoundError("nothing was recorded")
    with file.open("rb") as compressed:
        return gzip.decompress(compressed.read())
