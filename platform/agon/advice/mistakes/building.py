"""Mistakes that are found before a program plays: it cannot be read, compiled or called."""

import re

from agon.advice.mistakes.evidence import BUILD, NUMBER, PYTHON, Advice, Evidence
from games.core.reason import Reason
from sandbox.inside.setup import WORK
from sandbox.languages import registry
from sandbox.languages.registry import Language

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


def _code_block(found: Evidence) -> Advice | None:
    """A program copied with the marks around it, as chats and READMEs show code."""
    line = found.line_with(r"^\s*```") if found.kind in (BUILD, "start") else 0
    if not line or any(each.strip() for each in found.lines[: line - 1]):
        return None
    return Advice(Reason("code_fence", line=line), line)


def _other_language(found: Evidence) -> Advice | None:
    if found.kind != BUILD:
        return None
    for slug, sign, alike in _SIGNS:
        place = re.search(sign, found.text, re.MULTILINE)
        if place and found.language in (slug, *alike):
            return None
        if place:
            line = found.text.count("\n", 0, place.start()) + 1
            return Advice(
                _choose_another(registry.get(slug), registry.get(found.language), line, found.pasted), line
            )
    return None


def _choose_another(seen: Language, chosen: Language, line: int, pasted: bool) -> Reason:
    """What to do about the wrong language: it is chosen in the form, or with the name of a file."""
    if pasted:
        return Reason("other_language", line=line, seen=seen.title, chosen=chosen.title)
    return Reason("other_name", line=line, seen=seen.title, chosen=chosen.title, extension=seen.extensions[0])


def _syntax(found: Evidence) -> Advice | None:
    """A Python file that cannot be compiled (sandbox/languages/python_check.py)."""
    place = found.reason.find("at_line") if found.kind == BUILD and found.language in PYTHON else None
    if place is None:
        return None
    line = place.values["line"]
    assert isinstance(line, int)
    if place.find("python_2_name"):
        return Advice(Reason("syntax_of_python_2", line=line), line)
    return Advice(_syntax_sentence(line, str(place.values["said"])), line)


def _syntax_sentence(line: int, said: str) -> Reason:
    if said.startswith("expected ':'"):
        return Reason("no_colon", line=line)
    if "was never closed" in said:
        return Reason("open_bracket", line=line, bracket=said[1:2])
    if "unterminated" in said:
        return Reason("open_string", line=line)
    if said == "f-string: expecting '}'":
        return Reason("open_f_string", line=line)
    if "tabs and spaces" in said:
        return Reason("mixed_tabs", line=line)
    if "indent" in said:
        return Reason("wrong_indent", line=line)
    return Reason("not_python", line=line, said=said)


def _function(found: Evidence) -> Advice | None:
    """A Python file without the function that the game calls."""
    if found.kind != BUILD:
        return None
    if main := found.value("speaks_lines", "main"):
        return Advice(Reason("program_not_function", main=main))
    if several := found.reason.find("several_functions"):
        facts = several.values
        line = found.line_with(rf"^def {re.escape(str(facts['found']).partition(',')[0])}\b") or 1
        names = Reason(
            "several_to_call", line=line, **{key: facts[key] for key in ("name", "count", "found")}
        )
        return Advice(names, line)
    line = found.line_with(r"^def ") or 1
    if missing := found.reason.find("no_function"):
        facts = missing.values
        return Advice(
            Reason("no_function_to_call", line=line, count=facts["count"], name=facts["name"]), line
        )
    if wrong := found.reason.find("called_otherwise"):
        name, count = str(wrong.values["name"]), wrong.values["count"]
        line = found.line_with(rf"\bdef {re.escape(name)}\b") or line
        if str(wrong.values["defined"]).startswith(f"{name}(self,"):
            return Advice(Reason("needless_self", line=line, name=name, count=count), line)
        return Advice(Reason("wrong_arguments", line=line, name=name, count=count), line)
    return None


def _endless(found: Evidence) -> Advice | None:
    if found.kind != BUILD or not found.says("loading_too_slow"):
        return None
    line = found.line_with(r"^while\b") or found.line_with(r"^\S")
    return Advice(Reason("endless_loading", line=line), line)


def _compiler(found: Evidence) -> Advice | None:
    """The first error of a compiler: later ones often follow from it."""
    if found.kind != BUILD or found.language in PYTHON:
        return None
    if error := _COMPILER.search(found.output):
        line, said = int(error[1]), error[2]
    elif error := _OF_RUST.search(found.output):
        line, said = int(error[2]), error[1]
    elif error := _OF_GO.search(found.output):
        line, said = int(error[1]), error[2]
    elif (place := _SCRIPT.search(found.output)) and (words := _SAID.search(found.output)):
        line, said = int(place[1]), words[1]
    else:
        return None
    return Advice(Reason("compiler_said", line=line, said=said.strip()[:_LONGEST].rstrip(".?")), line)


def _linker(found: Evidence) -> Advice | None:
    """A function that is used, and is in no file."""
    missing = _UNDEFINED.search(found.output) if found.kind == BUILD else None
    if missing is None:
        return None
    name = missing[1]
    if name == "main":
        return Advice(Reason("no_main"), 1)
    line = found.line_with(rf"\b{name.rpartition(':')[2]}\b") or 1
    return Advice(Reason("undefined_name", line=line, name=name), line)


RULES = (_code_block, _other_language, _syntax, _function, _endless, _compiler, _linker)
