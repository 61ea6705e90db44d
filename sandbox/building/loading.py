"""Loads each bot that needs an adapter before it is accepted, so that one that cannot be loaded never plays.

The adapter prints READY when the bot's file is loaded, or a line that says why it cannot be used.
"""

import re
from contextlib import closing
from typing import NamedTuple

from sandbox.api import Artifact, Failed, Limits, Process, Sandbox
from sandbox.boxes.channel import await_lines
from sandbox.building.adapter import Adapter
from sandbox.building.function_runner import CALLED, MISSING, RAISED, SEPARATOR
from sandbox.hints import with_hint
from sandbox.reason import NO_REASON, Reason, Value
from sandbox.source import Source

_READS_LINES = re.compile(rb"(?m)^[^#\n]*(?:\b(?:raw_)?input\s*\(|\bsys\.stdin\b|\bopen\(0)")
_QUOTED = 120  # characters of the last line that a bot printed


def why_unloadable(artifact: Artifact, sandbox: Sandbox, adapter: Adapter) -> tuple[Reason, str]:
    """Why the bot cannot be loaded (NO_REASON if it can), and what it printed. Raises SandboxError."""
    with closing(sandbox.open(artifact, adapter.limits)) as box:
        session = box.session()
        with closing(session):
            failed, line = _load(session.start(), adapter.load_s)
        printed = session.stderr.decode("utf-8", "backslashreplace")
    if failed is None:
        return NO_REASON, printed
    reason = why_not_loaded(failed, line, adapter.load_s, adapter.limits)
    if failed.kind == "timeout" and printed.strip():
        last = printed.strip().splitlines()[-1][:_QUOTED]
        reason = Reason("last_line_printed", why=reason, line=last)
    return reason, printed


def why_not_loaded(failed: Failed, line: str, seconds: float, limits: Limits) -> Reason:
    """Why a bot was not loaded: `line` if its adapter printed a reason, otherwise how it `failed`."""
    if failed.kind == "timeout":
        return Reason("loading_too_slow", seconds=seconds)
    if failed.kind == "crash" and line:
        return with_hint(_why_refused(line), line, limits)
    return Reason("while_loading", why=failed.reason)


def with_advice(reason: Reason, source: Source, main: str) -> Reason:
    """`reason`, and how a program that speaks in lines is uploaded, if the main file looks like one."""
    file = source.find(main)
    if file is None or not _READS_LINES.search(file.data):
        return reason
    at_the_end = str(reason.values.get("error", "")).startswith("EOFError")  # of input, which is empty
    if reason.code not in ("no_function", "not_found") and not at_the_end:
        return reason
    return Reason("with_hint", reason=reason, hint=Reason("speaks_lines", main=main))


class Raised(NamedTuple):
    """An exception, as the function runner reports it. file, line: of the bot; "" and 0 if unknown."""

    error: str
    file: str
    line: int

    def reason(self, code: str, **values: Value) -> Reason:
        """The reason of this code; of `code`_at, if the place is known."""
        if not self.file:
            return Reason(code, error=self.error, **values)
        return Reason(f"{code}_at", error=self.error, file=self.file, line=self.line, **values)


def exception_in(line: str) -> Raised | None:
    """The exception that a line of the function runner reports; None if it is another line.

    A bot can write such a line itself, but it only describes what is its own fault anyway.
    """
    if not line.startswith(RAISED):
        return None
    error, file, number = [*line.split(SEPARATOR)[1:4], "", "", ""][:3]
    return Raised(error, file, int(number) if number.isdecimal() and len(number) < 7 else 0)


def _why_refused(line: str) -> Reason:
    """Why the adapter refused the bot, from the line that it wrote instead of READY."""
    path, _, report = line.partition(SEPARATOR)
    if raised := exception_in(report):
        return raised.reason("loading_raised", path=path)
    kind, *facts = report.split(SEPARATOR)
    if kind == CALLED and len(facts) == 3:
        return Reason("called_otherwise", path=path, name=facts[0], count=facts[1], defined=facts[2])
    if kind == MISSING and len(facts) == 4:
        return Reason("several_functions", path=path, name=facts[1], count=facts[2], found=facts[3])
    if kind == MISSING and len(facts) == 3:
        return Reason("no_function", path=path, said=facts[0], name=facts[1], count=facts[2])
    if kind == MISSING and len(facts) == 1:
        return Reason("not_found", path=path, said=facts[0])
    return Reason("text", text=line)


def is_ready(line: bytes) -> bool:
    """Whether a line says READY: in any case, with white space around it."""
    return line.strip().upper() == b"READY"


def _load(process: Process, seconds: float) -> tuple[Failed | None, str]:
    """How loading failed (None if it did not), and the last line that was printed before."""
    last = ""
    while True:
        answer = await_lines({0: (process, seconds)}, is_ready)[0]
        if isinstance(answer, Failed):
            return answer, last
        if is_ready(answer.text):
            return None, last
        last = answer.text.decode("utf-8", "backslashreplace")
        seconds -= answer.times.charged_us / 1_000_000
        if seconds <= 0:
            return Failed("timeout", NO_REASON), last
