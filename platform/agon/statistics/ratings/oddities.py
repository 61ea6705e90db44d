"""Finds results that the fitted strengths do not explain: for people who look for bots that lose on purpose.

- A **pair** is odd if its score is farther from the expected one than chance explains. The score of n
  comparisons, of an expected mean p, has a mean of at least x > p with a probability of at most
  exp(-n KL(x, p)), whatever draws do (W. Hoeffding, "Probability inequalities for sums of bounded random
  variables", Journal of the American Statistical Association 58, 1963, theorem 1). All bots of one author are
  tested as one opponent, too. The level is divided by the number of tests (Bonferroni).
- A bot is **uneven** if it is better against some authors than against others beyond chance, as one is to
  which several accounts lose, none of them often enough to be odd alone. The statistic is the sum over the
  opponents' authors of the squared difference between score and expectation, in variances. Seasons drawn from
  the fitted strengths show how large the largest one of a season is by chance.

A finding is no proof: in many games a bot has an opponent that suits it. Together the tests find nothing in
95 % of honest seasons whose bots have strengths on a line (benchmarks/collusion_simulations.py).
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agon.statistics.ratings.counts import Pair
from agon.statistics.ratings.scale import POINTS

ODD = 0.025  # the share of honest seasons with an odd pair, at most
UNEVEN = 0.01  # and with an uneven bot, if strengths were known; they are fitted to the same results
SEASONS = 1000  # drawn to see what chance does
SEED = 1
SLACK = 0.25  # added to a variance, so that one upset of a strong bot does not weigh like many

Vector = NDArray[np.float64]


class Score(NamedTuple):
    """What a bot got in all its comparisons with an opponent; a tie is half. variance: without draws."""

    comparisons: int
    score: float
    expected: float
    variance: float

    def plus(self, other: "Score") -> "Score":
        return Score(
            self.comparisons + other.comparisons,
            self.score + other.score,
            self.expected + other.expected,
            self.variance + other.variance,
        )

    @property
    def share(self) -> float:
        return self.score / self.comparisons

    @property
    def expected_share(self) -> float:
        return self.expected / self.comparisons

    @property
    def surprise(self) -> float:
        """The logarithm of how improbable so good a score is at most; 0 if it is not above the expected."""
        share, expected = self.share, self.expected_share
        if share <= expected:
            return 0.0
        rest = 0.0 if share >= 1 else (1 - share) * math.log((1 - share) / (1 - expected))
        return self.comparisons * (share * math.log(share / expected) + rest)


class OddPair(NamedTuple):
    """A bot that is better than expected against `opponents`, which are of one author if they are several."""

    bot: int
    opponents: tuple[int, ...]
    score: Score


class UnevenBot(NamedTuple):
    """scores: against the bots of each author, by its bots; those first that gave more than expected."""

    bot: int
    scores: list[tuple[tuple[int, ...], Score]]


def scores(
    pairs: Iterable[Pair], ratings: Mapping[int, float], bots: Mapping[int, int]
) -> dict[tuple[int, int], Score]:
    """The scores of each two bots, in both directions. pairs: of versions. ratings, bots: of versions."""
    result: dict[tuple[int, int], Score] = {}
    for pair in pairs:
        bot, opponent = bots[pair.first], bots[pair.second]
        if bot == opponent:
            continue
        number = pair.first_ahead + pair.tied + pair.second_ahead
        ahead = 1 / (1 + math.exp((ratings[pair.second] - ratings[pair.first]) / POINTS))
        score, variance = pair.first_ahead + pair.tied / 2, number * ahead * (1 - ahead)
        for key, own_score in (
            ((bot, opponent), Score(number, score, number * ahead, variance)),
            ((opponent, bot), Score(number, number - score, number * (1 - ahead), variance)),
        ):
            result[key] = result[key].plus(own_score) if key in result else own_score
    return result


def odd_pairs(met: Mapping[tuple[int, int], Score], authors: Mapping[int, int]) -> list[OddPair]:
    """The odd pairs, most improbable first. authors: of each bot that has one."""
    several = [OddPair(bot, bots, score) for bot, bots, score in _by_author(met, authors) if len(bots) > 1]
    tested = [*(OddPair(bot, (opponent,), score) for (bot, opponent), score in met.items()), *several]
    least = math.log(len(tested) / ODD) if tested else 0.0
    odd = [odd_pair for odd_pair in tested if odd_pair.score.surprise > least]
    return sorted(odd, key=lambda odd_pair: (-odd_pair.score.surprise, odd_pair.bot, odd_pair.opponents))


def uneven_bots(met: Mapping[tuple[int, int], Score], authors: Mapping[int, int]) -> list[UnevenBot]:
    """The uneven bots, the most uneven first. authors: of each bot that has one."""
    groups = _by_author(met, authors)
    if not groups:
        return []
    bots = sorted({bot for bot, _ in met})
    place = {bot: number for number, bot in enumerate(bots)}
    pairs = sorted(pair for pair in met if pair[0] < pair[1])
    number = np.array([met[pair].comparisons for pair in pairs])
    expected = np.array([met[pair].expected_share for pair in pairs])
    drawn = np.random.Generator(np.random.PCG64(SEED)).binomial(number, expected, (SEASONS, len(pairs)))
    seen = np.array([[met[pair].score for pair in pairs]])
    sums = _Sums(pairs, groups, place)
    by_chance = sums.unevenness(drawn - number * expected)
    usual, spread = by_chance.mean(axis=0), by_chance.std(axis=0) + 1e-9
    most = np.quantile(((by_chance - usual) / spread).max(axis=1), 1 - UNEVEN)
    [excess] = (sums.unevenness(seen - number * expected) - usual) / spread
    uneven = sorted((bot for bot in bots if excess[place[bot]] > most), key=lambda bot: -excess[place[bot]])
    return [UnevenBot(bot, _best_first(bot, groups)) for bot in uneven]


class _Sums:
    """Adds up the differences between score and expectation by bot and author of the opponents."""

    def __init__(
        self,
        pairs: Sequence[tuple[int, int]],
        groups: Sequence[tuple[int, tuple[int, ...], Score]],
        place: Mapping[int, int],
    ) -> None:
        group = {(bot, opponent): at for at, (bot, others, _) in enumerate(groups) for opponent in others}
        self.first = np.array([group[pair] for pair in pairs], dtype=np.intp)
        self.second = np.array([group[pair[::-1]] for pair in pairs], dtype=np.intp)
        self.variance = np.array([score.variance for _, _, score in groups]) + SLACK
        self.bot = np.array([place[bot] for bot, _, _ in groups], dtype=np.intp)
        self.bots = len(place)

    def unevenness(self, excess: Vector) -> Vector:
        """By season and bot. excess: by season and pair."""
        return np.array([self._of_season(season) for season in excess])

    def _of_season(self, excess: Vector) -> Vector:
        count = len(self.variance)
        gained = np.bincount(self.first, excess, count) - np.bincount(self.second, excess, count)
        return np.bincount(self.bot, gained**2 / self.variance, self.bots).astype(np.float64)


def _by_author(
    met: Mapping[tuple[int, int], Score], authors: Mapping[int, int]
) -> list[tuple[int, tuple[int, ...], Score]]:
    """Each bot with the bots of each author that it met, and its score against them."""
    opponents: dict[tuple[int, int], list[int]] = defaultdict(list)
    for bot, opponent in sorted(met):
        opponents[bot, authors.get(opponent, -1 - opponent)].append(opponent)
    groups = []
    for (bot, _), others in opponents.items():
        score = met[bot, others[0]]
        for opponent in others[1:]:
            score = score.plus(met[bot, opponent])
        groups.append((bot, tuple(others), score))
    return groups


def _best_first(
    bot: int, groups: Iterable[tuple[int, tuple[int, ...], Score]]
) -> list[tuple[tuple[int, ...], Score]]:
    own = [(others, score) for first, others, score in groups if first == bot]
    return sorted(own, key=lambda scored: scored[1].expected - scored[1].score)
