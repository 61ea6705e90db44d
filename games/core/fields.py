"""Untrusted data, read field by field: records and manifests of archives (JSON), manifests of games (TOML).

Errors name the field, what was expected and what it got. Each kind of file has a Reader, which determines the
exception and its wording: the prefix of a path, how paths are joined and how a wrong value is described.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

_T = TypeVar("_T")
Read: TypeAlias = Callable[[Any, str], _T]  # reads a value; the text says where it is
REQUIRED: Any = object()
_LONGEST_PATH = 100  # of a path in an error: names may come from the data


@dataclass(frozen=True)
class Reader:
    """Checks single values; `path` says where a value is. describe: a wrong value in a few words.

    is_closed: whether objects have no fields but those that are read.
    """

    error: type[Exception]
    describe: Callable[[object], str]
    prefix: str = ""
    joint: str = "."
    is_closed: bool = True

    def wrong(self, path: str, expected: str, got: object) -> Exception:
        """The error for a value at this place."""
        return self.refuse(path, f"expected {expected}, got {self.describe(got)}")

    def refuse(self, path: str, words: str) -> Exception:
        return self.error(f"{self.prefix}{path[:_LONGEST_PATH]}: {words}")

    def object(self, value: Any, path: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.wrong(path, "an object", value)
        return value

    def text(self, value: Any, path: str) -> str:
        if not isinstance(value, str):
            raise self.wrong(path, "text", value)
        return value

    def flag(self, value: Any, path: str) -> bool:
        if not isinstance(value, bool):
            raise self.wrong(path, "true or false", value)
        return value

    def integer(self, value: Any, path: str, least: int, most: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise self.wrong(path, f"a whole number from {least} to {most}", value)
        return value

    def whole(self, least: int, most: int) -> Read[int]:
        """A reader of whole numbers from `least` to `most`."""
        return lambda value, path: self.integer(value, path, least, most)

    def object_of(self, make: Callable[..., _T], **fields: Read[Any]) -> Read[_T]:
        """A reader of objects with these fields, which `make` gets by name."""

        def read_object(value: Any, path: str) -> _T:
            given = self.object(value, path)
            if missing := fields.keys() - given.keys():
                raise self.refuse(f"{path}{self.joint}{min(missing)}", "missing")
            if self.is_closed and (left := given.keys() - fields.keys()):
                raise self.refuse(f"{path}{self.joint}{min(left)}", "no such field")
            return make(
                **{name: read(given[name], f"{path}{self.joint}{name}") for name, read in fields.items()}
            )

        return read_object

    def items(self, value: Any, path: str, read: Read[_T]) -> tuple[_T, ...]:
        """A list, its items read one by one."""
        if not isinstance(value, list):
            raise self.wrong(path, "a list", value)
        return tuple(read(item, f"{path}[{place}]") for place, item in enumerate(value))


class Fields:
    """One object or table. Every field is taken once; `done` refuses fields that were not taken."""

    def __init__(self, reader: Reader, value: Mapping[str, Any], path: str) -> None:
        self.reader = reader
        self.path = path
        self._value = value
        self._taken: set[str] = set()

    def names(self) -> list[str]:
        """The names of the fields that the object has."""
        return list(self._value)

    def at(self, name: str) -> str:
        """The path of a field."""
        return f"{self.path}{self.reader.joint}{name}" if self.path else name

    def take(self, name: str, default: Any = REQUIRED) -> Any:
        """The value of a field; `default` if it is left out."""
        if name not in self._value:
            if default is REQUIRED:
                raise self.reader.refuse(self.at(name), "missing")
            return default
        self._taken.add(name)
        return self._value[name]

    def read(self, name: str, read: Read[_T], default: Any = REQUIRED) -> _T:
        """The field as `read` reads it; `default`, of any type, if the field is left out."""
        value = self.take(name, default)
        result: _T = value if value is default else read(value, self.at(name))
        return result

    def text(self, name: str) -> str:
        return self.read(name, self.reader.text)

    def integer(self, name: str, least: int, most: int, default: Any = REQUIRED) -> Any:
        """A whole number from `least` to `most`; `default`, of any type, if the field is left out."""
        return self.read(name, self.reader.whole(least, most), default)

    def choice(self, name: str, choices: Sequence[str]) -> str:
        value = self.take(name)
        if value not in choices:
            raise self.reader.wrong(self.at(name), " or ".join(choices), value)
        return str(value)

    def items(self, name: str, read: Read[_T], default: Any = REQUIRED) -> tuple[_T, ...]:
        return self.read(name, lambda value, path: self.reader.items(value, path, read), default)

    def done(self, result: _T = None) -> _T:  # type: ignore[assignment]
        """Return `result`. Refuses the object if a field was not taken."""
        left = self._value.keys() - self._taken
        if left:
            raise self.reader.refuse(self.at(min(left)), "no such field")
        return result


def or_none(read: Read[_T]) -> Read[_T | None]:
    """A reader of the same values, or null."""
    return lambda value, path: None if value is None else read(value, path)
