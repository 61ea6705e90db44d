"""Reads the tables of a game's manifest (TOML) field by field; see games/core/fields.py."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from games.core.fields import REQUIRED, Fields, Reader


class BadManifest(Exception):
    """An unusable manifest. str(e) names the file and the field, what was expected and what it got."""


_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_READER = Reader(BadManifest, lambda value: repr(str(value)[:60]), joint=": ")


class TomlTable(Fields):
    """One table."""

    def __init__(self, table: Mapping[str, Any], path: str) -> None:
        super().__init__(_READER, table, path)

    @classmethod
    def of_file(cls, path: Path, slug: str) -> "TomlTable":
        """All of a file of a game. Raises BadManifest."""
        where = f"{slug}/{path.name}"
        try:
            return cls(tomllib.loads(path.read_text(encoding="utf-8")), where)
        except ValueError as error:
            raise BadManifest(f"{where}: {error}") from None
        except OSError as error:  # str(error) would name folders of this machine
            raise BadManifest(f"{where}: {error.strerror}") from None
        except RecursionError:
            raise BadManifest(f"{where}: nested too deeply") from None

    def text(self, name: str, default: Any = REQUIRED) -> str:
        """Text that is not blank; the default if it is missing. Raises BadManifest."""
        value = self.read(name, self.reader.text, default)
        if value is not default and not value.strip():
            raise self.reader.wrong(self.at(name), "text", value)
        return value

    def table(self, name: str, default: Any = REQUIRED) -> "TomlTable":
        """The table within this one; the default if it is missing. Raises BadManifest."""
        value = self.take(name, default)
        if not isinstance(value, dict):
            raise self.reader.wrong(self.at(name), "a table", value)
        return TomlTable(value, self.at(name))

    def line(self, name: str, most: int) -> str:
        """Text of one line, of at most so many characters. Raises BadManifest."""
        value = self.text(name)
        if len(value) > most or _CONTROL.search(value):
            raise self.reader.wrong(self.at(name), f"one line of at most {most} characters", value)
        return value

    def path_below(self, name: str, folder: Path) -> Path:
        """A path below the game's folder, where nothing needs to be. Raises BadManifest."""
        value = self.text(name)
        wrong = self.reader.wrong(self.at(name), "a path below the game's folder", value)
        try:
            path = (folder / value).resolve()
            path.exists()
        except (OSError, RuntimeError, ValueError):  # too long, a circle of links, a null character
            raise wrong from None
        if not path.is_relative_to(folder.resolve()):
            raise wrong
        return path

    def tables(self, name: str) -> list["TomlTable"]:
        """An array of tables; empty if it is left out."""
        value = self.take(name, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.reader.wrong(self.at(name), f"tables headed [[{name}]]", value)
        return [TomlTable(item, f"{self.at(name)}[{place}]") for place, item in enumerate(value)]


def require_distinct(names: Sequence[str], where: str) -> None:
    """Raises BadManifest if a name is there twice."""
    for name in names:
        if names.count(name) > 1:
            raise BadManifest(f"{where}: the name {name} is there twice")
