"""The mean of results from 0 to 1, and how sure it is.

The interval is Wilson's for a share. The results are independent, and the variance of a result from 0 to 1
with mean p is at most p (1 - p), which is that of a share: so draws make the interval no narrower than it has
to be, and it is a range even if all results are the same.
"""

import math
from typing import NamedTuple

_DEVIATIONS = 1.96  # for 95 %


class Estimate(NamedTuple):
    """A value, and the ends of its 95 % interval."""

    value: float
    low: float
    high: float


def score(total: float, results: int) -> Estimate | None:
    """The score of `results` independent results that add up to `total`; None without any."""
    if not results:
        return None
    mean, square = total / results, _DEVIATIONS**2 / results
    center = (mean + square / 2) / (1 + square)
    half = math.sqrt(square * (mean * (1 - mean) + square / 4)) / (1 + square)
    return Estimate(mean, max(center - half, 0.0), min(center + half, 1.0))
