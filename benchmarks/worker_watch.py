"""Measures whether agon.statistics.worker_watch finds one slow worker of eight, and does not suspect normal
ones.

    python -m benchmarks.worker_watch [RUNS [GAME]]

First, MEASURED matches of GAME's house bots are played in boxes, and each bot's typical time is recorded, as
on the site. Then contests are simulated. Each worker plays stretches of consecutive measured matches, of
STRETCH on average (the stationary bootstrap), so that a short disturbance of the machine becomes a short
disturbance of one worker. All answers of a slow worker take longer by the same factor. Outcomes and time-outs
do not change, which makes the worker harder to find. The workers are compared every EVERY matches.

The report has for each case how often the right worker or another one was named, and after how many matches.
In one case a year of hourly comparisons went before, because the rule gets stricter with each comparison.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from statistics import median, stdev

from agon.statistics.worker_watch import WINDOWS, MatchSeen, SeatSeen, find_odd_worker, typical_seconds
from benchmarks.house import House, house
from benchmarks.measure import one_core
from games.core.manifest import load

MEASURED = 300
WORKERS = tuple(f"host:core{number}" for number in range(8))
SLOWED = 1.3
MATCHES, EVERY = 2000, 100
STRETCH = 10
YEAR = 24 * 365  # comparisons

Seats = tuple[SeatSeen, ...]


@dataclass(frozen=True)
class Case:
    """slowed: the match from which worker 0 is slow. by: its factor. looks: number of earlier comparisons."""

    title: str
    slowed: int | None = None
    by: float = SLOWED
    looks: int = 0


CASES = [
    Case("one of eight slower by 30 %", slowed=0),
    Case("the same after a year of looks", slowed=0, looks=YEAR),
    Case("the same, from match 1,001 on", slowed=1000),
    Case("honest"),
    Case("one of eight slower by 5 %", slowed=0, by=1.05),
]


def main(runs: int = 200, game: str = "honest_rps") -> None:
    bots = sorted((load(game).folder / "bots").glob("*.py"))
    with one_core(), house(game, bots, "bubblewrap") as agon:
        measured = list(measure(agon))
    print(f"{game}: {len(bots)} bots, {len(measured)} measured matches; {runs} runs of {MATCHES} matches")
    print(f"standard deviation of the logarithm of a bot's time, from match to match: {spread(measured):.2f}")
    for case in CASES:
        print(line(case, [run(case, measured, random.Random(seed)) for seed in range(runs)]), flush=True)


def measure(agon: House) -> Iterator[Seats]:
    """Play matches of bots drawn at random, and yield the typical time of each seat."""
    chance = random.Random(0)
    for seed in range(MEASURED):
        bots = [chance.randrange(len(agon.players)) for _ in range(agon.info.max_seats)]
        played = agon.play(bots, seed)
        one_winner = played.ranks.count(1) == 1
        yield tuple(
            SeatSeen(
                bot, typical_seconds([us / 1e6 for us in timing.wall_us]), one_winner and rank == 1, False
            )
            for bot, timing, rank in zip(bots, played.timing.seats, played.ranks, strict=True)
        )


def spread(measured: Sequence[Seats]) -> float:
    """The standard deviation of the logarithm of the times, for the median pair of bot and seat."""
    times: dict[object, list[float]] = {}
    for seats in measured:
        for place, seat in enumerate(seats):
            if seat.seconds:
                times.setdefault((seat.bot, place), []).append(log(seat.seconds))
    return median(stdev(time) for time in times.values() if len(time) > 1)


def run(
    case: Case, measured: Sequence[tuple[SeatSeen, ...]], chance: random.Random
) -> tuple[str | None, int]:
    """The worker that was named, and the number of matches until then since worker 0 became slow."""
    slowed = MATCHES if case.slowed is None else case.slowed
    position = {worker: chance.randrange(len(measured)) for worker in WORKERS}
    seen = []
    for number in range(MATCHES):
        worker = chance.choice(WORKERS)
        if chance.random() < 1 / STRETCH:
            position[worker] = chance.randrange(len(measured))
        position[worker] = (position[worker] + 1) % len(measured)
        seats = measured[position[worker]]
        if worker == WORKERS[0] and number >= slowed:
            seats = tuple(seat._replace(seconds=seat.seconds and seat.seconds * case.by) for seat in seats)
        seen.append(MatchSeen(number, worker, seats))
        if len(seen) % EVERY == 0:
            finding = find_odd_worker(seen[-max(WINDOWS) :], case.looks + len(seen) // EVERY)
            if finding is not None:
                return finding.worker, len(seen) - (case.slowed or 0)
    return None, MATCHES


def line(case: Case, ends: Sequence[tuple[str | None, int]]) -> str:
    slow = WORKERS[0] if case.slowed is not None else None
    right = sorted(
        matches for worker, matches in ends if worker is not None and worker == slow and matches > 0
    )
    none = sum(worker is None for worker, _ in ends)
    within = sum(matches <= 500 for matches in right)
    after = f"; {within} within 500 matches, half {right[len(right) // 2]}, all {right[-1]}" if right else ""
    return f"    {case.title}: it {len(right)}, another {len(ends) - len(right) - none}, none {none}{after}"


if __name__ == "__main__":
    arguments = sys.argv[1:]
    main(int(arguments[0]) if arguments else 200, *arguments[1:2])
