"""Untrusted JSON, parsed only after a check of how much memory it would need.

Three bytes of JSON can become sixty of Python, so objects, lists and values are counted before parsing.
"""

import json
from typing import Any

MOST_CONTAINERS = 500_000  # objects and lists
MOST_VALUES = 8_000_000
_PIECE = 1 << 20  # bytes


def parse(text: str | bytes, **hooks: Any) -> Any:
    """`json.loads` of a text. Raises ValueError, also where it is nested too deeply or holds too much."""
    data = text.encode() if isinstance(text, str) else text
    if not _is_small(_count(data)) and not _is_small(_count_outside_strings(data)):
        raise ValueError(
            f"expected at most {MOST_CONTAINERS:,} objects and lists, and {MOST_VALUES:,} values in them"
        )
    del data
    try:
        return json.loads(text, **hooks)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _is_small(counted: tuple[int, int]) -> bool:
    containers, values = counted
    return containers <= MOST_CONTAINERS and values <= MOST_VALUES


def _count(data: bytes) -> tuple[int, int]:
    """Count containers and values, including what looks like one inside a string."""
    return data.count(b"{") + data.count(b"["), data.count(b",")


def _count_outside_strings(data: bytes) -> tuple[int, int]:
    unescaped = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    containers = values = 0
    in_string = False
    for start in range(0, len(unescaped), _PIECE):
        for part in unescaped[start : start + _PIECE].split(b'"'):
            if not in_string:
                more = _count(part)
                containers, values = containers + more[0], values + more[1]
            in_string = not in_string
        in_string = not in_string  # the last part continues in the next piece
    return containers, values
