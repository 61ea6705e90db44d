"""Measures how good ratings are, in simulated competitions whose true strengths are known.

.venv/bin/python -m benchmarks.rating_simulations [--runs 200]

The site's own matchmaking chooses the matches. Results follow the Plackett-Luce model, in which every pair
follows the Bradley-Terry model, with or without draws. Each line of the table is the mean over the runs;
docs/explanations/ratings.md has the results. The number of a run is its random seed.
"""

import argparse
import math
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from agon.statistics.ratings import matchmaking
from agon.statistics.ratings.counts import Pair, added, of_match
from agon.statistics.ratings.fit import fit
from agon.statistics.ratings.matchmaking import FOURTH, Contender, Goal
from agon.statistics.ratings.published import Published, publish, strengths
from agon.statistics.ratings.scale import CENTER, POINTS

PROVISIONAL = 12  # as in agon.site.leaderboards.models
MOST_MATCHES = 300  # the default of AGON_LADDER_MATCHES
BATCH = 8  # matches between two fits

Play = Callable[[Sequence[float], random.Random], list[int]]  # ranks by seat, from the strengths
PlayBots = Callable[[Sequence[int], random.Random], list[int]]  # the same, from the bots


class Quality(NamedTuple):
    """How good the ratings of one run are: fractions, except tau and width."""

    interval: float  # of bots whose interval contains the true rating
    rank: float  # of bots whose rank range contains the true rank
    alone: float  # whether only one bot may have rank 1
    overlap: float  # of pairs whose intervals overlap
    tau: float  # Kendall's, between true strengths and ratings; 0 if all strengths are equal
    width: float  # mean number of ranks in a range


class Scenario(NamedTuple):
    title: str
    field: Callable[[random.Random], list[float]]  # the true strengths
    seats: int
    matches: int
    play: Play


def ranking(seated: Sequence[float], chance: random.Random) -> list[int]:
    """Ranks by seat, without ties."""
    return ranks_of([score(strength, chance) for strength in seated])


def score(strength: float, chance: random.Random) -> float:
    """What a bot of this strength gets in a match; the largest score is first (Plackett and Luce)."""
    return strength - math.log(-math.log(chance.random() or 0.5))


def ranks_of(scores: Sequence[float]) -> list[int]:
    return [1 + sum(other > own for other in scores) for own in scores]


def with_draws(seated: Sequence[float], chance: random.Random) -> list[int]:
    """Ranks of two seats; the weaker one gets three fifths of its points from draws."""
    ahead = 1 / (1 + math.exp(seated[1] - seated[0]))
    draw, point = 0.6 * min(ahead, 1 - ahead), chance.random()
    return [1, 2] if point < ahead - draw else [1, 1] if point < ahead + draw else [2, 1]


def compete(
    authors: Sequence[int], seats: int, matches: int, play: PlayBots, chance: random.Random
) -> list[Pair]:
    """Play this number of matches, chosen as on the ladder, with ratings fitted after each BATCH of them.

    authors: of each bot, whose ids are their places in the list.
    """
    contenders = [Contender(bot, CENTER, author=author) for bot, author in enumerate(authors)]
    goal = Goal(MOST_MATCHES)
    pairs: list[Pair] = []
    for number in range(matches):
        if number % BATCH == 0:
            pairs = added(pairs)
            _update_ratings(contenders, pairs)
        unfinished = [contender for contender in contenders if goal.wants(contender)] or contenders
        first = matchmaking.first_of(unfinished, number % FOURTH == 0, chance)
        seated = matchmaking.seat(first, contenders, seats, chance)
        for place, player in enumerate(seated):
            player.played += 1
            player.waited_since = number
            player.seats[place] += 1
        bots = [contender.id for contender in seated]
        pairs += of_match(bots, play(bots, chance))
    return added(pairs)


def rate(authors: Sequence[int], pairs: Sequence[Pair], is_bounded: bool = True) -> dict[int, Published]:
    """The ratings of all bots, anchored at their mean. is_bounded: as on the site."""
    bots = range(len(authors))
    met = Counter[int]()
    for pair in pairs:
        for bot in (pair.first, pair.second):
            met[bot] += pair.first_ahead + pair.tied + pair.second_ahead
    seats = pairs[0].seats if pairs else 2
    ranked = [bot for bot in bots if met[bot] >= PROVISIONAL * (seats - 1)]
    return publish(fit(bots, pairs, authors=dict(enumerate(authors)) if is_bounded else None), bots, ranked)


def run(scenario: Scenario, number: int) -> Quality:
    chance = random.Random(number)
    truth = scenario.field(chance)

    def play(bots: Sequence[int], chance: random.Random) -> list[int]:
        return scenario.play([truth[bot] for bot in bots], chance)

    authors = range(len(truth))
    ratings = rate(authors, compete(authors, scenario.seats, scenario.matches, play, chance))
    return judge(truth, [ratings[bot] for bot in authors])


