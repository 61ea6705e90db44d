"""Programs that ended before the match did: by a signal, by themselves, or at the last line."""

from __future__ import annotations

import re

from agon.advice.mistakes.evidence import Advice, Evidence
from agon.advice.mistakes.silence import PRINTS_READY
from sandbox.reason import Reason

_STATUS = re.compile(r"exited with status ([1-9]\d*)")
_EXITS = r"\bexit\s*\(|\b_exit\s*\(|^\s*exit [1-9]|^\s*return [1-9]\d*;"
_THROWN = re.compile(r"terminate called after throwing an instance of '([^']+)'(?:\n\s*what\(\):\s*(.*))?")
_ASSERTED = re.compile(r"^.*?\w\.\w+:([0-9]{1,6}): .*?Assertion `(.*)' failed\.", re.MULTILINE)
_PROCESSES = re.compile(r"it may have (\d+) processes and threads at a time")
_LONGEST = 120  # characters of what a program said


def _did_nothing(found: Evidence) -> Advice | None:
    if found.kind != "start" or "exited with status 0" not in found.reason:
        return None
    last = found.text.rstrip().count("\n") + 1
    if found.line_with(PRINTS_READY):
        return Advice(
            Reason(
                "Line %(line)d: your program came to its end without printing READY. Call its main function "
                "in the last line, for example main().",
                line=last,
            ),
            last,
        )
    return Advice(
        Reason(
            "Line %(line)d: your program came to its end without printing READY. Print it first, then read "
            "and answer in a loop.",
            line=last,
        ),
        last,
    )


def _ended(found: Evidence) -> Advice | None:
    if found.kind != "crash" or "exited with status 0" not in found.reason or not found.talks:
        return None
    return Advice(
        Reason(
            "Step %(step)d: your program had ended before the match was over. Read and answer in a loop, "
            "once for every turn.",
            step=found.shown_step,
        )
    )


def _no_main(found: Evidence) -> Advice | None:
    """A class of Java that cannot be started."""
    if "Main method not found" not in found.output:
        return None
    line = found.line_with(r"\bclass\b") or 1
    return Advice(
        Reason(
            "Line %(line)d: this class has no main method. Define it: public static void main(String[] "
            "args).",
            line=line,
        ),
        line,
    )


def _signal(found: Evidence) -> Advice | None:
    """Signals that the system sends for a mistake."""
    if found.kind not in ("crash", "start"):
        return None
    if "SIGSEGV" in found.reason:
        return Advice(
            Reason(
                "Step %(step)d: your program used memory that is not its own. Look for an index out of "
                "bounds or a null pointer.",
                step=found.shown_step,
            )
        )
    if "SIGFPE" in found.reason:
        return Advice(
            Reason(
                "Step %(step)d: your program divided a whole number by zero. Check the divisor first.",
                step=found.shown_step,
            )
        )
    return None


def _aborted(found: Evidence) -> Advice | None:
    """An exception of C++ that nothing caught, an assertion, or a damaged heap."""
    if "SIGABRT" not in found.reason:
        return None
    if asserted := _ASSERTED.search(found.output):
        return Advice(
            Reason(
                "Line %(line)d: the assertion %(condition)s is false here. Print its values to standard "
                "error to see why.",
                line=int(asserted[1]),
                condition=asserted[2][:_LONGEST],
            ),
            int(asserted[1]),
        )
    if thrown := _THROWN.search(found.output):
        said = f"{thrown[1]} ({thrown[2].strip()})" if thrown[2] else thrown[1]
        return Advice(
            Reason(
                "Step %(step)d: your program threw %(error)s and did not catch it. Look for the call that "
                "throws it.",
                step=found.shown_step,
                error=said[:_LONGEST],
            )
        )
    return Advice(
        Reason(
            "Step %(step)d: your program aborted itself. What it wrote to standard error, below, may "
            "say why.",
            step=found.shown_step,
        )
    )


def _processes(found: Evidence) -> Advice | None:
    many = _PROCESSES.search(found.reason)
    if many is None:
        return None
    return Advice(
        Reason(
            "Step %(step)d: your program started too many processes and threads: it may have %(most)s at a "
            "time. Start fewer.",
            step=found.shown_step,
            most=many[1],
        )
    )


def _exited(found: Evidence) -> Advice | None:
    """With a status that says that something was wrong."""
    status = _STATUS.search(found.reason) if found.kind in ("crash", "start") else None
    if status is None:
        return None
    if line := found.line_with(_EXITS):
        return Advice(_ends_here(line, status[1], found.channel), line)
    if found.output.strip():
        return Advice(
            Reason(
                "Step %(step)d: your program ended with status %(status)s. What it wrote to standard error, "
                "below, may say why.",
                step=found.shown_step,
                status=status[1],
            )
        )
    return Advice(
        Reason(
            "Step %(step)d: your program ended with status %(status)s and without a message. Print to "
            "standard error where it is, to see how far it gets.",
            step=found.shown_step,
            status=status[1],
        )
    )


def _ends_here(line: int, status: str, channel: str) -> Reason:
    if channel == "program":
        return Reason(
            "Line %(line)d: your program seems to end itself here, with status %(status)s. After its move it "
            "has to end with status 0.",
            line=line,
            status=status,
        )
    return Reason(
        "Line %(line)d: your program seems to end itself here, with status %(status)s. It has to play until "
        "the match is over.",
        line=line,
        status=status,
    )


RULES = (_did_nothing, _ended, _no_main, _signal, _aborted, _processes, _exited)
