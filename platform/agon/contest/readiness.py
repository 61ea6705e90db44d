"""Waits until the bots of a match are ready, and explains why a bot was not.

A program prints a line READY. For a Python function, the adapter prints it when the file is loaded. So
messages to the author of a function mention loading, never that line.
"""

from collections.abc import Mapping, Set

from agon.contest.match_clock import MatchClock
from agon.contest.reasons import from_sandbox
from games.core.faults import FaultCause, FaultKind
from games.core.reason import Reason
from games.core.wording import LONGEST_REASON, quote, shorten
from sandbox.api import Failed, Limits, Process
from sandbox.boxes.channel import await_lines
from sandbox.building.loading import is_ready, why_not_loaded
from sandbox.reason import NO_REASON


def await_ready(
    processes: Mapping[int, Process],
    ready_ms: int,
    clock: MatchClock,
    seat_seconds: list[float],
    functions: Set[int],
    limits: Limits,
) -> dict[int, FaultCause]:
    """Wait until every process has printed READY: any case, trimmed, other lines before it skipped.

    functions: the seats of Python functions. limits: theirs. The time that each seat takes is added to
    seat_seconds. Returns, by seat, why a process was not ready within `ready_ms` of charged time.
    """
    seconds_left = dict.fromkeys(processes, ready_ms / 1000)
    last_lines = dict.fromkeys(processes, "")
    faults: dict[int, FaultCause] = {}
    while seconds_left:
        clock.check()
        with clock.stopped():
            answers = await_lines(
                {number: (processes[number], left) for number, left in seconds_left.items()}, is_ready
            )
        for number, answer in answers.items():
            seconds = answer.times.charged_us / 1_000_000
            seconds_left[number] -= seconds
            seat_seconds[number] += seconds
            if not isinstance(answer, Failed):
                if is_ready(answer.text):
                    del seconds_left[number]
                    continue
                last_lines[number] = text_of(answer.text)
                if seconds_left[number] > 0:
                    continue
                answer = Failed(FaultKind.TIMEOUT, NO_REASON, answer.times)
            if number in functions:
                why = why_not_loaded(answer, last_lines[number], ready_ms / 1000, limits)
                reason = from_sandbox(why)
            else:
                reason = not_ready(answer, last_lines[number], ready_ms)
            shortened = reason.map(text=lambda text: shorten(text, LONGEST_REASON))
            faults[number] = FaultCause(FaultKind(answer.kind), shortened)
            del seconds_left[number]
    return faults


def text_of(data: bytes) -> str:
    """A bot's output as text; invalid UTF-8 is escaped."""
    return data.decode("utf-8", "backslashreplace")


def not_ready(failed: Failed, last_line: str, ready_ms: int) -> Reason:
    """Why a program is not ready. last_line: the last one it printed, which may say why."""
    if is_ready(failed.rest):
        got = Reason("got_unfinished_ready")
    elif failed.kind == FaultKind.TIMEOUT and failed.rest:
        got = Reason("got_unfinished", line=quote(text_of(failed.rest)))
    elif failed.kind == FaultKind.TIMEOUT and last_line:
        got = Reason("got_line", line=quote(last_line, 120))
    elif failed.kind == FaultKind.TIMEOUT:
        got = Reason("got_none")
    else:
        ended = Reason("ended_before_ready", ms=ready_ms, why=from_sandbox(failed.reason))
        if not last_line:
            return ended
        return Reason("after_line", reason=ended, line=quote(last_line, 120))
    return Reason("not_ready", ms=ready_ms, got=got)
