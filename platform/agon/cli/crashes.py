"""Prints the end of the standard error of a bot that crashed. The site shows it on the match page."""

import sys
from collections.abc import Iterator

from agon.cli.output import say
from agon.contest.arena import Played
from agon.contest.text import escape_controls
from games.core.faults import FaultKind
from games.core.record import RecordedFault

_CRASHES = (FaultKind.START, FaultKind.CRASH, FaultKind.MEMORY)
_MOST_LINES = 15
_LONGEST_LINE = 300


def crashes(match: Played) -> Iterator[tuple[RecordedFault, str]]:
    """The first crash of each seat whose bot wrote to standard error, with the last lines that it wrote."""
    seen: set[int] = set()
    for fault in match.log.faults:
        if fault.kind in _CRASHES and fault.seat not in seen:
            seen.add(fault.seat)
            if tail := _tail(match.stderr[fault.seat]):
                yield fault, tail


def print_crash(bot: str, tail: str) -> None:
    """Print the end of a bot's standard error to stderr, so that stdout holds only the results."""
    say(f"the end of what {bot} wrote to standard error:")
    print(tail, file=sys.stderr, flush=True)


def _tail(stderr: bytes) -> str:
    """The last lines of a bot's standard error, indented; "" if there are none."""
    lines = escape_controls(stderr.decode("utf-8", "backslashreplace")).rstrip().splitlines()
    left_out = [f"... ({len(lines) - _MOST_LINES} more lines)"] if len(lines) > _MOST_LINES else []
    return "\n".join(f"    {line[:_LONGEST_LINE]}" for line in (*left_out, *lines[-_MOST_LINES:]))
