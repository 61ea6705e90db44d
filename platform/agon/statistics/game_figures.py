"""What matches of its house bots say about a game: seats, luck, draws, length, with 95 % intervals.

The design: some line-ups of bots, each with several seeds, each of these in all rotations of the seats. A
cycle is a line-up with a seed; in it every bot has had every seat, so a seat's mean says nothing of its bots.

A result is the share of the others that a seat is ahead of; a shared rank is half. Luck is the part of the
variance of results that is left when the line-up and its seats are known: what seeds decide, and bots that
draw. It is estimated without bias from the variance between the seeds of one line-up in one rotation.

Intervals are about seeds, for these line-ups: the jackknife, which leaves out one cycle of a line-up at a
time (B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 11, in strata). That of
the draws is Wilson's (agon.statistics.score).
"""

import itertools
import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agon.statistics.score import Estimate, score

SEED = 1  # of the line-ups that are drawn
LEAST_SEEDS = 5  # of a line-up, if there are matches enough
DEVIATIONS = 1.96


# By line-up: an array by cycle, then rotation, then seat.
Tables: TypeAlias = Mapping[int, NDArray[np.float64]]


class Seating(NamedTuple):
    """A match to play. lineup, cycle: from 0. seats: bots by seat."""

    lineup: int
    cycle: int
    seats: tuple[int, ...]


class Outcome(NamedTuple):
    """A match that was played. steps: how many asks it had."""

    seating: Seating
    ranks: tuple[int, ...]
    steps: int


class Figures(NamedTuple):
    """seats: the mean result by seat, 0.5 where no seat is better. luck: None if all results are equal.

    draws: matches whose first rank is shared. steps: asks of a match; shortest, longest: of them.
    """

    matches: int
    lineups: int
    seats: tuple[Estimate, ...]
    luck: Estimate | None
    draws: Estimate
    steps: Estimate
    shortest: int
    longest: int


def design(bots: int, seats: int, matches: int) -> list[Seating]:
    """At least two cycles and about as many matches as wanted; bots take part equally often.

    Cycles come in an order in which every line-up gets its first seed before one gets its second.
    """
    everyone = list(range(bots))
    lineups = list(itertools.combinations(everyone, seats))
    if not lineups:
        lineups = [tuple(itertools.islice(itertools.cycle(everyone), seats))]
    chosen = _balanced(lineups, max(1, matches // (seats * LEAST_SEEDS)))
    seeds = max(2, matches // (seats * len(chosen)))
    return [
        Seating(lineup, seed * len(chosen) + lineup, bots_[turn:] + bots_[:turn])
        for seed in range(seeds)
        for lineup, bots_ in enumerate(chosen)
        for turn in range(seats)
    ]


def _balanced(lineups: Sequence[tuple[int, ...]], most: int) -> list[tuple[int, ...]]:
    """Some of the line-ups, drawn so that no bot is in many more than another."""
    left = random.Random(SEED).sample(lineups, len(lineups))
    used: Counter[int] = Counter()
    chosen: list[tuple[int, ...]] = []
    while left and len(chosen) < most:
        best = min(left, key=lambda lineup: sum(used[bot] for bot in lineup))
        left.remove(best)
        used.update(best)
        chosen.append(best)
    return chosen


def figures(outcomes: Sequence[Outcome]) -> Figures:
    """The figures of these matches; cycles are complete, and there is at least one."""
    seats = len(outcomes[0].ranks)
    cycles: dict[int, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        cycles[outcome.seating.cycle].append(outcome)
    results: dict[int, list[NDArray[np.float64]]] = defaultdict(list)
    lengths: dict[int, list[NDArray[np.float64]]] = defaultdict(list)
    for played in cycles.values():
        lineup = played[0].seating.lineup
        results[lineup].append(np.array([_results(match.ranks) for match in played]))
        lengths[lineup].append(np.array([[float(match.steps)] for match in played]))
    tables = {lineup: np.stack(arrays) for lineup, arrays in results.items()}
    draws = score(sum(outcome.ranks.count(1) > 1 for outcome in outcomes), len(outcomes))
    assert draws is not None
    return Figures(
        matches=len(outcomes),
        lineups=len(tables),
        seats=tuple(_within(_figure(tables, partial(_mean, place=seat)), 0.0, 1.0) for seat in range(seats)),
        luck=None if math.isnan(_luck(tables)) else _within(_figure(tables, _luck), 0.0, 1.0),
        draws=draws,
        steps=_figure({lineup: np.stack(arrays) for lineup, arrays in lengths.items()}, _mean),
        shortest=min(outcome.steps for outcome in outcomes),
        longest=max(outcome.steps for outcome in outcomes),
    )


def _results(ranks: Sequence[int]) -> list[float]:
    """By seat, the share of the others that it is ahead of."""
    others = max(1, len(ranks) - 1)
    return [(sum((mine < rank) + (mine <= rank) for rank in ranks) - 1) / 2 / others for mine in ranks]


def _mean(tables: Tables, place: int = 0) -> float:
    """The mean of a seat over all matches."""
    return float(np.concatenate([table[:, :, place].ravel() for table in tables.values()]).mean())


def _luck(tables: Tables) -> float:
    """The share of the variance that is between the seeds of a line-up; not a number without any variance."""
    several = [table for table in tables.values() if len(table) > 1]
    total = float(np.concatenate([((table - 0.5) ** 2).ravel() for table in tables.values()]).mean())
    if not several or not total:
        return math.nan
    return float(np.mean([table.var(axis=0, ddof=1).mean() for table in several])) / total


def _figure(tables: Tables, statistic: Callable[[Tables], float]) -> Estimate:
    value = statistic(tables)
    variance = 0.0
    for lineup, table in tables.items():
        count = len(table)
        if count < 2:
            continue
        left_out = np.array(
            [statistic({**tables, lineup: np.delete(table, cycle, axis=0)}) for cycle in range(count)]
        )
        left_out = left_out[~np.isnan(left_out)]
        variance += (
            (count - 1) / count * float(((left_out - left_out.mean()) ** 2).sum()) if len(left_out) else 0.0
        )
    half = DEVIATIONS * math.sqrt(variance)
    return Estimate(value, value - half, value + half)


def _within(figure: Estimate, least: float, most: float) -> Estimate:
    """The interval without what the figure cannot be. The value may be a little beyond it, by chance."""
    return figure._replace(low=max(figure.low, least), high=min(figure.high, most))
