"""Words for people: reasons are one printable line of a readable length, whatever a bot sent."""

from __future__ import annotations

LONGEST_REASON = 200
LONGEST_QUOTE = 40


def cut(text: str, most: int = LONGEST_REASON) -> str:
    """`text` as one line without control characters, at most `most` characters long."""
    line = "".join(c if c.isprintable() else " " for c in text[: most + 1])
    return line if len(line) <= most else line[: most - 3] + "..."


def quoted(text: str, most: int = LONGEST_QUOTE) -> str:
    """`text` in quotes with its newlines and odd characters escaped; only its beginning when it is long."""
    if len(text) <= most:
        return repr(text)
    return f"{text[:most]!r}... ({len(text)} characters)"
