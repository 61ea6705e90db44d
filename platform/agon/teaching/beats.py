"""The rule that a bot beats another one in a share of matches, and what it says of a bot's true share.

Two ways decide it:

- **A number of matches** (margin 0): the bot has to be ahead in `percent` of `matches`. They end as soon as
  those that are left cannot change the verdict, which is therefore that of all of them.
- **A sequential test** (margin > 0): Wald's probability ratio test of percent - margin against percent +
  margin, with ERROR for each mistake, after each cycle. If it has not decided after `matches`, the share
  does. It answers soon for a bot that is far from `percent`, and takes its time near it (A. Wald,
  "Sequential Tests of Statistical Hypotheses", 1945).

A match of equal ranks counts as half a win. `chance` is exact for matches that are won independently with one
probability and never end equal.
"""

import math
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from agon.teaching.kinds import BadValue, check_whole, fields_of

ERROR = 0.05  # of each kind, of a sequential test without an end
LEAST_MATCHES, MOST_MATCHES = 10, 400
_LIMIT = math.log((1 - ERROR) / ERROR)


class Verdict(StrEnum):
    PASSED = "passed"
    FAILED = "failed"


@dataclass(frozen=True)
class Beats:
    """percent: of the matches that are to be won. matches: at most. margin: percent points; 0: no test."""

    percent: int
    matches: int
    margin: int = 0

    def __post_init__(self) -> None:
        check_whole("matches", self.matches, LEAST_MATCHES, MOST_MATCHES)
        check_whole("percent", self.percent, 1, 99)
        check_whole("margin", self.margin, 0, 49)
        if self.margin and not self.margin < self.percent < 100 - self.margin:
            raise BadValue("margin", "a margin that leaves shares above 0 % and below 100 %", self.margin)


class Tally(NamedTuple):
    """What was played. halves: two for a match in which the bot was ahead, one for an equal one."""

    matches: int = 0
    halves: int = 0


class Chance(NamedTuple):
    """passes: the probability of passing. matches: how many are played on average."""

    passes: float
    matches: float


def to_json(rule: Beats) -> dict[str, object]:
    return {"kind": "beats", **asdict(rule)}


def from_json(value: object) -> Beats:
    """The rule that `value` describes; BadValue where it describes none."""
    _, values = fields_of("rule", value, {"beats": Beats})
    return Beats(**values)


def rounded(rule: Beats, cycle: int) -> Beats:
    """The rule with as many matches as whole cycles have, rounded up: each seat is taken equally often."""
    return Beats(rule.percent, -(-rule.matches // cycle) * cycle, rule.margin) if cycle > 1 else rule


def decide(rule: Beats, tally: Tally) -> Verdict | None:
    """The verdict after whole cycles; None if more are to be played."""
    if rule.margin and (found := _decided_early(rule, tally)):
        return found
    if not rule.margin:
        needed = 2 * rule.percent * rule.matches  # in hundredths of half a win
        if 100 * tally.halves >= needed:
            return Verdict.PASSED
        if 100 * (tally.halves + 2 * (rule.matches - tally.matches)) < needed:
            return Verdict.FAILED
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


def _decided_early(rule: Beats, tally: Tally) -> Verdict | None:
    low, high = (rule.percent - rule.margin) / 100, (rule.percent + rule.margin) / 100
    wins = tally.halves / 2
    ratio = wins * math.log(high / low) + (tally.matches - wins) * math.log((1 - high) / (1 - low))
    if abs(ratio) < _LIMIT:
        return None
    return Verdict.PASSED if ratio > 0 else Verdict.FAILED
