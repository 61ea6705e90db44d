"""How much the results of one pair of bots, and of one author's bots, may weigh in a rating.

A bot of another account that loses on purpose to a bot raises its rating. Two bounds limit what that is
worth, and cost honest ratings little (docs/explanations/ratings.md has the figures):

- **Weight.** All bots and versions of one author weigh in the rating of a bot at most AUTHORS times as much
  as those of its median opponent's author, so that twelve bots of one account are not twelve witnesses. House
  bots count one by one.
- **Surprise.** The score of a pair counts as at most SURPRISE standard deviations away from the expected one
  (P. J. Huber, "Robust estimation of a location parameter", Annals of Mathematical Statistics 35, 1964). The
  bots of one author share the deviation that one bot with all of their matches would have. One comparison may
  always count as half a result away.

Both depend on how many matches were played between whom, and not on who won. So the logarithm of the
likelihood remains concave, and a better place still never lowers a rating: where the surprise is bounded, the
slope is constant.
"""

import statistics
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

AUTHORS = 4.0  # times as much as the median author
FREE = 12.0  # comparisons with one author that always weigh fully
SURPRISE = 1.345  # standard deviations; 95 % of the information of honest results remains
LEAST_WEIGHT = 0.5  # of one comparison

Vector = NDArray[np.float64]
Pairs = NDArray[np.int64]


class Bounds(NamedTuple):
    """Of each pair. share: the part of its weight that counts. most: how far its weighted score may count as
    above or below the expected one.
    """

    share: Vector
    most: Vector


def unbounded(pairs: Pairs) -> Bounds:
    return Bounds(np.ones(len(pairs)), np.full(len(pairs), np.inf))


def bounds(pairs: Pairs, weight: Vector, squares: Vector, authors: Mapping[int, int]) -> Bounds:
    """The bounds of pairs of bots.

    weight, squares: by pair, the sums of the comparisons' weights and squared weights. authors: of each bot
    that has one.
    """
    weights: dict[tuple[int, int], float] = defaultdict(float)  # by bot and author of its opponents
    for key, number in zip(_keys(pairs, authors), [*weight, *weight], strict=True):
        weights[key] += number
    most_of = _most_weights(weights)
    shares = np.array([min(1.0, most_of[key[0]] / weights[key]) for key in _keys(pairs, authors)])
    share = np.minimum(shares[: len(pairs)], shares[len(pairs) :])

    variances: dict[tuple[int, int], float] = defaultdict(float)
    for key, number in zip(_keys(pairs, authors), np.tile(squares * share, 2).tolist(), strict=True):
        variances[key] += number
    of_authors = np.array([variances[key] for key in _keys(pairs, authors)])
    variance = np.maximum(of_authors[: len(pairs)], of_authors[len(pairs) :])
    deviation = np.sqrt(variance) / 2  # of an author's score against an equal
    own = squares * share
    most = np.maximum(SURPRISE * deviation * own / variance, LEAST_WEIGHT * squares / weight)
    return Bounds(share, np.asarray(most))


def _keys(pairs: Pairs, authors: Mapping[int, int]) -> list[tuple[int, int]]:
    """Each bot and the author of its opponent, for all first and then for all second bots; -1 - id is the
    author of a bot without one.
    """
    first, second = pairs[:, 0].tolist(), pairs[:, 1].tolist()
    every = zip([*first, *second], [*second, *first], strict=True)
    return [(bot, authors.get(opponent, -1 - opponent)) for bot, opponent in every]


def _most_weights(weights: Mapping[tuple[int, int], float]) -> dict[int, float]:
    """The most that the bots of one author may weigh in each bot's rating."""
    of_bot: dict[int, list[float]] = defaultdict(list)
    for (bot, _), weight in weights.items():
        of_bot[bot].append(weight)
    return {bot: max(FREE, AUTHORS * statistics.median(by_author)) for bot, by_author in of_bot.items()}
