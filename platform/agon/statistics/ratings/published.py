"""What is published of a fit: ratings on a scale like Elo's, their 95 % intervals, and ranges of ranks."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agon.statistics.ratings.fit import Fit
from agon.statistics.ratings.scale import CENTER, POINTS, WIDTH

DIGITS = 2


class Published(NamedTuple):
    """What is shown of a bot: rating, ends of its interval, best and worst rank; 0 for one not ranked."""

    rating: float
    low: float
    high: float
    best: int = 0
    worst: int = 0


def publish(fit: Fit, anchors: Iterable[int], ranked: Sequence[int]) -> dict[int, Published]:
    """What is shown of each bot of the fit.

    anchors: the bots whose mean rating is CENTER; all that are ranked if there are none. ranked: the bots
    that are compared for ranks; one that is there twice counts twice.
    """
    anchored = (
        [fit.place[bot] for bot in anchors] or [fit.place[bot] for bot in ranked] or [*fit.place.values()]
    )
    center = fit.strengths[anchored].mean() if anchored else 0.0
    errors = _errors(fit, anchored)
    ranges = rank_ranges(fit, ranked)
    return {
        bot: Published(
            *_interval(float(fit.strengths[index] - center), float(errors[index])), *ranges.get(bot, (0, 0))
        )
        for bot, index in fit.place.items()
    }


def strengths(ratings: Mapping[int, float]) -> dict[int, float]:
    """Strengths that make these ratings: a start for the next fit."""
    return {bot: (rating - CENTER) / POINTS for bot, rating in ratings.items()}


def rank_ranges(fit: Fit, ranked: Sequence[int]) -> dict[int, tuple[int, int]]:
    """The best and the worst rank that each bot may have: those that are surely ahead or behind are not in
    it.

    One is surely ahead of another if the 95 % interval of their difference is above zero. The comparisons of
    a bot are not corrected for their number: benchmarks/rating_simulations.py finds the true rank in the
    range far more often than 95 %, because one wrong comparison seldom makes the range wrong.
    """
    if not ranked:
        return {}
    distance = _distances(fit, [fit.place[bot] for bot in ranked])
    ahead, behind = (distance <= -WIDTH).sum(axis=1), (distance >= WIDTH).sum(axis=1)
    return {
        bot: (1 + int(above), len(ranked) - int(below))
        for bot, above, below in zip(ranked, ahead, behind, strict=True)
    }


def _interval(strength: float, error: float) -> tuple[float, float, float]:
    return (
        round(CENTER + POINTS * strength, DIGITS),
        round(CENTER + POINTS * (strength - WIDTH * error), DIGITS),
        round(CENTER + POINTS * (strength + WIDTH * error), DIGITS),
    )


def _errors(fit: Fit, anchored: Sequence[int]) -> NDArray[np.float64]:
    """Standard errors of the differences between the bots and the mean of the anchors."""
    if not anchored:
        return np.zeros(0)
    with_anchors = fit.covariance[:, anchored].mean(axis=1)
    variance = np.diag(fit.covariance) - 2 * with_anchors + with_anchors[anchored].mean()
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


def _distances(fit: Fit, places: Sequence[int]) -> NDArray[np.float64]:
    """Differences of strength between each two, in standard errors; 0 between a bot and itself."""
    strengths, covariance = fit.strengths[places], fit.covariance[np.ix_(places, places)]
    variances = np.diag(covariance)
    variance = variances[:, None] + variances[None, :] - 2 * covariance
    same = variance < 1e-12
    difference = strengths[:, None] - strengths[None, :]
    return np.asarray(np.where(same, 0.0, difference / np.sqrt(np.where(same, 1.0, variance))))
