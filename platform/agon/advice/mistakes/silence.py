"""Programs that gave no answer: too slow, waiting, or silent."""

from __future__ import annotations

import re
from typing import NamedTuple

from agon.advice.mistakes.evidence import Advice, Evidence
from sandbox.reason import Reason

PRINTS_READY = r"""(?:["']|echo )READY\b"""
_COMPUTING = 0.5  # of its time, from which on a program was busy and not waiting


class Flushing(NamedTuple):
    """How a language prints, and what flushes its output. how: what the author should write."""

    prints: str
    flushes: str
    how: str


_PYTHON = Flushing(
    r"^(?![^#]*(?:flush=True|stderr))[^#]*\b(?:print\(|sys\.stdout\.write\()",
    r"stdout\.flush\(\)|reconfigure\(",
    "print(..., flush=True)",
)
_C = Flushing(r"\b(?:printf|puts|putchar)\s*\(", r"\bfflush|\bsetv?buf", "fflush(stdout);")
_BUFFERED = {
    "python": _PYTHON,
    "pypy": _PYTHON,
    "c": _C,
    "cpp": _C,
    "ruby": Flushing(r"\bputs\b|\bprint\b", r"\bflush\b|\bsync\s*=", "$stdout.flush"),
    "perl": Flushing(r"\bprint\b", r"\$\||autoflush", "$| = 1;"),
}
# Reading from cin flushes cout, unless the program has untied them.
_UNTIED = Flushing(
    r"\bcout\s*<<(?!.*\b(?:endl|flush)\b).*\\n",
    r"\bflush\b|\bunitbuf\b|\bsetbuf\b",
    "std::cout << ... << std::endl;",
)
_READY = {
    "python": 'print("READY", flush=True)',
    "pypy": 'print("READY", flush=True)',
    "c": 'puts("READY"); fflush(stdout);',
    "cpp": 'std::cout << "READY" << std::endl;',
    "java": 'System.out.println("READY");',
    "javascript": 'console.log("READY");',
}
_SLEEPS = r"\b(?:sleep|usleep|nanosleep|sleep_for|sleep_until)\s*\("
_READS_ALL = (
    r"\bstdin\.(?:read|readlines)\(\)|\blist\(sys\.stdin\)|\bopen\(0\)\.read|\bistreambuf_iterator\b"
    r"|\breadFileSync\((?:0|['\"]/dev/stdin['\"])|\bin\.readAllBytes\(|\$<>|STDIN\.read\b|\bio\.ReadAll\("
)


def _unfinished(found: Evidence) -> Advice | None:
    """An answer without a newline."""
    if "got READY without a newline" in found.reason:
        line = found.line_with(PRINTS_READY) or 1
        return Advice(
            Reason(
                "Line %(line)d: READY has no line break at its end, so it is not a line yet. End it with a "
                "line break, as print does by itself.",
                line=line,
            ),
            line,
        )
    written = re.search(r"got ('.*'|\".*\") without a newline", found.reason)
    if written is None or found.kind == "start":
        return None
    return Advice(
        Reason(
            "Step %(step)d: the answer %(answer)s has no line break at its end, so it is not complete. End "
            "every answer with a line break.",
            step=found.shown_step,
            answer=written[1],
        )
    )


def not_flushed(found: Evidence) -> Advice | None:
    """A program that has printed, but whose output is still in its own buffer."""
    how = _flushing(found) if found.talks else None
    silent = found.kind == "timeout" or (found.kind == "start" and "got none" in found.reason)
    if how is None or not silent or _was_computing(found) or re.search(how.flushes, found.text):
        return None
    line = found.line_with(how.prints)
    if not line:
        return None
    return Advice(
        Reason(
            "Line %(line)d: what is printed here stays in a buffer and does not reach the game in time. "
            "Send it off at once: %(how)s",
            line=line,
            how=how.how,
        ),
        line,
    )


