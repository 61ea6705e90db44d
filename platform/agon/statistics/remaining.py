"""How long what is left takes, from how long the latest took: a range, not a number.

The times in which `done` and `left` equal things get done one after the other have gamma distributions if the
time of each is exponential. Their ratio is then F-distributed, and its logarithm has about the variance
1/done + 1/left. So few results make a wide range, and many a narrow one. A pace also changes for reasons that
its results do not show, such as what else a machine does: DRIFT is how much, as a deviation of its logarithm.
Several measures of the pace, such as the latest and that of all, make one range that has the ranges of each.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

LEAST_RESULTS = 3  # results, without which nothing is said
FEW = 5  # of so few that are left, any may be over at once: the time has no lower end
DRIFT = 0.2
_DEVIATIONS = 1.645  # for 90 %


class Pace(NamedTuple):
    """How many things were done in so many seconds."""

    done: int
    seconds: float


class Remaining(NamedTuple):
    """A range of seconds."""

    least: float
    most: float


def remaining(paces: Iterable[Pace], left: int, most_left: int | None = None) -> Remaining | None:
    """How long `left` things take, at these paces; None if too few are done in all of them.

    most_left: if more than `left` may be left, how many at most.
    """
    estimates = [
        _at(pace, left, most_left) for pace in paces if pace.done >= LEAST_RESULTS and pace.seconds > 0
    ]
    if not estimates:
        return None
    return Remaining(
        min(estimate.least for estimate in estimates), max(estimate.most for estimate in estimates)
    )


def _at(pace: Pace, left: int, most_left: int | None) -> Remaining:
    if left <= 0:
        return Remaining(0.0, 0.0)
    most = max(left, most_left or left)
    seconds_each = pace.seconds / pace.done
    least = 0.0 if left < FEW else left * seconds_each / _factor(pace.done, left)
    return Remaining(least, most * seconds_each * _factor(pace.done, most))


def _factor(done: int, left: int) -> float:
    return math.exp(_DEVIATIONS * math.sqrt(1 / done + 1 / left + DRIFT**2))
