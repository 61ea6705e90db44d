"""Measures what bots gain that others lose to on purpose, and what the bounds against it cost honest bots.

.venv/bin/python -m benchmarks.collusion_simulations [--runs 40]

Thirteen honest bots of known strengths, spaced by 60 points, one of an author each, and others that lose to
the fifth of them. The site's own matchmaking chooses the matches, 200 for each bot. Each line has the ratings
without the bounds of agon.statistics.ratings.bounds and with them. The number of a run is its random seed.

- gain: of the fifth bot, in points beyond its true rating, both relative to the other honest bots.
- place: of the fifth bot among the thirteen.
- found: the share of seasons in which agon.statistics.ratings.oddities names the fifth bot, and any bot.
- error: of the other honest bots, the root of the mean square, in points. Kendall's tau, between their
  strengths and ratings. interval: the share of them whose 95 % interval contains the true rating.
"""

import argparse
import math
import random
import statistics
from collections.abc import Sequence
from multiprocessing import Pool
from typing import NamedTuple

from agon.statistics.ratings.counts import Pair, added, of_match
from agon.statistics.ratings.oddities import odd_pairs, scores, uneven_bots
from agon.statistics.ratings.scale import POINTS
from benchmarks.rating_simulations import compete, means, ranks_of, rate, score

HONEST = 13
TARGET = 4  # the fifth
STEP = 60 / POINTS
FOR_EACH = 200  # matches


class Scenario(NamedTuple):
    """helpers: bots beyond the honest ones. loses: how often such a bot loses to the fifth on purpose.

    accounts: of the helpers. weaker: by how many natural units, on average, than the honest ones.
    """

    title: str
    helpers: int = 0
    loses: float = 0.0
    accounts: int = 12
    weaker: float = 0.0
    seats: int = 2
    beats: int | None = None  # the honest bot that always loses to the fifth
    cycle: float = 0.0  # natural units by which each of three kinds of bots is better against the next


class Outcome(NamedTuple):
    gain: float
    place: float
    error: float
    tau: float
    interval: float


class Found(NamedTuple):
    """The share of seasons in which the fifth bot is named, and any is."""

    fifth: float
    anyone: float


class Season(NamedTuple):
    authors: list[int]
    truth: list[float]
    pairs: list[Pair]


SCENARIOS = (
    Scenario("honest"),
    Scenario("honest, 4 seats", seats=4),
    Scenario("honest, 12 more bots of one account", 12, accounts=1),
    Scenario("honest, always beats the first", beats=0),
    Scenario("honest, always beats the last", beats=12),
    Scenario("honest, three kinds in a cycle (odds of 3 : 1)", cycle=math.log(3)),
    *(Scenario(f"{n} accounts always lose to it", n, 1.0) for n in (3, 6, 12)),
    *(Scenario(f"{n} accounts lose half of the time", n, 0.5) for n in (3, 6, 12)),
    *(Scenario(f"{n} bots of one account always lose", n, 1.0, accounts=1) for n in (3, 6, 12)),
    Scenario("6 accounts always lose, are weak", 6, 1.0, weaker=2.0),
    Scenario("6 accounts always lose, are strong", 6, 1.0, weaker=-1.0),
    *(Scenario(f"{n} accounts always lose, 4 seats", n, 1.0, seats=4) for n in (3, 6, 12)),
)


