"""Which of two bots is ahead of the other more often, and how sure that is.

What is asked is whether a bot's true share of the matches that do not end equal is above one half. Before any
match every share is as likely as any other. After `ahead` and `behind` matches the probability of a share
above one half is that of at most `ahead` heads in ahead + behind + 1 throws of a fair coin, exactly (the beta
distribution with whole parameters). Equal results say nothing about who is better, and do not count.

A claim is made from CERTAIN on. Of such claims at most one in a hundred is wrong, however often one looks: a
probability after results stays right if the results decided when to look. That is so on the average over bots
whose shares are spread evenly; of two that are equally good in truth, one is called better more often.
"""

from enum import StrEnum
from math import comb
from typing import NamedTuple

CERTAIN = 0.99
MOST_RESULTS = (
    1000  # of more results the shares are kept: sums of larger binomials are slow, and decide nothing new
)


class Verdict(StrEnum):
    BEATS = "beats"
    LOSES = "loses"
    UNKNOWN = "unknown"


class Rung(NamedTuple):
    """In how many matches a bot was ahead of another one, beside it, behind it."""

    ahead: int = 0
    equal: int = 0
    behind: int = 0

    @property
    def matches(self) -> int:
        return sum(self)

    @property
    def confidence(self) -> float:
        """The probability that the bot is the better one of the two; 0.5 if nothing is known."""
        decided = self.ahead + self.behind
        ahead = self.ahead if decided <= MOST_RESULTS else self.ahead * MOST_RESULTS // decided
        throws = min(decided, MOST_RESULTS) + 1
        fewer: int = sum(comb(throws, heads) for heads in range(ahead + 1))
        return fewer / int(1 << throws)

    @property
    def verdict(self) -> Verdict:
        if self.confidence >= CERTAIN:
            return Verdict.BEATS
        return Verdict.LOSES if self.confidence <= 1 - CERTAIN else Verdict.UNKNOWN
