"""How long what is left takes, from how long the latest took: a range, not a number.

The times in which `done` and `left` equal things get done one after the other have gamma distributions if the
time of each is exponential. Their ratio is then F-distributed, and its logarithm has about the variance
1/done + 1/left. So few results make a wide range, and many a narrow one. Things whose times vary less than
that, as most do, are within the range more often than it promises; things that get slower are not.
"""

import math
from typing import NamedTuple

LEAST = 3  # results, without which nothing is said
FEW = 5  # of so few that are left, any may be over at once: the time has no lower end
_DEVIATIONS = 1.645  # for 90 %


class Remaining(NamedTuple):
    """A range of seconds."""

    least: float
    most: float


def remaining(done: int, seconds: float, left: int, most_left: int | None = None) -> Remaining | None:
    """How long `left` things take, if the latest `done` took `seconds`; None if too few are done.

    most_left: if more than `left` may be left, how many at most.
    """
    if done < LEAST or seconds <= 0:
        return None
    if left <= 0:
        return Remaining(0.0, 0.0)
    most = max(left, most_left or left)
    pace = seconds / done
    least = 0.0 if left < FEW else left * pace / _factor(done, left)
    return Remaining(least, most * pace * _factor(done, most))


def _factor(done: int, left: int) -> float:
    return math.exp(_DEVIATIONS * math.sqrt(1 / done + 1 / left))
