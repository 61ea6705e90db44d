"""The settings as a table, from the docstring of the settings, and whether the environment fits it.

A misspelled variable would be ignored and a limit not kept, so a site with one does not start. Needs neither
Django nor the settings themselves, which cannot be imported with a value that is none.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

WITH_FILES = (
    *("SECRET_KEY", "ARCHIVE_KEY", "DATABASE_PASSWORD", "REDIS_PASSWORD"),
    *(
        "STORAGE",
        "EMAIL_URL",
        "AGON_METRICS_TOKEN",
        "AGON_REGISTRATION_CODE",
        "AGON_OIDC_SECRET",
        "SENTRY_DSN",
    ),
)

_SETTINGS = Path(__file__).resolve().parents[1] / "settings.py"
_VARIABLE = re.compile(r"^([A-Z][A-Z_]+) +(\S.*(?:\n {3,}\S.*)*)$", re.MULTILINE)
_GROUP = re.compile(r"^([A-Z][A-Za-z ]+)\n(?=[A-Z][A-Z_]+ )", re.MULTILINE)
_OURS = "AGON_"
_INTERNAL = re.compile(
    r"AGON_CORE|AGON_GROUP|AGON_PROVES|AGON_TEST_\w*"
)  # of the platform's own processes, and of its tests
_SWITCHES = {"true", "on", "ok", "y", "yes", "1", "false", "off", "n", "no", "0", ""}
# The first is of no use without the second.
_NEEDED = {"DATABASE_PASSWORD": "DATABASE_URL", "REDIS_PASSWORD": "REDIS_URL"}


class Variable(NamedTuple):
    """A variable of the environment. default: in words."""

    name: str
    meaning: str
    default: str


def variables_by_group() -> Iterator[tuple[str, list[Variable]]]:
    """The variables in the docstring of the settings: what follows the last semicolon is the default."""
    docstring = ast.get_docstring(ast.parse(_SETTINGS.read_text(encoding="utf-8"))) or ""
    _before, *rest = _GROUP.split(docstring)
    for group, lines in zip(rest[::2], rest[1::2], strict=True):
        variables = []
        for name, text in _VARIABLE.findall(lines.partition("\n\n")[0]):
            meaning, _, default = " ".join(text.split()).rpartition("; ")
            variables.append(Variable(name, meaning, default))
        yield group, variables


def mistake(environment: Mapping[str, str]) -> str | None:
    """A sentence about the first setting that cannot be meant like that; None if there is none."""
    known = {variable.name: variable for _, group in variables_by_group() for variable in group}
    return next(_mistakes(environment, known), None)


def _mistakes(environment: Mapping[str, str], known: Mapping[str, Variable]) -> Iterator[str]:
    given = {name for name in environment if environment[name]}
    names = [*known, *(f"{name}_FILE" for name in WITH_FILES)]
    for name in sorted(environment):
        if name.startswith(_OURS) and name not in names and not _INTERNAL.fullmatch(name):
            close = get_close_matches(name, names, 1)
            yield f"{name} is no setting of Agon{f': {close[0]}?' if close else ''}"
    for name, variable in known.items():
        if name in environment:
            yield from _wrong_value(variable, environment[name])
    for name in WITH_FILES:
        if {name, f"{name}_FILE"} <= given:
            yield f"{name} and {name}_FILE are both set: expected one of them"
    for name, needed in _NEEDED.items():
        if {name, f"{name}_FILE"} & given and needed not in given:
            yield f"{name} is set and {needed} is not: expected both or none"
    if {"AGON_CA", "REDIS_URL"} <= given and not environment["REDIS_URL"].startswith("rediss:"):
        yield "AGON_CA is set, and REDIS_URL does not begin with rediss://: expected TLS for both"
    if environment.get("AGON_SANDBOX") == "bubblewrap" and "AGON_SANDBOX_OPENER" in given:
        yield "AGON_SANDBOX_OPENER opens boxes of Docker, and AGON_SANDBOX is bubblewrap: expected docker"


def _wrong_value(variable: Variable, value: str) -> Iterator[str]:
    name, default = variable.name, variable.default
    if default.isdecimal():
        form = r"\d+(\.\d+)?" if name.endswith("_SECONDS") else r"\d+"
        if not re.fullmatch(form, value, re.ASCII) or len(value) > 18:
            yield f"{name}: expected a number such as {default}, got {value[:100]!r}"
    elif default == "off" and value.lower() not in _SWITCHES:
        yield f"{name}: expected on or off, got {value[:100]!r}"
