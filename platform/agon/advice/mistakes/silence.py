"""Programs that gave no answer: too slow, waiting, or silent."""

import re
from typing import NamedTuple

from agon.advice.mistakes.evidence import Advice, Evidence, at
from games.core.reason import Reason

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


def _unfinished(evidence: Evidence) -> Advice | None:
    """An answer without a newline."""
    if evidence.says("got_unfinished_ready"):
        line = evidence.line_with(PRINTS_READY) or 1
        return at(line, "ready_unfinished")
    written = evidence.value("unfinished_line", "line")
    if written is None or evidence.kind == "start":
        return None
    return evidence.in_step("answer_unfinished", answer=written)


def not_flushed(evidence: Evidence) -> Advice | None:
    """A program that has printed, but whose output is still in its own buffer."""
    how = _flushing(evidence) if evidence.talks else None
    silent = evidence.kind == "timeout" or (evidence.kind == "start" and evidence.says("got_none"))
    if how is None or not silent or _was_computing(evidence) or re.search(how.flushes, evidence.text):
        return None
    line = evidence.line_with(how.prints)
    if not line:
        return None
    return at(line, "not_flushed", how=how.how)


def _flushing(evidence: Evidence) -> Flushing | None:
    """What has to flush the program's output; None where nothing has to."""
    if (
        evidence.language == "cpp"
        and re.search(r"\btie\s*\(", evidence.text)
        and evidence.line_with(_UNTIED.prints)
    ):
        return _UNTIED
    return _BUFFERED.get(evidence.language)


def _not_ready(evidence: Evidence) -> Advice | None:
    if evidence.kind != "start" or not evidence.says("not_ready", "ended_before_ready") or _is_over(evidence):
        return None
    line = evidence.line_with(PRINTS_READY)
    got = evidence.value("got_line", "line")
    if got is not None:
        line = line or evidence.line_with(re.escape(str(got).strip("'\"")))
        return at(line or 1, "ready_misspelled", got=got)
    if not line:
        how = _READY.get(evidence.language, "READY")
        return Advice(Reason("never_ready", how=how), 1)
    return at(line, "ready_too_late")


def _endless(evidence: Evidence) -> Advice | None:
    if evidence.kind != "timeout" or not _was_computing(evidence):
        return None
    line = evidence.line_with(r"\bwhile\s*(?:\(\s*)?(?:True|1|true)\b|\bfor\s*\(\s*;\s*;")
    if not line:
        return evidence.in_step("computes_too_long")
    return evidence.in_step("computes_in_loop", line, line=line)


def _waiting(evidence: Evidence) -> Advice | None:
    if evidence.kind != "timeout":
        return None
    if line := evidence.line_with(_SLEEPS):
        return evidence.in_step("sleeps", line, line=line)
    if evidence.talks and (line := evidence.line_with(_READS_ALL)):
        return at(line, "reads_to_end")
    if not evidence.talks:
        return evidence.in_step("waits")
    return evidence.in_step("reads_too_much")


def _memory(evidence: Evidence) -> Advice | None:
    if evidence.kind not in ("memory", "flood"):
        return None
    if evidence.kind == "flood" and evidence.says("answer_too_long"):
        return evidence.in_step("too_long_an_answer")
    if evidence.kind == "flood":
        return evidence.in_step("too_much_output")
    return evidence.in_step("too_much_memory")


def _is_over(evidence: Evidence) -> bool:
    """Whether the program had ended; agon.advice.mistakes.endings has more to say then."""
    return evidence.says("exited", "killed")


def _was_computing(evidence: Evidence) -> bool:
    return evidence.cpu_share is not None and evidence.cpu_share >= _COMPUTING


RULES = (_unfinished, not_flushed, _not_ready, _endless, _waiting, _memory)
