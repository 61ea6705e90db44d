"""Mistakes that are found before a program plays: it cannot be read, compiled or called."""

import re

from agon.advice.mistakes.evidence import BUILD, NUMBER, PYTHON, Advice, Evidence, at
from games.core.reason import Reason
from sandbox.inside.setup import WORK
from sandbox.languages import registry

_FILE = rf"^(?:{re.escape(WORK)}/)?[\w.-]+\.\w+"
_COMPILER = re.compile(rf"{_FILE}:{NUMBER}(?::\d+)?: (?:fatal )?error:? (.+)$", re.MULTILINE)
_OF_RUST = re.compile(rf"^error(?:\[E\d+\])?: (.+)\n\s*--> (?:[\w.-]+/)*[\w.-]+\.rs:{NUMBER}:", re.MULTILINE)
_OF_GO = re.compile(rf"^(?:\./|{re.escape(WORK)}/)?[\w.-]+\.go:{NUMBER}:\d+: (.+)$", re.MULTILINE)
_SCRIPT = re.compile(rf"{_FILE}:{NUMBER}\b", re.MULTILINE)
_SAID = re.compile(r"^\w*Error: (.+)$", re.MULTILINE)
_UNDEFINED = re.compile(r"undefined reference to [`'](\w+(?:::\w+)*)")
_LONGEST = 120  # characters of what a compiler said

# What only programs in a language have, or in those beside it: with another one, the choice is the mistake.
_SIGNS = (
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

# What the compiler of Python says; the first that fits.
_OF_SYNTAX = {
    "expected ':'": "no_colon",
    "unterminated": "open_string",
    "f-string: expecting '}'": "open_f_string",
    "tabs and spaces": "mixed_tabs",
    "indent": "wrong_indent",
}


def _code_block(evidence: Evidence) -> Advice | None:
    """A program copied with the marks around it, as chats and READMEs show code."""
    line = evidence.line_with(r"^\s*```") if evidence.kind in (BUILD, "start") else 0
    if not line or any(earlier.strip() for earlier in evidence.lines[: line - 1]):
        return None
    return at(line, "code_fence")


def _other_language(evidence: Evidence) -> Advice | None:
    if evidence.kind != BUILD:
        return None
    for slug, sign, alike in _SIGNS:
        place = re.search(sign, evidence.text, re.MULTILINE)
        if place and evidence.language in (slug, *alike):
            return None
        if place:
            line = evidence.text.count("\n", 0, place.start()) + 1
            seen, chosen = registry.get(slug), registry.get(evidence.language).title
            if evidence.pasted:
                return at(line, "other_language", seen=seen.title, chosen=chosen)
            return at(line, "other_name", seen=seen.title, chosen=chosen, extension=seen.extensions[0])
    return None


def _syntax(evidence: Evidence) -> Advice | None:
    """A Python file that cannot be compiled (sandbox/languages/python_check.py)."""
    place = (
        evidence.reason.find("at_line") if evidence.kind == BUILD and evidence.language in PYTHON else None
    )
    if place is None:
        return None
    line = place.values["line"]
    assert isinstance(line, int)
    if place.find("python_2_name"):
        return at(line, "syntax_of_python_2")
    said = str(place.values["said"])
    if "was never closed" in said:
        return at(line, "open_bracket", bracket=said[1:2])
    for words, code in _OF_SYNTAX.items():
        if words in said:
            return at(line, code)
    return at(line, "not_python", said=said)


def _function(evidence: Evidence) -> Advice | None:
    """A Python file without the function that the game calls."""
    if evidence.kind != BUILD:
        return None
    if main := evidence.value("speaks_lines", "main"):
        return Advice(Reason("program_not_function", main=main))
    if several := evidence.reason.find("several_functions"):
        facts = several.values
        line = evidence.line_with(rf"^def {re.escape(str(facts['found']).partition(',')[0])}\b") or 1
        return at(line, "several_to_call", **{key: facts[key] for key in ("name", "count", "found")})
    line = evidence.line_with(r"^def ") or 1
    if missing := evidence.reason.find("no_function"):
        facts = missing.values
        return at(line, "no_function_to_call", count=facts["count"], name=facts["name"])
    if wrong := evidence.reason.find("called_otherwise"):
        name, count = str(wrong.values["name"]), wrong.values["count"]
        line = evidence.line_with(rf"\bdef {re.escape(name)}\b") or line
        if str(wrong.values["defined"]).startswith(f"{name}(self,"):
            return at(line, "needless_self", name=name, count=count)
        return at(line, "wrong_arguments", name=name, count=count)
    return None


def _endless(evidence: Evidence) -> Advice | None:
    if evidence.kind != BUILD or not evidence.says("loading_too_slow"):
        return None
    line = evidence.line_with(r"^while\b") or evidence.line_with(r"^\S")
    return at(line, "endless_loading")


def _compiler(evidence: Evidence) -> Advice | None:
    """The first error of a compiler: later ones often follow from it."""
    if evidence.kind != BUILD or evidence.language in PYTHON:
        return None
    if error := _COMPILER.search(evidence.output):
        line, said = int(error[1]), error[2]
    elif error := _OF_RUST.search(evidence.output):
        line, said = int(error[2]), error[1]
    elif error := _OF_GO.search(evidence.output):
        line, said = int(error[1]), error[2]
    elif (place := _SCRIPT.search(evidence.output)) and (words := _SAID.search(evidence.output)):
        line, said = int(place[1]), words[1]
    else:
        return None
    return at(line, "compiler_said", said=said.strip()[:_LONGEST].rstrip(".?"))


def _linker(evidence: Evidence) -> Advice | None:
    """A function that is used, and is in no file."""
    missing = _UNDEFINED.search(evidence.output) if evidence.kind == BUILD else None
    if missing is None:
        return None
    name = missing[1]
    if name == "main":
        return Advice(Reason("no_main"), 1)
    line = evidence.line_with(rf"\b{name.rpartition(':')[2]}\b") or 1
    return at(line, "undefined_name", name=name)


RULES = (_code_block, _other_language, _syntax, _function, _endless, _compiler, _linker)
