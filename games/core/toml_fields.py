"""Reads the tables of a game's manifest (TOML) field by field; see games/core/fields.py."""

from collections.abc import Mapping
from typing import Any

from games.core.fields import REQUIRED, Fields, Reader


class BadManifest(Exception):
    """An unusable manifest. str(e) names the file and the field, what was expected and what it got."""


_READER = Reader(BadManifest, lambda value: repr(str(value)[:60]), joint=": ")


class TomlTable(Fields):
    """One table."""

    def __init__(self, table: Mapping[str, Any], path: str) -> None:
        super().__init__(_READER, table, path)

    def text(self, name: str) -> str:
        """Text that is not blank."""
        value = super().text(name)
        if not value.strip():
            raise self.reader.wrong(self.at(name), "text", value)
        return value

    def flag(self, name: str, default: bool) -> bool:
        """The boolean; the default if it is missing. Raises BadManifest."""
        value = self.take(name, default)
        if not isinstance(value, bool):
            raise self.reader.wrong(self.at(name), "true or false", value)
        return value

    def table(self, name: str, default: Any = REQUIRED) -> "TomlTable":
        """The table within this one; the default if it is missing. Raises BadManifest."""
        value = self.take(name, default)
        if not isinstance(value, dict):
            raise self.reader.wrong(self.at(name), "a table", value)
        return TomlTable(value, self.at(name))

    def tables(self, name: str) -> list["TomlTable"]:
        """An array of tables; empty if it is left out."""
        value = self.take(name, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.reader.wrong(self.at(name), f"tables headed [[{name}]]", value)
        return [TomlTable(item, f"{self.at(name)}[{place}]") for place, item in enumerate(value)]
