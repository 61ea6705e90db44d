"""Why something failed, or was refused: a code with values, which becomes a sentence where it is shown.

Each room that makes reasons has a table of their sentences. What comes from outside, such as an answer of a
bot, is a value. So no program has to parse a sentence, and a bot can choose neither a code nor a word of
ours. Reasons of the sandbox have a type of their own, because it knows no games: agon.contest.reasons makes
these of them.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

Value: TypeAlias = "str | int | float | tuple[int, ...] | Reason"
_PLACEHOLDER = re.compile(r"%\((\w+)\)[sdr]|%%")


@dataclass(frozen=True, init=False, eq=False)
class Reason:
    """The empty code stands for no reason, which is false. A sentence need not use all the values."""

    code: str
    values: Mapping[str, Value]

    def __init__(self, code: str, values: Mapping[str, Value] = {}, /, **more: Value) -> None:
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "values", {**values, **more})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reason) and (self.code, self.values) == (other.code, other.values)

    def __hash__(self) -> int:
        return hash(self.code)

    def __bool__(self) -> bool:
        return bool(self.code)

    def __str__(self) -> str:
        """For the authors of the code; also shown where the code has no sentence."""
        values = ", ".join(f"{name}: {value}" for name, value in self.values.items())
        return f"{self.code} ({values})" if values else self.code

    def find(self, *codes: str) -> "Reason | None":
        """The first with one of these codes: this reason or one among its values, at any depth."""
        return next((part for part in self.parts() if part.code in codes), None)

    def map(self, text: Callable[[str], str] = str, code: Callable[[str], str] = str) -> "Reason":
        """This reason with every text among its values, and every code, changed, at any depth."""
        return Reason(
            code(self.code), {name: _mapped(value, text, code) for name, value in self.values.items()}
        )

    def to_data(self) -> dict[str, Any]:
        """As JSON data; `from_data` reads it."""
        return {"code": self.code, "values": {name: _to_data(value) for name, value in self.values.items()}}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_data` wrote. What others may have written is to be checked before."""
        return cls(data["code"], {name: _from_data(value) for name, value in data["values"].items()})

    def parts(self) -> Iterator["Reason"]:
        """This reason and all among its values."""
        yield self
        for value in self.values.values():
            if isinstance(value, Reason):
                yield from value.parts()


NO_REASON = Reason("")


def mark(text: str) -> str:
    """`text` itself, marked for translation."""
    return text


def english_number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.10g}"


def sentence(
    reason: Reason, template_of: Callable[[str], str], number: Callable[[float], str] = english_number
) -> str:
    """The reason in words. template_of: the sentence for a code, "" if there is none. It never raises."""
    template = template_of(reason.code)
    if not template:
        return Reason.__str__(reason)
    parts = {
        name: sentence(value, template_of, number) if isinstance(value, Reason) else value
        for name, value in reason.values.items()
    }
    return fill(template, parts, number)


def fill(template: str, values: Mapping[str, object], number: Callable[[float], str] = english_number) -> str:
    """`template` with its placeholders replaced; one without a value stays.

    number: writes a number. `%(line)d` has bare digits: numbers of lines have no separators.
    """

    def shown(placeholder: re.Match[str]) -> str:
        value = values.get(placeholder[1], placeholder[0]) if placeholder[1] else "%"
        if isinstance(value, int) and placeholder[0].endswith("d"):
            return str(value)
        if isinstance(value, int | float):
            return number(value)
        return repr(value) if placeholder[0].endswith("r") else str(value)

    return _PLACEHOLDER.sub(shown, template)


def _mapped(value: Value, text: Callable[[str], str], code: Callable[[str], str]) -> Value:
    if isinstance(value, Reason):
        return value.map(text, code)
    return text(value) if isinstance(value, str) else value


def _to_data(value: Value) -> Any:
    if isinstance(value, Reason):
        return value.to_data()
    return list(value) if isinstance(value, tuple) else value


def _from_data(value: Any) -> Value:
    if isinstance(value, dict):
        return Reason.from_data(value)
    result: Value = tuple(value) if isinstance(value, list) else value
    return result
