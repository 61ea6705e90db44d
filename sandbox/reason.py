"""Why something failed, or was refused: a code with values, which becomes a sentence where it is shown.

`sandbox.reason_texts` has the sentences. What comes from outside, such as the message of a compiler, is a
value. So no program has to parse a sentence, and a bot can choose neither a code nor a word of ours.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

Value: TypeAlias = "str | int | float | tuple[int, ...] | Reason"


@dataclass(frozen=True, init=False)
class Reason:
    """The empty code stands for no reason, which is false."""

    code: str
    values: Mapping[str, Value]

    def __init__(self, code: str, /, **values: Value) -> None:
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "values", values)

    def __bool__(self) -> bool:
        return bool(self.code)

    def __str__(self) -> str:
        """For the authors of the code."""
        return f"{self.code} {dict(self.values)}" if self.values else self.code

    def has(self, code: str) -> bool:
        """Whether this reason or one among its values, at any depth, has this code."""
        parts = (value for value in self.values.values() if isinstance(value, Reason))
        return self.code == code or any(part.has(code) for part in parts)

    def map(self, change: Callable[[str], str]) -> "Reason":
        """This reason with every text among its values changed, at any depth."""
        return Reason(self.code, **{name: _mapped(value, change) for name, value in self.values.items()})


def _mapped(value: Value, change: Callable[[str], str]) -> Value:
    if isinstance(value, Reason):
        return value.map(change)
    return change(value) if isinstance(value, str) else value


NO_REASON = Reason("")


def mark(text: str) -> str:
    """`text` itself, marked for translation."""
    return text
