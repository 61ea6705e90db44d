"""Programs that ended before the match did: by a signal, by themselves, or at the last line."""

import re

from agon.advice.mistakes.evidence import Advice, Evidence, at
from agon.advice.mistakes.silence import PRINTS_READY
from sandbox.inside.workspace import STACK

_EXITS = r"\bexit\s*\(|\b_exit\s*\(|^\s*exit [1-9]|^\s*return [1-9]\d*;"
_THROWN = re.compile(r"terminate called after throwing an instance of '([^']+)'(?:\n\s*what\(\):\s*(.*))?")
_ASSERTED = re.compile(r"^.*?\w\.\w+:([0-9]{1,6}): .*?Assertion `(.*)' failed\.", re.MULTILINE)
_LONGEST = 120  # characters of what a program said


def _did_nothing(evidence: Evidence) -> Advice | None:
    if evidence.kind != "start" or evidence.value("exited", "status") != 0:
        return None
    last = evidence.text.rstrip().count("\n") + 1
    if evidence.line_with(PRINTS_READY):
        return at(last, "main_not_called")
    return at(last, "no_ready_no_loop")


def _ended(evidence: Evidence) -> Advice | None:
    if evidence.kind != "crash" or evidence.value("exited", "status") != 0 or not evidence.talks:
        return None
    return evidence.in_step("ended_early")


def _no_main(evidence: Evidence) -> Advice | None:
    """A class of Java that cannot be started."""
    if "Main method not found" not in evidence.output:
        return None
    line = evidence.line_with(r"\bclass\b") or 1
    return at(line, "no_main_method")


def _signal(evidence: Evidence) -> Advice | None:
    """Signals that the system sends for a mistake."""
    if evidence.kind not in ("crash", "start"):
        return None
    if evidence.value("killed", "name") == "SIGSEGV":
        return evidence.in_step("invalid_memory_access", stack=STACK >> 20)
    if evidence.value("killed", "name") == "SIGFPE":
        return evidence.in_step("divided_by_zero")
    return None


def _aborted(evidence: Evidence) -> Advice | None:
    """An exception of C++ that nothing caught, an assertion, or a damaged heap."""
    if evidence.value("killed", "name") != "SIGABRT":
        return None
    if asserted := _ASSERTED.search(evidence.output):
        return at(int(asserted[1]), "failed_assertion", condition=asserted[2][:_LONGEST])
    if thrown := _THROWN.search(evidence.output):
        said = f"{thrown[1]} ({thrown[2].strip()})" if thrown[2] else thrown[1]
        return evidence.in_step("uncaught_exception", error=said[:_LONGEST])
    return evidence.in_step("aborted")


def _processes(evidence: Evidence) -> Advice | None:
    most = evidence.value("process_limit", "most")
    if most is None:
        return None
    return evidence.in_step("too_many_processes", most=most)


def _exited(evidence: Evidence) -> Advice | None:
    """With a status that says that something was wrong."""
    status = evidence.value("exited", "status") if evidence.kind in ("crash", "start") else None
    if not status:
        return None
    if line := evidence.line_with(_EXITS):
        return at(line, "exits_in_move" if evidence.channel == "program" else "exits_in_match", status=status)
    if evidence.output.strip():
        return evidence.in_step("exited_with_message", status=status)
    return evidence.in_step("exited_silently", status=status)


RULES = (_did_nothing, _ended, _no_main, _signal, _aborted, _processes, _exited)
