"""The rule that a bot beats another one in a share of matches, and what it says of a bot's true share.

Two ways decide it:

- **A number of matches** (margin 0): the bot has to be ahead in `percent` of `matches`. They end as soon as
  those that are left cannot change the verdict, which is therefore that of all of them. With `steps`, more
  wins give more points, and they end as soon as those that are left cannot change the points.
- **A sequential test** (margin > 0): Wald's probability ratio test of percent - margin against percent +
  margin, with ERROR for each mistake, after each cycle. If it has not decided after `matches`, the share
  does. It answers soon for a bot that is far from `percent`, and takes its time near it (A. Wald,
  "Sequential Tests of Statistical Hypotheses", 1945).

A match of equal ranks counts as half a win. `chance` is exact for matches that are won independently with one
probability and never end equal.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from agon.teaching.kinds import BadValue, check_whole, fields_of

ERROR = 0.05  # of each kind, of a sequential test without an end
LEAST_MATCHES, MOST_MATCHES = 10, 400
MOST_STEPS = 10
_LIMIT = math.log((1 - ERROR) / ERROR)


class Verdict(StrEnum):
    PASSED = "passed"
    FAILED = "failed"


class Step(NamedTuple):
    """points: of a bot that is ahead in at least this share of the matches."""

    percent: int
    points: Decimal


@dataclass(frozen=True)
class Beats:
    """percent: of the matches that are to be won. matches: at most. margin: percent points; 0: no test.

    steps: from the fewest points to the most, the first one at `percent`; none if all give the same.
    """

    percent: int
    matches: int
    margin: int = 0
    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        check_whole("matches", self.matches, LEAST_MATCHES, MOST_MATCHES)
        check_whole("percent", self.percent, 1, 99)
        check_whole("margin", self.margin, 0, 49)
        if self.margin and not self.margin < self.percent < 100 - self.margin:
            raise BadValue("margin", "a margin that leaves shares above 0 % and below 100 %", self.margin)
        if self.steps:
            self._check_steps()

    def _check_steps(self) -> None:
        if self.margin:
            raise BadValue("margin", "0 where thresholds give points: they take all matches", self.margin)
        if len(self.steps) > MOST_STEPS:
            raise BadValue("steps", f"at most {MOST_STEPS} thresholds", len(self.steps))
        for step in self.steps:
            check_whole("steps", step.percent, 1, 100)
        if not (self.steps[0].points > 0 and _rise(self.steps)):
            got = ", ".join(f"{step.percent} % {step.points:f}" for step in self.steps)
            raise BadValue("steps", "more points for each greater share, each above 0", got)
        if self.percent != self.steps[0].percent:
            raise BadValue("percent", "the share of the first threshold", self.percent)


ABOVE = Beats(55, 400, 5)  # "ranks above": 50 % against 60 %, so a bot that is only as good passes in 5 %


class Tally(NamedTuple):
    """What was played. halves: two for a match in which the bot was ahead, one for an equal one."""

    matches: int = 0
    halves: int = 0


class Chance(NamedTuple):
    """passes: the probability of passing. matches: how many are played on average."""

    passes: float
    matches: float


def to_json(rule: Beats) -> dict[str, object]:
    values: dict[str, object] = {"kind": "beats", "percent": rule.percent, "matches": rule.matches}
    values["margin"] = rule.margin
    steps = [[step.percent, f"{step.points:f}"] for step in rule.steps]
    return values | ({"steps": steps} if steps else {})


def from_json(value: object) -> Beats:
    """The rule that `value` describes; BadValue where it describes none."""
    _, values = fields_of("rule", value, {"beats": Beats})
    return Beats(**values | {"steps": _steps(values.get("steps", []))})


def rounded(rule: Beats, cycle: int) -> Beats:
    """The rule with as many matches as whole cycles have: each seat is taken equally often.

    Rounded up, unless that is more than MOST_MATCHES.
    """
    return replace(rule, matches=min(-(-rule.matches // cycle), MOST_MATCHES // cycle) * cycle)


def points_of(rule: Beats, tally: Tally) -> Decimal | None:
    """What the steps of a rule that has decided give; None if it has none."""
    reached = [step.points for step in rule.steps if _is_reached(rule, step.percent, tally.halves)]
    return max(reached, default=Decimal(0)) if rule.steps else None


def decide(rule: Beats, tally: Tally) -> Verdict | None:
    """The verdict after whole cycles; None if more are to be played."""
    if rule.margin and (verdict := _decided_early(rule, tally)):
        return verdict
    if not rule.margin:
        shares = [step.percent for step in rule.steps] or [rule.percent]
        most = tally.halves + 2 * (rule.matches - tally.matches)  # if all others are won
        if all(_is_reached(rule, share, tally.halves) == _is_reached(rule, share, most) for share in shares):
            return Verdict.PASSED if _is_reached(rule, rule.percent, tally.halves) else Verdict.FAILED
    if tally.matches < rule.matches:
        return None
    return Verdict.PASSED if 100 * tally.halves >= 2 * rule.percent * tally.matches else Verdict.FAILED


@lru_cache(maxsize=512)
def chance(rule: Beats, cycle: int, share: float) -> Chance:
    """The probability that a bot with this true share (0 to 1) passes; looked at after whole cycles."""
    alive = {0: 1.0}  # the probability of each number of wins, without a verdict so far
    passes = expected = 0.0
    for played in range(1, rule.matches + 1):
        after: dict[int, float] = {}
        for wins, probability in alive.items():
            after[wins + 1] = after.get(wins + 1, 0.0) + probability * share
            after[wins] = after.get(wins, 0.0) + probability * (1 - share)
        expected += sum(alive.values())
        alive = after
        if played % cycle == 0:
            verdicts = {wins: decide(rule, Tally(played, 2 * wins)) for wins in alive}
            passes += sum(alive[wins] for wins, verdict in verdicts.items() if verdict == Verdict.PASSED)
            alive = {wins: alive[wins] for wins, verdict in verdicts.items() if verdict is None}
    return Chance(passes, expected)


def _is_reached(rule: Beats, percent: int, halves: int) -> bool:
    """Whether so many halves of wins are this share of all matches."""
    return 100 * halves >= 2 * percent * rule.matches


def _rise(steps: Sequence[Step]) -> bool:
    return all(a.percent < b.percent and a.points < b.points for a, b in pairwise(steps))


def _steps(value: object) -> tuple[Step, ...]:
    """Raises BadValue."""
    pairs: list[Any] = value if isinstance(value, list) else [value]
    try:
        return tuple(Step(percent, Decimal(points)) for percent, points in pairs)
    except (TypeError, ValueError, InvalidOperation):
        raise BadValue("steps", "pairs of a share and points", value) from None


def _decided_early(rule: Beats, tally: Tally) -> Verdict | None:
    low, high = (rule.percent - rule.margin) / 100, (rule.percent + rule.margin) / 100
    wins = tally.halves / 2
    ratio = wins * math.log(high / low) + (tally.matches - wins) * math.log((1 - high) / (1 - low))
    if abs(ratio) < _LIMIT:
        return None
    return Verdict.PASSED if ratio > 0 else Verdict.FAILED
