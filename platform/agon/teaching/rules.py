"""What a milestone asks of a student: typed values, stored as JSON. The site says them as sentences."""

from dataclasses import asdict, dataclass
from enum import StrEnum

MOST_MATCHES = 1000
CONFIDENCES = (80, 90, 95, 99)  # percent


class Method(StrEnum):
    """fixed: all matches are played. sequential: they end as soon as the result is clear."""

    FIXED = "fixed"
    SEQUENTIAL = "sequential"


class BadRule(ValueError):
    """A rule that is none: field, what was expected there, and what was got."""

    def __init__(self, field: str, expected: str, got: object) -> None:
        super().__init__(f"{field}: expected {expected}, got {got!r}")
        self.field = field
        self.expected = expected
        self.got = got


@dataclass(frozen=True)
class Joined:
    """The student joined the course."""


@dataclass(frozen=True)
class Accepted:
    """A version of the student was accepted."""


@dataclass(frozen=True)
class Beats:
    """A version wins at least `share` percent of `matches` against `bot`, from every seat equally often."""

    bot: int
    share: int
    matches: int
    method: Method = Method.FIXED

    def __post_init__(self) -> None:
        _whole("bot", self.bot, 1)
        _whole("share", self.share, 1, 100)
        _whole("matches", self.matches, 1, MOST_MATCHES)


@dataclass(frozen=True)
class RankAbove:
    """A bot of the student is rated above `bot`, with `confidence` percent."""

    bot: int
    confidence: int

    def __post_init__(self) -> None:
        _whole("bot", self.bot, 1)
        if self.confidence not in CONFIDENCES or isinstance(self.confidence, bool):
            raise BadRule("confidence", f"one of {', '.join(map(str, CONFIDENCES))}", self.confidence)


Rule = Joined | Accepted | Beats | RankAbove

_KINDS: dict[str, type[Rule]] = {
    "joined": Joined,
    "accepted": Accepted,
    "beats": Beats,
    "rank_above": RankAbove,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def to_json(rule: Rule) -> dict[str, object]:
    return {"kind": _NAMES[type(rule)], **asdict(rule)}


def from_json(value: object) -> Rule:
    """The rule that `value` describes; BadRule where it describes none."""
    if not isinstance(value, dict):
        raise BadRule("rule", "an object", value)
    values = {**value}
    kind = values.pop("kind", None)
    if not isinstance(kind, str) or kind not in _KINDS:
        raise BadRule("kind", f"one of {', '.join(_KINDS)}", kind)
    expected = _KINDS[kind].__dataclass_fields__
    for name in values:
        if name not in expected:
            raise BadRule("rule", f"only {', '.join(['kind', *expected])}", name)
    for name in expected:
        if name not in values and name != "method":
            raise BadRule(name, "a whole number", None)
    if "method" in values:
        values["method"] = _method(values["method"])
    return _KINDS[kind](**values)


def _method(value: object) -> Method:
    if not isinstance(value, str) or value not in list(Method):
        raise BadRule("method", f"one of {', '.join(Method)}", value)
    return Method(value)


def _whole(field: str, value: object, least: int, most: int | None = None) -> None:
    fits = isinstance(value, int) and not isinstance(value, bool)
    if not fits or not isinstance(value, int) or value < least or (most is not None and value > most):
        span = f"from {least} to {most}" if most else f"of at least {least}"
        raise BadRule(field, f"a whole number {span}", value)
