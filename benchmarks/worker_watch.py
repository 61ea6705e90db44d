"""Whether the watch finds a slow worker among eight and leaves honest ones alone: contest.worker_watch itself.

    python -m benchmarks.worker_watch [RUNS [GAME]]

First MEASURED matches of GAME's house bots are played in boxes, and the median time of each bot's answers is
noted, as the site's watch does. Then contests are simulated: each match has bots and times of a measured one,
multiplied by what was slowed on its worker. All answers of a slowed worker take SLOWED times as long; outcomes
and time-outs stay as they were, which is the harder case. A look follows every EVERY matches.

Reported for each case: how often the right worker was named and another one, and after how many matches. Late
looks are looks after a year of hourly ones, when the rule is strictest.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from statistics import median, stdev

from benchmarks.house import House, house
from benchmarks.measure import one_core
from contest.worker_watch import Observation, find_odd_worker
from games.core.manifest import load

MEASURED = 300
WORKERS = tuple(f"host:core{number}" for number in range(8))
SLOWED = 1.3
MATCHES, EVERY = 2000, 100
LATEST = 1000  # as pipeline.watching
YEAR = 24 * 365  # looks


@dataclass(frozen=True)
class Seat:
    """What a measured match tells of one seat: the bot, and the median time of its answers in seconds."""

    bot: str
    seconds: float
    won: bool


@dataclass(frozen=True)
class Case:
    """title: for the table. slowed: worker 0 is slow from this match on. looks: that were taken before."""

    title: str
    slowed: int | None = None
    by: float = SLOWED
    looks: int = 0


CASES = [
    Case("honest"),
    Case("one of eight slower by 5 %", slowed=0, by=1.05),
    Case("one of eight slower by 30 %", slowed=0),
    Case("the same after a year of looks", slowed=0, looks=YEAR),
    Case("the same, from match 1,001 on", slowed=1000),
]


def main(runs: int = 200, game: str = "honest_rps") -> None:
    with one_core(), house(game, sorted((load(game).folder / "bots").glob("*.py")), "bubblewrap") as agon:
        measured = list(measure(agon))
    print(
        f"{game}: {len(measured)} measured matches of {len(agon.players)} bots; {runs} runs of {MATCHES} matches"
    )
    print(
        f"spread of a bot's times (standard deviation of their logarithms, median bot): {spread(measured):.3f}"
    )
    for case in CASES:
        print(line(case, [run(case, measured, random.Random(seed)) for seed in range(runs)]), flush=True)


def measure(agon: House) -> Iterator[list[Seat]]:
    """Matches of bots drawn at random."""
    chance = random.Random(0)
    for seed in range(MEASURED):
        bots = [chance.randrange(len(agon.players)) for _ in range(agon.info.max_seats)]
        played = agon.play(bots, seed)
        yield [
            Seat(
                agon.players[bot].name, median(timing.wall_us) / 1e6, rank == 1 and played.ranks.count(1) == 1
            )
            for bot, timing, rank in zip(bots, played.timing.seats, played.ranks, strict=True)
        ]


def spread(measured: Sequence[Sequence[Seat]]) -> float:
    """Of the times of one bot from match to match."""
    times: dict[str, list[float]] = {}
    for seat in (seat for match in measured for seat in match):
        times.setdefault(seat.bot, []).append(log(seat.seconds))
    return median(stdev(each) for each in times.values() if len(each) > 1)


def run(case: Case, measured: Sequence[Sequence[Seat]], chance: random.Random) -> tuple[str | None, int]:
    """Who was named, and after how many matches since the worker is slow."""
    slowed = MATCHES if case.slowed is None else case.slowed
    seen = []
    for number in range(MATCHES):
        worker = chance.choice(WORKERS)
        seats = chance.choice(measured)
        seat = seats[number % len(seats)]
        factor = case.by if worker == WORKERS[0] and number >= slowed else 1.0
        seen.append(Observation(number, worker, seat.bot, seat.seconds * factor, seat.won, False))
        if len(seen) % EVERY == 0:
            found = find_odd_worker(seen[-LATEST:], case.looks + len(seen) // EVERY)
            if found is not None:
                return found.worker, len(seen) - (case.slowed or 0)
    return None, MATCHES


def line(case: Case, ends: Sequence[tuple[str | None, int]]) -> str:
    named = Counter(
        "nobody" if worker is None else "it" if is_it(case, worker) else "another" for worker, _ in ends
    )
    after = sorted(matches for worker, matches in ends if worker is not None and is_it(case, worker))
    within = f"; after {after[len(after) // 2]} matches, {after[-1]} at most" if after else ""
    counts = ", ".join(f"{who} {named[who]}" for who in ("it", "another", "nobody"))
    return f"    {case.title}: named {counts}{within}"


def is_it(case: Case, worker: str) -> bool:
    return case.slowed is not None and worker == WORKERS[0]


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *sys.argv[2:3])
