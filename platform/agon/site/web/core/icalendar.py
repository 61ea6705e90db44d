"""Writes calendar files (RFC 5545), which calendar programs import or subscribe to.

Times are in UTC. Lines end with CR LF and are folded at 75 octets, never within a character. In texts,
backslashes, semicolons, commas and line ends are escaped. Control characters, which no text of a calendar may
contain, and those that turn the direction of text, which would let a title rearrange what is beside it, are
written as their code points, `\\x00`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from agon.contest.text import escape_controls

CONTENT_TYPE = "text/calendar; charset=utf-8"
OCTETS = 75  # of a line, without its end
PRODUCT = "-//Agon//Agon//EN"
_SPECIAL = re.compile(r"([\\;,])")
_LINE_END = re.compile("\r\n|[\r\n\x85\u2028\u2029]")


@dataclass(frozen=True)
class Entry:
    """An event of a calendar.

    uid: stays the same whatever changes, ASCII. title, description: any text. start, end: aware; None for
    an event without a duration. changed: when any of this was changed last. sequence: counts the changes.
    url: ASCII.
    """

    uid: str
    title: str
    start: datetime
    changed: datetime
    sequence: int = 0
    end: datetime | None = None
    description: str = ""
    url: str = ""
    cancelled: bool = False


def calendar(name: str, entries: Iterable[Entry]) -> bytes:
    """The file. Raises ValueError for a time without a time zone."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        f"PRODID:{PRODUCT}",
        "CALSCALE:GREGORIAN",
        f"NAME:{_text(name)}",
        f"X-WR-CALNAME:{_text(name)}",
        "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
        *(line for entry in entries for line in _lines(entry)),
        "END:VCALENDAR",
    ]
    return b"".join(_folded(line) for line in lines)


def _lines(entry: Entry) -> Iterator[str]:
    yield "BEGIN:VEVENT"
    yield f"UID:{_text(entry.uid)}"
    yield f"DTSTAMP:{_time(entry.changed)}"
    yield f"LAST-MODIFIED:{_time(entry.changed)}"
    yield f"SEQUENCE:{entry.sequence}"
    yield f"DTSTART:{_time(entry.start)}"
    if entry.end is not None and entry.end > entry.start:
        yield f"DTEND:{_time(entry.end)}"
    yield f"SUMMARY:{_text(entry.title)}"
    if entry.description:
        yield f"DESCRIPTION:{_text(entry.description)}"
    if entry.url:
        yield f"URL:{escape_controls(entry.url)}"
    yield f"STATUS:{'CANCELLED' if entry.cancelled else 'CONFIRMED'}"
    yield "TRANSP:TRANSPARENT"  # it does not make readers busy
    yield "END:VEVENT"


def _time(when: datetime) -> str:
    if when.tzinfo is None:
        raise ValueError(f"a time of a calendar: expected one with a time zone, got {when.isoformat()}")
    utc = when.astimezone(UTC)
    return f"{utc.year:04}{utc:%m%dT%H%M%SZ}"


def _text(text: str) -> str:
    escaped = _SPECIAL.sub(r"\\\1", escape_controls(_LINE_END.sub("\n", text)).replace("\t", " "))
    return escaped.replace("\n", r"\n")


def _folded(line: str) -> bytes:
    """The line with its end; what follows the first 75 octets is on further lines that begin with a space."""
    parts, room = [b""], OCTETS
    for char in line:
        octets = char.encode()
        if len(parts[-1]) + len(octets) > room:
            parts.append(b"")
            room = OCTETS - 1  # the space
        parts[-1] += octets
    return b"\r\n ".join(parts) + b"\r\n"
