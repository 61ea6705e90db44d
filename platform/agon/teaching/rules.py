"""What a milestone asks of a student: typed values, stored as JSON. The site says them as sentences."""

from dataclasses import asdict, dataclass
from enum import StrEnum

from agon.teaching.kinds import BadValue, check_whole, fields_of

MOST_MATCHES = 1000
CONFIDENCES = (80, 90, 95, 99)  # percent


class Method(StrEnum):
    """fixed: all matches are played. sequential: they end as soon as the result is clear."""

    FIXED = "fixed"
    SEQUENTIAL = "sequential"


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
        check_whole("bot", self.bot, 1)
        check_whole("share", self.share, 1, 100)
        check_whole("matches", self.matches, 1, MOST_MATCHES)


@dataclass(frozen=True)
class RankAbove:
    """A bot of the student is rated above `bot`, with `confidence` percent."""

    bot: int
    confidence: int

    def __post_init__(self) -> None:
        check_whole("bot", self.bot, 1)
        if self.confidence not in CONFIDENCES or isinstance(self.confidence, bool):
            raise BadValue("confidence", f"one of {', '.join(map(str, CONFIDENCES))}", self.confidence)


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
    """The rule that `value` describes; BadValue where it describes none."""
    kind, values = fields_of("rule", value, _KINDS)
    if "method" in values:
        values["method"] = _method(values["method"])
    return _KINDS[kind](**values)


def _method(value: object) -> Method:
    if not isinstance(value, str) or value not in list(Method):
        raise BadValue("method", f"one of {', '.join(Method)}", value)
    return Method(value)
