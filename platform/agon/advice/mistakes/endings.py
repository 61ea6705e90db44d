"""Programs that ended before the match did: by a signal, by themselves, or at the last line."""

import re

from agon.advice.mistakes.evidence import Advice, Evidence, at
from agon.advice.mistakes.silence import PRINTS_READY
from sandbox.inside.workspace import STACK

_EXITS = r"\bexit\s*\(|\b_exit\s*\(|^\s*exit [1-9]|^\s*return [1-9]\d*;"
_THROWN = re.compile(r"terminate called after throwing an instance of '([^']+)'(?:\n\s*what\(\):\s*(.*))?")
_ASSERTED = re.compile(r"^.*?\w\.\w+:([0-9]{1,6}): .*?Assertion `(.*)' failed\.", re.MULTILINE)
_LONGEST = 120  # characters of what a program said


def _did_nothing(found: Evidence) -> Advice | None:
    if found.kind != "start" or found.value("exited", "status") != 0:
        return None
    last = found.text.rstrip().count("\n") + 1
    if found.line_with(PRINTS_READY):
        return at(last, "main_not_called")
    return at(last, "no_ready_no_loop")


def _ended(found: Evidence) -> Advice | None:
    if found.kind != "crash" or found.value("exited", "status") != 0 or not found.talks:
        return None
    return found.in_step("ended_early")


def _no_main(found: Evidence) -> Advice | None:
    """A class of Java that cannot be started."""
    if "Main method not found" not in found.output:
        return None
    line = found.line_with(r"\bclass\b") or 1
    return at(line, "no_main_method")


def _signal(found: Evidence) -> Advice | None:
    """Signals that the system sends for a mistake."""
    if found.kind not in ("crash", "start"):
        return None
    if found.value("killed", "name") == "SIGSEGV":
        return found.in_step("invalid_memory_access", stack=STACK >> 20)
    if found.value("killed", "name") == "SIGFPE":
        return found.in_step("divided_by_zero")
    return None


def _aborted(found: Evidence) -> Advice | None:
    """An exception of C++ that nothing caught, an assertion, or a damaged heap."""
    if found.value("killed", "name") != "SIGABRT":
        return None
    if asserted := _ASSERTED.search(found.output):
        return at(int(asserted[1]), "failed_assertion", condition=asserted[2][:_LONGEST])
    if thrown := _THROWN.search(found.output):
        said = f"{thrown[1]} ({thrown[2].strip()})" if thrown[2] else thrown[1]
        return found.in_step("uncaught_exception", error=said[:_LONGEST])
    return found.in_step("aborted")


def _processes(found: Evidence) -> Advice | None:
    most = found.value("process_limit", "most")
    if most is None:
        return None
    return found.in_step("too_many_processes", most=most)


def _exited(found: Evidence) -> Advice | None:
    """With a status that says that something was wrong."""
    status = found.value("exited", "status") if found.kind in ("crash", "start") else None
    if not status:
        return None
    if line := found.line_with(_EXITS):
        return at(line, "exits_in_move" if found.channel == "program" else "exits_in_match", status=status)
    if found.output.strip():
        return found.in_step("exited_with_message", status=status)
    return found.in_step("exited_silently", status=status)


RULES = (_did_nothing, _ended, _no_main, _signal, _aborted, _processes, _exited)
