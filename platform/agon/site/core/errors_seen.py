"""Keeps in memory which errors this process has logged, until they are stored for the operator's page.

Errors are the same if the logger, the message before its values are filled in, and the class of the exception
are. So an error that comes a thousand times a second is one row, with how often it came and the latest text.
The heartbeat stores them (agon.site.fleet.heartbeat): logging costs no query, and works without a database.
"""

import hashlib
import logging
import threading
from dataclasses import dataclass
from datetime import UTC, datetime

from agon.site.core.logs import one_line

MOST_ERRORS = 100  # different errors between two heartbeats; further ones are only logged
LONGEST = 500  # characters of a text


@dataclass
class ErrorSeen:
    """An error since the last heartbeat. text: the latest."""

    key: str
    logger: str
    text: str
    count: int
    last: datetime


_lock = threading.Lock()
_seen: dict[str, ErrorSeen] = {}


class Handler(logging.Handler):
    """Notes records of the level ERROR and above."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            _note(record)
        except Exception:
            self.handleError(record)


def take() -> list[ErrorSeen]:
    """What was seen since the last call, which is forgotten here."""
    with _lock:
        taken = list(_seen.values())
        _seen.clear()
    return taken


def put_back(errors: list[ErrorSeen]) -> None:
    """Keep what was taken and could not be stored."""
    with _lock:
        for error in errors:
            later = _seen.get(error.key)
            if later is not None:
                later.count += error.count
            elif len(_seen) < MOST_ERRORS:
                _seen[error.key] = error


def _note(record: logging.LogRecord) -> None:
    error = record.exc_info[1] if record.exc_info else None
    kind = type(error).__name__ if error is not None else ""
    key = hashlib.sha256(f"{record.name}\0{record.msg}\0{kind}".encode(errors="replace")).hexdigest()[:32]
    words = record.getMessage() if error is None else f"{record.getMessage()} ({kind}: {error})"
    text, moment = one_line(words)[:LONGEST], datetime.fromtimestamp(record.created, UTC)
    with _lock:
        seen = _seen.get(key)
        if seen is not None:
            seen.count, seen.text, seen.last = seen.count + 1, text, moment
        elif len(_seen) < MOST_ERRORS:
            _seen[key] = ErrorSeen(key, record.name[:100], text, 1, moment)
