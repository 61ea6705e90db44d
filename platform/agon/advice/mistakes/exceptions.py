"""Programs that ended with an error message: the line that raised it, and what the error usually means."""

import re
from typing import NamedTuple

from agon.advice.mistakes.evidence import NUMBER, PYTHON, Advice, Evidence, at
from sandbox.inside.setup import WORK

_FRAME = re.compile(rf'File "(?:{re.escape(WORK)}/)?[\w.-]+\.py", line {NUMBER}')
_RAISED = re.compile(r"^([A-Za-z_]\w*(?:\.\w+)*)(?:: (.*))?$", re.MULTILINE)
_ELSEWHERE = re.compile(
    rf"^(?!.*\b(?:java\.base|node:internal)\b).*?\b(?:bot|main|player|[A-Z]\w*)\.\w+:{NUMBER}", re.MULTILINE
)
_SAID = re.compile(r"^.*(?:Error|Exception|error|panicked).*$", re.MULTILINE)
_OF_JAVA = re.compile(r'^Exception in thread "\w+" (?:[a-z]\w*\.)*')
_NO_NETWORK = re.compile("name resolution|Name or service not known|Network is ")
_NO_WRITING = re.compile(r"\[Errno (?:13|30)\] ")
_LONGEST = 120

_NOW = {
    "raw_input": "input",
    "xrange": "range",
    "unicode": "str",
    "basestring": "str",
    "unichr": "chr",
    "long": "int",
    "reduce": "functools.reduce",
    "iteritems": "items",
    "itervalues": "values",
    "iterkeys": "keys",
    "izip": "zip",
    "imap": "map",
    "maxint": "sys.maxsize",
    "Queue": "queue",
    "cPickle": "pickle",
    "StringIO": "io",
    "cStringIO": "io",
}


class Raised(NamedTuple):
    """An exception of a Python program. line: 0 where it is not known."""

    name: str
    words: str
    line: int


def _of_python(evidence: Evidence) -> Advice | None:
    raised = _raised(evidence) if evidence.language in PYTHON else None
    if raised is None:
        return None
    if old := evidence.value("python_2_name", "name"):
        if old in _NOW:
            return at(raised.line, "renamed_in_python_3", name=old, now=_NOW[str(old)])
        return at(raised.line, "gone_in_python_3", name=old)
    if shadowed := evidence.value("shadows_module", "name"):
        return at(raised.line, "shadowing_file", name=shadowed)
    return _usual(raised, evidence.channel)


def _raised(evidence: Evidence) -> Raised | None:
    if last := evidence.reason.find("function_raised_at", "loading_raised_at"):
        name, _, words = str(last.values["error"]).partition(": ")
        line = last.values["line"]
        assert isinstance(line, int)
        return Raised(name, words, line)
    if not evidence.says("exited", "function_raised", "loading_raised"):
        return None
    frame = next(reversed(list(_FRAME.finditer(evidence.output))), None)
    # What follows the frames, which are indented, is the exception.
    error = _RAISED.search(evidence.output, frame.end()) if frame else None
    return Raised(error[1], error[2] or "", int(frame[1])) if frame and error else None


def _usual(raised: Raised, channel: str) -> Advice:
    name, words, line = raised
    quoted = re.search(r"'([^']+)'", words)
    if quoted and name in _QUOTING:
        code, key = _QUOTING[name]
        return at(line, code, **{key: quoted[1]})
    if name == "EOFError":
        return at(line, "input_is_over" if channel == "stdio" else "arguments_not_input")
    if name == "SystemExit":
        return at(line, "system_exit")
    error = f"{name}: {words}" if words else name
    code = _USUAL.get(name, "error_message")
    if _NO_NETWORK.search(f"{name}: {words}"):
        code = "no_network"
    elif _NO_WRITING.search(words):
        code = "not_writable"
    return at(line, code, error=error[:_LONGEST].rstrip("."))


# Errors that quote a name: the code, and what its sentence calls the name.
_QUOTING = {
    "ModuleNotFoundError": ("no_module", "module"),
    "NameError": ("no_name", "name"),
    "UnboundLocalError": ("no_name", "name"),
    "FileNotFoundError": ("no_file", "file"),
}


# What usually is the matter: codes whose sentences have the placeholders `line` and `error`.
_USUAL = {
    "IndexError": "index_error",
    "KeyError": "key_error",
    "ValueError": "value_error",
    "TypeError": "type_error",
    "AttributeError": "attribute_error",
    "RecursionError": "recursion_error",
    "ZeroDivisionError": "zero_division_error",
    "MemoryError": "memory_error",
}


def _of_others(evidence: Evidence) -> Advice | None:
    """A program in another language that left a message with the line."""
    if evidence.language in PYTHON or not evidence.says("exited"):
        return None
    place, said = _ELSEWHERE.search(evidence.output), _SAID.search(evidence.output)
    if place is None or said is None:
        return None
    error = _OF_JAVA.sub("", said[0].strip())[:_LONGEST].rstrip(".")
    return at(int(place[1]), "error_message", error=error)


RULES = (_of_python, _of_others)