def season(scenario: Scenario, number: int) -> Season:
    """Play a season. number: the random seed."""
    chance = random.Random(number)
    truth = [STEP * (HONEST // 2 - place) for place in range(HONEST)]
    truth += [chance.gauss(-scenario.weaker, 0.8) for _ in range(scenario.helpers)]
    authors = [*range(HONEST), *(HONEST + helper % scenario.accounts for helper in range(scenario.helpers))]

    def play(bots: Sequence[int], chance: random.Random) -> list[int]:
        return ranks_of([_score(scenario, truth, bot, bots, chance) for bot in bots])

    matches = FOR_EACH * len(truth) // scenario.seats
    return Season(authors, truth, compete(authors, scenario.seats, matches, play, chance))


def judge(played: Season, is_bounded: bool) -> Outcome:
    ratings = rate(played.authors, played.pairs, is_bounded)
    others = [bot for bot in range(HONEST) if bot != TARGET]
    mean = statistics.fmean(ratings[bot].rating for bot in others)
    true_mean = statistics.fmean(played.truth[bot] for bot in others)
    error = {
        bot: ratings[bot].rating - mean - POINTS * (played.truth[bot] - true_mean) for bot in range(HONEST)
    }
    agree = [
        1 if ratings[bot].rating > ratings[other].rating else -1
        for other in others
        for bot in others
        if bot < other
    ]
    return Outcome(
        gain=error[TARGET],
        place=1 + sum(ratings[bot].rating > ratings[TARGET].rating for bot in others),
        error=math.sqrt(statistics.fmean(error[bot] ** 2 for bot in others)),
        tau=statistics.fmean(agree),
        interval=statistics.fmean(
            abs(error[bot]) <= ratings[bot].high - ratings[bot].rating for bot in others
        ),
    )


def look(played: Season) -> Found:
    """Whether the fifth bot, and any bot, is named as odd, in a season rated with the bounds."""
    ratings = {bot: published.rating for bot, published in rate(played.authors, played.pairs).items()}
    met = scores(played.pairs, ratings, {bot: bot for bot in ratings})
    authors = dict(enumerate(played.authors))
    named = {odd_pair.bot for odd_pair in odd_pairs(met, authors)} | {
        uneven_bot.bot for uneven_bot in uneven_bots(met, authors)
    }
    return Found(float(TARGET in named), float(bool(named)))


def closed_circle(is_bounded: bool) -> float:
    """Points between the best and the second of 13 bots of as many accounts, if twelve play only the first of
    them, 25 times each, and lose; the ladder never draws so.
    """
    log = [pair for loser in range(1, HONEST) for pair in of_match([0, loser], [1, 2]) * 25]
    ratings = rate(range(HONEST), added(log), is_bounded)
    return ratings[0].rating - ratings[1].rating


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=40)
    runs = parser.parse_args().runs
    print(f"{runs} runs each; without bounds / with them\n")
    print("| season | gain | place | error | tau | interval | fifth found | any found |")
    print("|---|---|---|---|---|---|---|---|")
    for scenario in SCENARIOS:
        with Pool() as pool:
            results = pool.starmap(_measure, [(scenario, number) for number in range(runs)])
        without, bounded, named = map(means, zip(*results, strict=True))
        cells = [
            f"{before:{form}} / {after:{form}}"
            for before, after, form in zip(without, bounded, (".0f", ".1f", ".1f", ".2f", ".1%"), strict=True)
        ]
        cells += [f"{share:.0%}" for share in named]
        print(f"| {scenario.title} | {' | '.join(cells)} |", flush=True)
    print(f"\nclosed circle: {closed_circle(False):.0f} / {closed_circle(True):.0f} points")


def _score(
    scenario: Scenario, truth: Sequence[float], bot: int, bots: Sequence[int], chance: random.Random
) -> float:
    """What a bot gets in a match: the larger ones are ahead."""
    if TARGET in bots and bot == scenario.beats:
        return -math.inf
    if TARGET in bots and bot >= HONEST and chance.random() < scenario.loses:
        return -1e6 + chance.random()
    against = [(other - bot) % 3 for other in bots if other != bot]
    kind = scenario.cycle * statistics.fmean((step == 1) - (step == 2) for step in against) / 2
    return score(truth[bot] + kind, chance)


def _measure(scenario: Scenario, number: int) -> tuple[Outcome, Outcome, Found]:
    played = season(scenario, number)
    return judge(played, False), judge(played, True), look(played)


if __name__ == "__main__":
    main()
