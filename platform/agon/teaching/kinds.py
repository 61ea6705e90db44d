"""Typed values that are stored as JSON: an object whose `kind` names the type, and the fields of that."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any


class BadValue(ValueError):
    """JSON that is no such value: the field, what was expected there, and what was got."""

    def __init__(self, field: str, expected: str, got: object) -> None:
        super().__init__(f"{field}: expected {expected}, got {got!r}")
        self.field = field
        self.expected = expected
        self.got = got


def fields_of(what: str, value: object, kinds: Mapping[str, type]) -> tuple[str, dict[str, Any]]:
    """The kind of `value`, and its fields, each of which that kind has."""
    if not isinstance(value, dict):
        raise BadValue(what, "an object", value)
    values = {**value}
    kind = values.pop("kind", None)
    if not isinstance(kind, str) or kind not in kinds:
        raise BadValue("kind", f"one of {', '.join(kinds)}", kind)
    expected = {field.name: field for field in fields(kinds[kind])}
    for name in values:
        if name not in expected:
            raise BadValue(what, f"only {', '.join(['kind', *expected])}", name)
    for name, field in expected.items():
        if name not in values and field.default is MISSING:
            raise BadValue(name, "a whole number", None)
    return kind, values


def check_whole(field: str, value: object, least: int, most: int) -> None:
    fits = isinstance(value, int) and not isinstance(value, bool)
    if not fits or not isinstance(value, int) or not least <= value <= most:
        raise BadValue(field, f"a whole number from {least} to {most}", value)
