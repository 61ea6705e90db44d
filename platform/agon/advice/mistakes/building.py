"""Mistakes that are found before a program plays: it cannot be read, compiled or called."""

from __future__ import annotations

import re

from agon.advice.mistakes.evidence import BUILD, NUMBER, PYTHON, Advice, Evidence
from sandbox.inside.setup import WORK
from sandbox.languages import registry
from sandbox.reason import Reason

_FILE = rf"^(?:{re.escape(WORK)}/)?[\w.-]+\.\w+"
_PLACE = re.compile(rf"\.py, line {NUMBER}: (.*)", re.DOTALL)
_COMPILER = re.compile(rf"{_FILE}:{NUMBER}(?::\d+)?: (?:fatal )?error:? (.+)$", re.MULTILINE)
_SCRIPT = re.compile(rf"{_FILE}:{NUMBER}\b", re.MULTILINE)
_SAID = re.compile(r"^\w*Error: (.+)$", re.MULTILINE)
_QUOTED = 77  # characters of the line of source in such a message, at least
_NO_FUNCTION = re.compile(r"expected a function (\w+) of (\w+) arguments")
_CALLED = re.compile(r"(\w+) is called with (\d+) arguments, it is defined as (.+)")
_UNDEFINED = re.compile(r"undefined reference to [`'](\w+(?:::\w+)*)")
_LONGEST = 120  # characters of what a compiler said

# What only programs in a language have, or in those beside it: with another one, the choice is the mistake.
_LOOKS = (
    (
        "python",
        r"^(?:def \w+\(.*\):\s*(?:#.*)?$|from \w+ import |import (?:sys|os|re|math|random|json)$)",
        {"pypy"},
    ),
    ("cpp", r"^#include <(?:iostream|vector|string|bits/)", {"c"}),
    ("c", r"^#include <\w+\.h>", {"cpp"}),
    ("java", r"^(?:import java\.|public (?:final )?class )", {"csharp"}),
    (
        "javascript",
        r"\bconsole\.log\(|\bprocess\.std(?:in|out)\b|^const \w+ = require\(",
        {"typescript"},
    ),
)


def _code_block(found: Evidence) -> Advice | None:
    """A program copied with the marks around it, as chats and READMEs show code."""
    line = found.line_with(r"^\s*```") if found.kind in (BUILD, "start") else 0
    if not line or any(each.strip() for each in found.lines[: line - 1]):
        return None
    return Advice(
        Reason(
            "Line %(line)d is the mark of a code block and not code. Remove it, and the one at the end.",
            line=line,
        ),
        line,
    )


def _other_language(found: Evidence) -> Advice | None:
    if found.kind != BUILD:
        return None
    for slug, look, alike in _LOOKS:
        place = re.search(look, found.text, re.MULTILINE)
        if place and found.language in (slug, *alike):
            return None
        if place:
            line = found.text.count("\n", 0, place.start()) + 1
            return Advice(
                Reason(
                    "Line %(line)d looks like %(seen)s, but the chosen language is %(chosen)s. Choose "
                    "%(seen)s above the source code.",
                    line=line,
                    seen=registry.get(slug).title,
                    chosen=registry.get(found.language).title,
                ),
                line,
            )
    return None


def _syntax(found: Evidence) -> Advice | None:
    """A Python file that cannot be compiled (sandbox/languages/python_check.py)."""
    place = _PLACE.search(found.reason) if found.kind == BUILD and found.language in PYTHON else None
    if place is None:
        return None
    line = int(place[1])
    source = found.lines[line - 1].strip()[:_QUOTED] if 0 < line <= len(found.lines) else ""
    said = place[2].partition(f": {source}")[0] if source else place[2]
    return Advice(_syntax_sentence(line, said), line)


