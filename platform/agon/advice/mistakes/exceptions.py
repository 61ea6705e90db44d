"""Programs that ended with an error message: the line that raised it, and what the error usually means."""

import re
from typing import NamedTuple

from agon.advice.mistakes.evidence import NUMBER, PYTHON, Advice, Evidence
from games.core.reason import Reason
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


def _of_python(found: Evidence) -> Advice | None:
    raised = _raised(found) if found.language in PYTHON else None
    if raised is None:
        return None
    if old := found.value("python_2_name", "name"):
        return Advice(_of_python_2(str(old), raised.line), raised.line)
    if shadowed := found.value("shadows_module", "name"):
        return Advice(Reason("shadowing_file", line=raised.line, name=shadowed), raised.line)
    return Advice(_sentence(raised, found.channel), raised.line)


def _of_python_2(name: str, line: int) -> Reason:
    if name in _NOW:
        return Reason("renamed_in_python_3", line=line, name=name, now=_NOW[name])
    return Reason("gone_in_python_3", line=line, name=name)


def _raised(found: Evidence) -> Raised | None:
    if last := found.reason.find("function_raised_at", "loading_raised_at"):
        name, _, words = str(last.values["error"]).partition(": ")
        line = last.values["line"]
        assert isinstance(line, int)
        return Raised(name, words, line)
    if not found.says("exited", "function_raised", "loading_raised"):
        return None
    frame = next(reversed(list(_FRAME.finditer(found.output))), None)
    # What follows the frames, which are indented, is the exception.
    error = _RAISED.search(found.output, frame.end()) if frame else None
    return Raised(error[1], error[2] or "", int(frame[1])) if frame and error else None


def _sentence(raised: Raised, channel: str) -> Reason:
    name, words, line = raised
    if name == "ModuleNotFoundError" and (module := re.search(r"'([^']+)'", words)):
        return Reason("no_module", line=line, module=module[1])
    if name in ("NameError", "UnboundLocalError") and (unknown := re.search(r"'([^']+)'", words)):
        return Reason("no_name", line=line, name=unknown[1])
    if name == "FileNotFoundError" and (file := re.search(r"'([^']+)'", words)):
        return Reason("no_file", line=line, file=file[1])
    if name == "EOFError":
        return _nothing_to_read(line, channel)
    if name == "SystemExit":
        return Reason("system_exit", line=line)
    if _NO_NETWORK.search(f"{name}: {words}"):
        return Reason("no_network", line=line, error=_short(name, words))
    if _NO_WRITING.search(words):
        return Reason("not_writable", line=line, error=_short(name, words))
    return Reason(_USUAL.get(name, "error_message"), line=line, error=_short(name, words))


def _nothing_to_read(line: int, channel: str) -> Reason:
    if channel == "stdio":
        return Reason("input_is_over", line=line)
    return Reason("arguments_not_input", line=line)


def _short(name: str, words: str) -> str:
    return (f"{name}: {words}" if words else name)[:_LONGEST].rstrip(".")


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


def _of_others(found: Evidence) -> Advice | None:
    """A program in another language that left a message with the line."""
    if found.language in PYTHON or not found.says("exited"):
        return None
    place, said = _ELSEWHERE.search(found.output), _SAID.search(found.output)
    if place is None or said is None:
        return None
    return Advice(
        Reason(
            "error_message",
            line=int(place[1]),
            error=_OF_JAVA.sub("", said[0].strip())[:_LONGEST].rstrip("."),
        ),
        int(place[1]),
    )


RULES = (_of_python, _of_others)
