"""What a bot wrote to standard error, step by step, and the `@debug` lines in it that the player draws.

A bot writes `@debug {...}` on a line of its own: an object with any of

    "text"    a sentence
    "bars"    {label: number}, drawn as bars
    "places"  {place: number or text}, drawn at that place of the board (games name theirs in their rules)

This is untrusted input: it is bounded, checked field by field, and shown as text only. A malformed line stays
in the text, followed by what is wrong with it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from agon.contest.text import escape_controls
from games.core.game import Json
from games.core.match_log import MatchLog
from games.core.replay import frame_of_step
from games.core.untrusted_json import parse

PREFIX = "@debug "
LONGEST_LINE = 2000  # characters of a @debug line
LONGEST_TEXT = 200
LONGEST_LABEL = 24
MOST_BARS = 12
MOST_PLACES = 32
LARGEST = 1e15  # absolute value of a number
LONGEST_SHOWN = 4000  # characters of text at one step


class BadDebugLine(ValueError):
    """str(e) names the field, what was expected and what it got."""


class Piece(NamedTuple):
    """What one bot wrote for one frame of a replay. overlay: the data of its last `@debug` line, or None."""

    frame: int
    seat: int
    text: str
    overlay: dict[str, Json] | None


def pieces(log: MatchLog, seat: int, stderr: bytes, offsets: Sequence[int]) -> list[Piece]:
    """A seat's standard error, split by frame.

    offsets: the length of `stderr` at each ask of the seat. What precedes the first belongs to frame 0.
    """
    frame_of = frame_of_step(log)
    steps = [exchange.step for exchange in log.exchanges if exchange.seat == seat][: len(offsets)]
    starts = [0, *offsets[: len(steps)]]
    frames = [0, *map(frame_of, steps)]
    by_frame: dict[int, bytes] = {}
    for frame, start, end in zip(frames, starts, [*starts[1:], len(stderr)], strict=True):
        by_frame[frame] = by_frame.get(frame, b"") + stderr[start:end]
    return [_piece(frame, seat, data) for frame, data in sorted(by_frame.items()) if data.strip()]


def read_line(line: str) -> dict[str, Json]:
    """The data of a `@debug` line, checked. Raises BadDebugLine."""
    if len(line) > LONGEST_LINE:
        raise BadDebugLine(f"expected at most {LONGEST_LINE} characters, got {len(line)}")
    try:
        data = parse(line.removeprefix(PREFIX))
    except ValueError as error:
        raise BadDebugLine(f"expected JSON: {error}") from None
    if not isinstance(data, dict):
        raise BadDebugLine("expected an object")
    overlay: dict[str, Json] = {}
    for name, value in data.items():
        if name == "text":
            overlay["text"] = _text(value, "text", LONGEST_TEXT)
        elif name == "bars":
            overlay["bars"] = {
                label: _number(entry, f"bars.{label}") for label, entry in _labels(value, name, MOST_BARS)
            }
        elif name == "places":
            overlay["places"] = {
                label: _text(entry, f"places.{label}", LONGEST_LABEL)
                if isinstance(entry, str)
                else _number(entry, f"places.{label}")
                for label, entry in _labels(value, name, MOST_PLACES)
            }
        else:
            raise BadDebugLine(f"expected text, bars and places, got {escape_controls(name[:LONGEST_LABEL])}")
    return overlay


def _piece(frame: int, seat: int, data: bytes) -> Piece:
    kept = []
    overlay = None
    for line in data.decode("utf-8", "replace").splitlines():
        if line.startswith(PREFIX):
            try:
                overlay = read_line(line)
                continue
            except BadDebugLine as error:
                line = f"{line[:LONGEST_TEXT]} [{error}]"
        kept.append(line)
    text = escape_controls("\n".join(kept))
    return Piece(frame, seat, text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…", overlay)


def _labels(value: Json, name: str, most: int) -> list[tuple[str, Json]]:
    if not isinstance(value, dict):
        raise BadDebugLine(f"{name}: expected an object")
    if len(value) > most:
        raise BadDebugLine(f"{name}: expected at most {most} entries, got {len(value)}")
    for label in value:
        _text(label, f"{name}: a label", LONGEST_LABEL)
    return [(escape_controls(label), entry) for label, entry in value.items()]


def _text(value: Json, path: str, longest: int) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise BadDebugLine(f"{path}: expected text of at most {longest} characters")
    return escape_controls(value)


def _number(value: Json, path: str) -> float | int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
        raise BadDebugLine(f"{path}: expected a number of at most {LARGEST:g}")
    return value