def _syntax_sentence(line: int, said: str) -> Reason:
    if said.startswith("expected ':'"):
        return Reason("Line %(line)d: a colon is missing. End the line with a colon.", line=line)
    if "was never closed" in said:
        return Reason(
            "Line %(line)d: the bracket %(bracket)s is never closed. Add the bracket that closes it.",
            line=line,
            bracket=said[1:2],
        )
    if "unterminated" in said:
        return Reason("Line %(line)d: a string is never closed. Add the quote that closes it.", line=line)
    if said == "f-string: expecting '}'":
        return Reason(
            "Line %(line)d: a brace of this f-string is never closed. Close it, and use another kind of "
            "quote inside the braces than around them.",
            line=line,
        )
    if "tabs and spaces" in said:
        return Reason(
            "Line %(line)d: tabs and spaces are mixed. Indent every line with spaces only.", line=line
        )
    if "indent" in said:
        return Reason(
            "Line %(line)d: the indentation does not match the lines above. Indent all lines of a block "
            "alike, by four spaces.",
            line=line,
        )
    if "is Python 2" in said:
        return Reason(
            "Line %(line)d is Python 2. Write it for Python 3: print is a function, as in print(x).",
            line=line,
        )
    return Reason(
        "Line %(line)d is not Python: %(said)s. Check this line and the one above it.",
        line=line,
        said=said,
    )


def _function(found: Evidence) -> Advice | None:
    """A Python file without the function that the game calls."""
    if found.kind != BUILD:
        return None
    line = found.line_with(r"^def ") or 1
    if missing := _NO_FUNCTION.search(found.reason):
        return Advice(
            Reason(
                "Line %(line)d: the game calls one function of %(count)s arguments, and cannot tell which. "
                "Name it %(name)s, and give it all its arguments.",
                line=line,
                count=missing[2],
                name=missing[1],
            ),
            line,
        )
    if wrong := _CALLED.search(found.reason):
        line = found.line_with(rf"\bdef {wrong[1]}\b") or line
        if wrong[3].startswith(f"{wrong[1]}(self,"):
            return Advice(
                Reason(
                    "Line %(line)d: the game calls %(name)s with %(count)s arguments and without self. "
                    "Remove self.",
                    line=line,
                    name=wrong[1],
                    count=wrong[2],
                ),
                line,
            )
        return Advice(
            Reason(
                "Line %(line)d: the game calls %(name)s with %(count)s arguments. Define it with as many.",
                line=line,
                name=wrong[1],
                count=wrong[2],
            ),
            line,
        )
    return None


def _endless(found: Evidence) -> Advice | None:
    if found.kind != BUILD or "loading took longer" not in found.reason:
        return None
    line = found.line_with(r"^while\b") or found.line_with(r"^\S")
    return Advice(
        Reason(
            "Line %(line)d: the program does not finish loading. Move what takes long, or never ends, into "
            "the function that the game calls.",
            line=line,
        ),
        line,
    )


def _compiler(found: Evidence) -> Advice | None:
    """The first error of a compiler: later ones often follow from it."""
    if found.kind != BUILD or found.language in PYTHON:
        return None
    if error := _COMPILER.search(found.output):
        line, said = int(error[1]), error[2]
    elif (place := _SCRIPT.search(found.output)) and (words := _SAID.search(found.output)):
        line, said = int(place[1]), words[1]
    else:
        return None
    return Advice(
        Reason(
            "Line %(line)d: %(said)s. Correct this error first; others often follow from it.",
            line=line,
            said=said.strip()[:_LONGEST].rstrip(".?"),
        ),
        line,
    )


def _linker(found: Evidence) -> Advice | None:
    """A function that is used, and is in no file."""
    missing = _UNDEFINED.search(found.output) if found.kind == BUILD else None
    if missing is None:
        return None
    name = missing[1]
    if name == "main":
        return Advice(
            Reason("Line 1: there is no function main, where a program begins. Define it, as in int main()."),
            1,
        )
    line = found.line_with(rf"\b{name.rpartition(':')[2]}\b") or 1
    return Advice(
        Reason(
            "Line %(line)d: %(name)s is declared, but defined nowhere. Define it, or check how it is "
            "spelled.",
            line=line,
            name=name,
        ),
        line,
    )


RULES = (_code_block, _other_language, _syntax, _function, _endless, _compiler, _linker)