def _flushing(found: Evidence) -> Flushing | None:
    """What has to flush the program's output; None where nothing has to."""
    if found.language == "cpp" and re.search(r"\btie\s*\(", found.text) and found.line_with(_UNTIED.prints):
        return _UNTIED
    return _BUFFERED.get(found.language)


def _not_ready(found: Evidence) -> Advice | None:
    if found.kind != "start" or "a line READY" not in found.reason or _is_over(found):
        return None
    line = found.line_with(PRINTS_READY)
    other = re.search(r"got ('.*'|\".*\")$", found.reason)
    if other is not None:
        line = line or found.line_with(re.escape(other[1].strip("'\"")))
        return Advice(
            Reason(
                "Line %(line)d: the first line that a program prints is READY, and yours is %(got)s. Print "
                "just READY.",
                line=line or 1,
                got=other[1],
            ),
            line,
        )
    if not line:
        how = _READY.get(found.language, "READY")
        return Advice(
            Reason(
                "Line 1: your program never prints READY. Print it before anything else, for example with "
                "%(how)s",
                how=how,
            ),
            1,
        )
    return Advice(
        Reason(
            "Line %(line)d: READY was not printed in time. Print it first, before your program reads or "
            "computes anything.",
            line=line,
        ),
        line,
    )


def _endless(found: Evidence) -> Advice | None:
    if found.kind != "timeout" or not _was_computing(found):
        return None
    line = found.line_with(r"\bwhile\s*(?:\(\s*)?(?:True|1|true)\b|\bfor\s*\(\s*;\s*;")
    if not line:
        return Advice(
            Reason(
                "Step %(step)d: your program computed until its time was up. Let it compute less, or look "
                "for a loop that never ends.",
                step=found.shown_step,
            )
        )
    return Advice(
        Reason(
            "Step %(step)d: your program computed until its time was up. Check that the loop in line "
            "%(line)d ends.",
            step=found.shown_step,
            line=line,
        ),
        line,
    )


def _waiting(found: Evidence) -> Advice | None:
    if found.kind != "timeout":
        return None
    if line := found.line_with(_SLEEPS):
        return Advice(
            Reason(
                "Step %(step)d: your program waited until its time was up, and line %(line)d sleeps. Remove "
                "that.",
                step=found.shown_step,
                line=line,
            ),
            line,
        )
    if found.talks and (line := found.line_with(_READS_ALL)):
        return Advice(
            Reason(
                "Line %(line)d: this reads until the input ends, which is after the match. Read one line at "
                "a time.",
                line=line,
            ),
            line,
        )
    if not found.talks:
        return Advice(
            Reason(
                "Step %(step)d: your program waited until its time was up. Remove what sleeps or waits.",
                step=found.shown_step,
            )
        )
    return Advice(
        Reason(
            "Step %(step)d: your program waited for input that does not come. It reads more lines than it is "
            "sent: compare them with what was sent, below.",
            step=found.shown_step,
        )
    )


def _memory(found: Evidence) -> Advice | None:
    if found.kind not in ("memory", "flood"):
        return None
    if found.kind == "flood" and "gave an answer of more than" in found.reason:
        return Advice(
            Reason(
                "Step %(step)d: your program's answer was longer than any answer of this game can be. Print "
                "nothing else in that line; notes of your own go to standard error.",
                step=found.shown_step,
            )
        )
    if found.kind == "flood":
        return Advice(
            Reason(
                "Step %(step)d: your program printed far too much. Look for a loop that prints without end.",
                step=found.shown_step,
            )
        )
    return Advice(
        Reason(
            "Step %(step)d: your program took more memory than the game allows. Keep less data at a time.",
            step=found.shown_step,
        )
    )


def _is_over(found: Evidence) -> bool:
    """Whether the program had ended; agon.advice.mistakes.endings has more to say then."""
    return "exited with status" in found.reason or "killed by signal" in found.reason


def _was_computing(found: Evidence) -> bool:
    return found.cpu_share is not None and found.cpu_share >= _COMPUTING


RULES = (_unfinished, not_flushed, _not_ready, _endless, _waiting, _memory)
