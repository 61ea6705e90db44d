"""Reading TOML tables field by field, with errors that say which field, what was expected and what it got."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

_T = TypeVar("_T")
_REQUIRED: Any = object()


class BadManifest(Exception):
    """A manifest that cannot be used. str(e) names the file and field, what was expected and what it got."""


class Fields:
    """One table. Every field is taken once; `done` refuses what nobody took."""

    def __init__(self, table: Mapping[str, Any], path: str) -> None:
        self.path = path
        self._table = dict(table)

    def names(self) -> list[str]:
        return list(self._table)

    def text(self, name: str) -> str:
        value = self._take(name, _REQUIRED)
        if not isinstance(value, str) or not value.strip():
            raise self._wrong(name, "text", value)
        return value

    def choice(self, name: str, choices: Sequence[str]) -> str:
        value = self._take(name, _REQUIRED)
        if value not in choices:
            raise self._wrong(name, " or ".join(choices), value)
        return str(value)

    def integer(self, name: str, least: int, most: int, default: Any = _REQUIRED) -> Any:
        """A whole number from `least` to `most`; `default`, whatever it is, when the field is left out."""
        value = self._take(name, default)
        if value is default:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise self._wrong(name, f"a whole number from {least} to {most}", value)
        return value

    def flag(self, name: str, default: bool) -> bool:
        value = self._take(name, default)
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false", value)
        return value

    def table(self, name: str, default: Any = _REQUIRED) -> Fields:
        value = self._take(name, default)
        if not isinstance(value, dict):
            raise self._wrong(name, "a table", value)
        return Fields(value, f"{self.path}: {name}")

    def tables(self, name: str) -> list[Fields]:
        """An array of tables; empty when it is left out."""
        value = self._take(name, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self._wrong(name, f"tables headed [[{name}]]", value)
        return [Fields(item, f"{self.path}: {name}[{i}]") for i, item in enumerate(value)]

    def done(self, result: _T = None) -> _T:  # type: ignore[assignment]
        """`result`, once nothing is left over. Raises BadManifest for a field nobody asked for."""
        if self._table:
            raise BadManifest(f"{self.path}: {min(self._table)}: no such field")
        return result

    def _take(self, name: str, default: Any) -> Any:
        if name not in self._table and default is _REQUIRED:
            raise BadManifest(f"{self.path}: {name}: missing")
        return self._table.pop(name, default)

    def _wrong(self, name: str, expected: str, got: object) -> BadManifest:
        return BadManifest(f"{self.path}: {name}: expected {expected}, got {str(got)[:60]!r}")
