"""A match log as pages and programs get it: plain JSON, whatever the game has put into its frames.

A match is shown without what JSON lacks (a set, an object, NaN): null takes its place. `agon play` and the
site's log say which game and which frame it was.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from games.core.match_log import MatchLog

MOST_FRAMES = 20_000  # of a match that has a replay: pages fetch a long one in parts
_DEEPEST = 100  # levels


def shown(log: MatchLog) -> tuple[MatchLog, str]:
    """The log with plain frames and a plain summary, and what was wrong first, in words, or ""."""
    if not _why_not_json([log.frames, log.summary]):
        return log, ""
    frames, summary = [_plain(frame) for frame in log.frames], _plain(log.summary)
    wrong = next(filter(None, map(_wrong_frame, range(len(frames)), log.frames)), "")
    return replace(log, frames=tuple(frames), summary=summary), wrong or "its summary is not JSON"


def _wrong_frame(number: int, frame: Any) -> str:
    why = _why_not_json(frame)
    if not why:
        return ""
    if isinstance(frame, Mapping):
        fields = (f", {name!r}" for name, value in frame.items() if _why_not_json(value))
        return f"frame {number}{next(fields, '')} is not JSON: {why}"
    return f"frame {number} is not JSON: {why}"


def _why_not_json(value: Any) -> str:
    try:
        json.dumps(value, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        return str(error)
    return ""


def _plain(value: Any, depth: int = 0) -> Any:
    """The value with null in place of what JSON lacks."""
    if depth > _DEEPEST:
        return None
    if isinstance(value, Mapping):
        return {str(name): _plain(inner, depth + 1) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner, depth + 1) for inner in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if isinstance(value, str | int | None) else None
