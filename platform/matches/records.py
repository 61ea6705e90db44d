"""Reading what a match has left in the storage. What is damaged there is as good as lost."""

import gzip
import json
import zlib

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
    with file.open("rb") as stored:
        compressed = stored.read()
    try:
        if not compressed:  # which gzip would take for nothing, compressed
            raise EOFError("it is empty")
        return gzip.decompress(compressed)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FileNotFoundError(f"{file.name} is damaged: {error}") from error