def judge(truth: Sequence[float], published: Sequence[Published]) -> Quality:
    mean = statistics.fmean(truth)
    ratings = [CENTER + POINTS * (strength - mean) for strength in truth]
    pairs = [(bot, other) for other in range(len(truth)) for bot in range(other)]
    inside = [fitted.low <= rating <= fitted.high for fitted, rating in zip(published, ratings, strict=True)]
    ranks = [(1 + sum(other > own for other in truth), sum(other >= own for other in truth)) for own in truth]
    in_range = [
        fitted.best <= last and first <= fitted.worst
        for fitted, (first, last) in zip(published, ranks, strict=True)
    ]
    agree = [
        _sign(truth[bot] - truth[other]) * _sign(published[bot].rating - published[other].rating)
        for bot, other in pairs
    ]
    apart = [
        published[bot].low > published[other].high or published[other].low > published[bot].high
        for bot, other in pairs
    ]
    return Quality(
        interval=statistics.fmean(inside),
        rank=statistics.fmean(in_range),
        alone=float(sum(fitted.best == 1 for fitted in published) == 1),
        overlap=1 - statistics.fmean(apart),
        tau=statistics.fmean(agree),
        width=statistics.fmean(fitted.worst - fitted.best + 1 for fitted in published),
    )


def means(rows: Iterable[tuple[float, ...]]) -> list[float]:
    return [statistics.fmean(column) for column in zip(*rows, strict=True)]


def equal(bots: int) -> Callable[[random.Random], list[float]]:
    return lambda chance: [0.0] * bots


def spaced(bots: int, step: float) -> Callable[[random.Random], list[float]]:
    return lambda chance: [step * place for place in range(bots)]


def normal(bots: int, deviation: float) -> Callable[[random.Random], list[float]]:
    return lambda chance: [chance.gauss(0, deviation) for _ in range(bots)]


SCENARIOS = (
    Scenario("16 copies, 2 seats", equal(16), 2, 800, ranking),
    Scenario("16 copies, 4 seats", equal(16), 4, 400, ranking),
    Scenario("16 copies, 2 seats, draws", equal(16), 2, 800, with_draws),
    Scenario("spaced by 100 points, 12 bots, 2 seats", spaced(12, 100 / POINTS), 2, 600, ranking),
    Scenario("spaced by 100 points, 12 bots, 4 seats", spaced(12, 100 / POINTS), 4, 300, ranking),
    Scenario("close (s = 0.5), 20 bots, 2 seats", normal(20, 0.5), 2, 600, ranking),
    Scenario("close (s = 0.5), 20 bots, 4 seats", normal(20, 0.5), 4, 300, ranking),
    Scenario("close (s = 0.5), 20 bots, 8 seats", normal(20, 0.5), 8, 150, ranking),
    Scenario("wide (s = 1.5), 20 bots, 2 seats", normal(20, 1.5), 2, 600, ranking),
    Scenario("wide (s = 1.5), 20 bots, 4 seats", normal(20, 1.5), 4, 300, ranking),
    Scenario("wide (s = 1.5), 20 bots, 2 seats, draws", normal(20, 1.5), 2, 600, with_draws),
    Scenario("30 bots, s = 0.5, 2 seats", normal(30, 0.5), 2, 1000, ranking),
    Scenario("30 bots, s = 0.7, 2 seats", normal(30, 0.7), 2, 1000, ranking),
    Scenario("30 bots, s = 1.0, 2 seats", normal(30, 1.0), 2, 1000, ranking),
    Scenario("30 bots, s = 0.35, 4 seats", normal(30, 0.35), 4, 1000, ranking),
    Scenario("30 bots, s = 0.5, 4 seats", normal(30, 0.5), 4, 1000, ranking),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    runs = parser.parse_args().runs
    print(f"{runs} runs each\n")
    print("| field | matches | interval | rank | alone first | overlap | tau | ranks in a range |")
    print("|---|---|---|---|---|---|---|---|")
    for scenario in SCENARIOS:
        quality = Quality(*means(run(scenario, number) for number in range(runs)))
        shares = " | ".join(f"{100 * share:.1f} %" for share in quality[:4])
        print(
            f"| {scenario.title} | {scenario.matches} | {shares} | {quality.tau:.2f} | {quality.width:.1f} |",
            flush=True,
        )
    print(f"\n1,000 bots, 14,500 pairs: {speed():.2f} s of processor time")


def speed() -> float:
    """Seconds to fit ratings from scratch, and to compute the ratings and ranks to publish."""
    chance = random.Random(1)
    pairs: list[Pair] = []
    for bot in range(1000):
        for _ in range(20):
            opponent = (bot + chance.randrange(1, 30)) % 1000
            pairs += of_match([bot, opponent], chance.choice([[1, 2], [2, 1]]))
    pairs = added(pairs)
    began = time.process_time()
    publish(fit(range(1000), pairs, authors={bot: bot for bot in range(1000)}), range(10), range(1000))
    return time.process_time() - began


def _update_ratings(contenders: Sequence[Contender], pairs: Sequence[Pair]) -> None:
    """Fit ratings to all results, and set those of the contenders."""
    bots = [contender.id for contender in contenders]
    start = strengths({contender.id: contender.rating for contender in contenders})
    ranked = [contender.id for contender in contenders if contender.played >= PROVISIONAL]
    authors = {contender.id: contender.author for contender in contenders if contender.author is not None}
    published = publish(fit(bots, pairs, start=start, authors=authors), bots, ranked)
    for contender in contenders:
        new = published[contender.id]
        contender.rating, contender.best, contender.worst = new.rating, new.best, new.worst


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


if __name__ == "__main__":
    main()
