"""Waits until the bots of a match are ready, and explains why one never was.

A program prints a line READY. For a Python function, its adapter prints it when the file is loaded. So
messages to the author of a function speak of loading, and never of that line.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from contest.match_clock import MatchClock
from games.core.faults import FaultCause, FaultKind
from games.core.wording import LONGEST_REASON, quote, shorten
from sandbox.api import Failed, Limits, Process
from sandbox.boxes.channel import await_lines
from sandbox.building.loading import is_ready, why_not_loaded
from sandbox.reason import Reason


def await_ready(
    processes: Mapping[int, Process],
    ready_ms: int,
    clock: MatchClock,
    seat_seconds: list[float],
    functions: Set[int],
    limits: Limits,
) -> dict[int, FaultCause]:
    """Wait until every process has printed READY: any case, trimmed, other lines before it skipped.

    functions: the seats of Python functions, which have these limits. What each seat takes is added to
    seat_seconds. Returns the causes, by seat, of those that did not within `ready_ms` of charged time.
    """
    left = dict.fromkeys(processes, ready_ms / 1000)
    last_lines = dict.fromkeys(processes, "")
    faults: dict[int, FaultCause] = {}
    while left:
        clock.check()
        answers = await_lines({number: (processes[number], seconds) for number, seconds in left.items()})
        clock.credit([answer.times for answer in answers.values()])
        for answer in answers.values():
            if isinstance(answer, Failed):
                clock.judge(answer)
        for number, answer in answers.items():
            took = answer.times.charged_us / 1_000_000
            left[number] -= took
            seat_seconds[number] += took
            if not isinstance(answer, Failed):
                if is_ready(answer.text):
                    del left[number]
                    continue
                last_lines[number] = text_of(answer.text)
                if left[number] > 0:
                    continue
                answer = Failed(FaultKind.TIMEOUT, "", answer.times)
            if number in functions:
                reason = why_not_loaded(answer, last_lines[number], ready_ms / 1000, limits)
            else:
                reason = _not_ready(answer, last_lines[number], ready_ms)
            faults[number] = FaultCause(FaultKind(answer.kind), shorten(reason, LONGEST_REASON))
            del left[number]
    return faults


def text_of(data: bytes) -> str:
    """What a bot wrote; bytes that are no text are escaped."""
    return data.decode("utf-8", "backslashreplace")


def _not_ready(failed: Failed, last_line: str, ready_ms: int) -> str:
    """last_line: the last one printed, which may say why the bot will not be ready."""
    if is_ready(failed.rest):
        got = Reason("got READY without a newline at its end, so it is not a line yet")
    elif failed.kind == FaultKind.TIMEOUT and failed.rest:
        got = Reason("got %(line)s without a newline", line=quote(text_of(failed.rest)))
    elif failed.kind == FaultKind.TIMEOUT and last_line:
        got = Reason("got %(line)s", line=quote(last_line, 120))
    elif failed.kind == FaultKind.TIMEOUT:
        got = Reason("got none")
    else:
        ended = Reason(
            "expected a line READY within %(ms)s ms of the start; %(why)s", ms=ready_ms, why=failed.reason
        )
        if not last_line:
            return ended
        return Reason("%(reason)s after %(line)s", reason=ended, line=quote(last_line, 120))
    return Reason("expected a line READY within %(ms)s ms of the start, %(got)s", ms=ready_ms, got=got)
