"""Programs that ended with an error message: the line that raised it, and what the error usually means."""

from __future__ import annotations

import re
from typing import NamedTuple

from agon.advice.mistakes.evidence import NUMBER, PYTHON, Advice, Evidence
from sandbox.inside.setup import WORK
from sandbox.reason import Reason

_FRAME = re.compile(rf'File "(?:{re.escape(WORK)}/)?[\w.-]+\.py", line {NUMBER}')
_RAISED = re.compile(r"^([A-Za-z_]\w*(?:\.\w+)*)(?:: (.*))?$", re.MULTILINE)
# Of a function, in the fault's reason.
_LAST = re.compile(rf"raised (\w+)(?:: (.*?))? \([\w.-]+, line {NUMBER}\)")
_ELSEWHERE = re.compile(
    rf"^(?!.*\b(?:java\.base|node:internal)\b).*?\b(?:bot|main|player|[A-Z]\w*)\.\w+:{NUMBER}", re.MULTILINE
)
_SAID = re.compile(r"^.*(?:Error|Exception|error|panicked).*$", re.MULTILINE)
_OF_JAVA = re.compile(r'^Exception in thread "\w+" (?:[a-z]\w*\.)*')
_NO_NETWORK = re.compile("name resolution|Name or service not known|Network is ")
_NO_WRITING = re.compile(r"\[Errno (?:13|30)\] ")
_LONGEST = 120

# As sandbox/hints.py ends a reason; and what has another name now.
_PYTHON_2 = re.compile(r"(\w+) is Python 2; Agon runs ")
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
    if old := _PYTHON_2.search(found.reason):
        return Advice(_of_python_2(old[1], raised.line), raised.line)
    return Advice(_sentence(raised, found.channel), raised.line)


def _of_python_2(name: str, line: int) -> Reason:
    if name in _NOW:
        return Reason(
            "Line %(line)d: %(name)s is Python 2. In Python 3 it is called %(now)s.",
            line=line,
            name=name,
            now=_NOW[name],
        )
    return Reason(
        "Line %(line)d: %(name)s is Python 2. Python 3 does not have it: look up what to use instead.",
        line=line,
        name=name,
    )


def _raised(found: Evidence) -> Raised | None:
    if last := _LAST.search(found.reason):
        return Raised(last[1], last[2] or "", int(last[3]))
    if "exited with status" not in found.reason and "raised " not in found.reason:
        return None
    frame = next(reversed(list(_FRAME.finditer(found.output))), None)
    # What follows the frames, which are indented, is the exception.
    error = _RAISED.search(found.output, frame.end()) if frame else None
    return Raised(error[1], error[2] or "", int(frame[1])) if frame and error else None


def _sentence(raised: Raised, channel: str) -> Reason:
    name, words, line = raised
    if name == "ModuleNotFoundError" and (module := re.search(r"'([^']+)'", words)):
        return Reason(
            "Line %(line)d: there is no module %(module)s here. Use only the standard library of Python.",
            line=line,
            module=module[1],
        )
    if name in ("NameError", "UnboundLocalError") and (unknown := re.search(r"'([^']+)'", words)):
        return Reason(
            "Line %(line)d: %(name)s has no value here. Check how it is spelled, and that it gets a value "
            "first.",
            line=line,
            name=unknown[1],
        )
    if name == "FileNotFoundError" and (file := re.search(r"'([^']+)'", words)):
        return Reason(
            "Line %(line)d: there is no file %(file)s here. Put the data into the source code, or upload a "
            "zip that contains the file.",
            line=line,
            file=file[1],
        )
    if name == "EOFError":
        return _nothing_to_read(line, channel)
    if name == "SystemExit":
        return Reason(
            "Line %(line)d: your program ends itself here. Let it return a move instead.", line=line
        )
    if _NO_NETWORK.search(f"{name}: {words}"):
        return Reason(
            "Line %(line)d: a match has no network (%(error)s). Put what your program needs into its source "
            "code, or upload a zip with it.",
            line=line,
            error=_short(name, words),
        )
    if _NO_WRITING.search(words):
        return Reason(
            "Line %(line)d: this file cannot be written (%(error)s). Use a name without a path: the folder "
            "in which your program starts can be written to.",
            line=line,
            error=_short(name, words),
        )
    usual = _USUAL.get(name)
    if usual is not None:
        return Reason(usual.text, line=line, error=_short(name, words))
    return Reason(
        "Line %(line)d: %(error)s. The whole message is below, under standard error.",
        line=line,
        error=_short(name, words),
    )


def _nothing_to_read(line: int, channel: str) -> Reason:
    if channel == "stdio":
        return Reason(
            "Line %(line)d: there is no more input, because the match is over. Stop reading after the last "
            "turn.",
            line=line,
        )
    return Reason(
        "Line %(line)d: there is no input to read. The game passes everything as arguments: use those.",
        line=line,
    )


def _short(name: str, words: str) -> str:
    return (f"{name}: {words}" if words else name)[:_LONGEST].rstrip(".")


# What usually is the matter. The sentences have the placeholders `line` and `error`.
_USUAL = {
    "IndexError": Reason(
        "Line %(line)d: a list or a text has no element with this number (%(error)s). Check its length first."
    ),
    "KeyError": Reason(
        "Line %(line)d: a dictionary has no such key (%(error)s). Use get, or check the key first."
    ),
    "ValueError": Reason(
        "Line %(line)d: a value has another form than this line expects (%(error)s). Print it to standard "
        "error to see what it is."
    ),
    "TypeError": Reason(
        "Line %(line)d: a value has another type than this line expects (%(error)s). Print it to standard "
        "error to see what it is."
    ),
    "AttributeError": Reason(
        "Line %(line)d: a value has no such attribute (%(error)s). Print it to standard error to see what "
        "it is."
    ),
    "RecursionError": Reason(
        "Line %(line)d: a function calls itself without end. Add a case in which it returns without a call."
    ),
    "ZeroDivisionError": Reason("Line %(line)d: a division by zero. Check the divisor first."),
    "MemoryError": Reason("Line %(line)d: there is no more memory. Keep less data at a time."),
}


def _of_others(found: Evidence) -> Advice | None:
    """A program in another language that left a message with the line."""
    if found.language in PYTHON or "exited with status" not in found.reason:
        return None
    place, said = _ELSEWHERE.search(found.output), _SAID.search(found.output)
    if place is None or said is None:
        return None
    return Advice(
        Reason(
            "Line %(line)d: %(error)s. The whole message is below, under standard error.",
            line=int(place[1]),
            error=_OF_JAVA.sub("", said[0].strip())[:_LONGEST].rstrip("."),
        ),
        int(place[1]),
    )


RULES = (_of_python, _of_others)
