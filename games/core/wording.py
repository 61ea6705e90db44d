"""Words for people: reasons are one printable line of a readable length, whatever a bot sent."""

from __future__ import annotations

LONGEST_REASON = 200
LONGEST_QUOTE = 40
LONGEST_NUMBER = 20
# How the adapters of Python functions begin to tell of a call that came to no move
# (sandbox/building/function_runner.py).
RETURNED, RAISED = "returned ", "raised "


def cut(text: str, most: int = LONGEST_REASON) -> str:
    """`text` as one line without control characters, at most `most` characters long."""
    line = "".join(c if c.isprintable() else " " for c in text[: most + 1])
    return line if len(line) <= most else line[: most - 3] + "..."


def quoted(text: str, most: int = LONGEST_QUOTE) -> str:
    """`text` in quotes with its newlines and odd characters escaped; only its beginning when it is long."""
    if len(text) <= most:
        return repr(text)
    return f"{text[:most]!r}... ({len(text)} characters)"


def came(line: str, most: int) -> str:
    """What a bot answered, at most `most` characters of it, for a reason: `'X' came`."""
    if not line:
        return "an empty line came"
    if line.startswith((RETURNED, RAISED)):
        return f"the function {cut(line, most)}"
    return f"{quoted(line, most)} came"


def numeral(number: int) -> str:
    """`number` in digits; only the first ones when there are very many."""
    digits = str(number)
    return digits if len(digits) <= LONGEST_NUMBER else f"{digits[:LONGEST_NUMBER]}... ({len(digits)} digits)"
