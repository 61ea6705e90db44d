"""The chance that a bot passes a rule, by its true rate: how much doubt a rule leaves.

Only wins count: a draw is no win. Matches are taken as independent and equally hard. Where seats
are not equally hard, and each is played equally often, the number of wins varies less than that.
"""

from dataclasses import dataclass
from functools import cache
from math import log

import numpy as np
from numpy.typing import NDArray

ERROR = 0.05  # of a sequential test, on either side of its margin


@dataclass(frozen=True)
class Outlook:
    """passes: the chance to pass. matches: the matches played on average."""

    passes: float
    matches: float


def wins_needed(share: int, matches: int) -> int:
    """The wins that are at least `share` percent of `matches`."""
    return -(-share * matches // 100)


def fixed(rate: float, share: int, matches: int) -> Outlook:
    """What a bot that wins `rate` of its matches may expect where all `matches` are played."""
    wins = np.arange(matches + 1)
    passes = _wins(rate, matches)[wins >= wins_needed(share, matches)].sum()
    return Outlook(min(float(passes), 1.0), matches)


@dataclass(frozen=True)
class Sequential:
    """Wald's sequential probability ratio test of bounded length: it stops as soon as the result is clear.

    low and high: of the bots that win at most `low` no more than ERROR pass, of those that win at least
    `high` no more than ERROR fail. A decision is made after each round of `seats` matches, one from every
    seat. After `matches` the share decides, as in the fixed test.
    """

    share: int
    matches: int
    seats: int
    low: float
    high: float

    def passed(self, wins: int, played: int) -> bool | None:
        """Whether `wins` of `played` matches pass; None: play another round."""
        passes, fails = self._decide(np.array([wins]), played)
        return True if passes[0] else False if fails[0] else None

    def outlook(self, rate: float) -> Outlook:
        """What a bot that wins `rate` of its matches may expect, exactly."""
        round_ = _wins(rate, self.seats)
        undecided = np.ones(1)
        passed = played_on_average = 0.0
        for played in range(self.seats, self.matches + 1, self.seats):
            undecided = np.convolve(undecided, round_)
            passes, fails = self._decide(np.arange(played + 1), played)
            passed += float(undecided[passes].sum())
            played_on_average += played * float(undecided[passes | fails].sum())
            undecided[passes | fails] = 0
        return Outlook(min(passed, 1.0), played_on_average)

    def _decide(self, wins: NDArray[np.int64], played: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        if played >= self.matches:
            passes = wins >= wins_needed(self.share, played)
            return passes, ~passes
        ratio = wins * log(self.high / self.low) + (played - wins) * log((1 - self.high) / (1 - self.low))
        bound = log((1 - ERROR) / ERROR)
        return ratio >= bound, ratio <= -bound


@cache
def sequential(share: int, matches: int, seats: int) -> Sequential | None:
    """The sequential test of at most `matches` with the smallest margin that keeps ERROR, if one does."""
    length = matches - matches % seats
    for points in range(1, min(share, 100 - share)):
        test = Sequential(share, length, seats, (share - points) / 100, (share + points) / 100)
        if length and test.outlook(test.low).passes <= ERROR and test.outlook(test.high).passes >= 1 - ERROR:
            return test
    return None


def _wins(rate: float, matches: int) -> NDArray[np.float64]:
    """The chance of each number of wins in `matches`; doubling keeps it exact for rates of 0 and 1, too."""
    chances, step, left = np.ones(1), np.array([1 - rate, rate]), matches
    while left:
        if left % 2:
            chances = np.convolve(chances, step)
        step, left = np.convolve(step, step), left // 2
    return chances
