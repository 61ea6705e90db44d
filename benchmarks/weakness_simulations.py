"""Measures how often a planted weakness is named first, in simulated seasons of a bot with one weakness.

.venv/bin/python -m benchmarks.weakness_simulations [--runs 200]

Results follow the Plackett-Luce model, as in rating_simulations. Ratings are fitted to the season's results,
those of the weak bot included, and the first seat is worth 60 points to every bot. The weakness is drawn: one
opponent below the bot's level, a seat, all matches of some length or more, a kind of fault, or slowness. WEAK
and RARE say how weak the bot is there. The number of a season is its random seed. For "none", a bot without a
weakness, the table has the share of seasons in which any weakness is named. Seasons are of some Way: what is
special in them.
"""

import argparse
import random
import time
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from agon.statistics.ratings.counts import Pair, added, of_match
from agon.statistics.ratings.fit import fit
from agon.statistics.ratings.published import publish
from agon.statistics.ratings.scale import POINTS
from agon.statistics.weaknesses.findings import Finding, Parts, findings
from agon.statistics.weaknesses.groups import Kind, quarters
from agon.statistics.weaknesses.outcomes import FaultSeen, Outcome, compared, seat_bonuses
from benchmarks.rating_simulations import ranking, ranks_of, score

BOTS = 12
MATCHES = 700  # of the weak bot
FEW = 60  # of it, where there are few
FIRST_SEAT = 60 / POINTS
WEAK = 250 / POINTS  # how much weaker the bot is in a seat or a length, in natural units
RARE = 500 / POINTS  # and where the weakness concerns fewer matches: an opponent, a fault, slowness
FAULTY = 0.1  # of the matches, with a fault
SLOW = 0.15  # of the matches, with an answer in the last tenth of the limit or after it
KINDS = ("opponent", "seat", "steps", "fault", "slow", "none")
FAULTS = ("crash", "illegal", "memory", "flood")


class Way(StrEnum):
    """What is special in a season."""

    USUAL = "usual"
    COPIES = "copies"  # two of the others do what the bot does: a tie with them, exactly
    DRAWS = "draws"  # scores are rounded, so every other pair of equals ties
    SEATED = "deterministic"  # the same bots in the same seats have the same result each time
    SYMMETRIC = "deterministic, symmetric"  # whatever the seats
    MIXED = "partly deterministic"  # matches of the bot with one third of the others, in the same seats
    FEW = "few matches"


COPIES = (1, 2)
ROUNDED = 1.7  # natural units of a score
DETERMINISTIC = (3, 4, 5, 6)


class Planted(NamedTuple):
    """The weakness of bot 0. value: the opponent, the seat, the quantile of the length, or the fault."""

    kind: str
    value: float | str

    def is_named(self, finding: Finding) -> bool:
        if self.kind == "steps":
            return finding.kind == Kind.LONG
        if self.kind == "slow":
            return finding.kind == Kind.TIME
        return finding.kind == self.kind and finding.value == self.value


class Played(NamedTuple):
    bots: list[int]
    ranks: list[int]
    steps: int
    faults: tuple[FaultSeen, ...]
    time: float


def season(kind: str, seats: int, number: int, way: Way = Way.USUAL) -> tuple[Planted, list[Finding]]:
    planted, played = played_season(kind, seats, number, way)
    return planted, named(*outcomes_of(played))


def played_season(kind: str, seats: int, number: int, way: Way) -> tuple[Planted, list[Played]]:
    name = f"{kind} {seats} {number}"
    chance = random.Random(name)
    truth = [chance.gauss(0.0, 1.0) for _ in range(BOTS)]
    if way == Way.COPIES:
        truth = [truth[0] if bot in COPIES else strength for bot, strength in enumerate(truth)]
    planted = _plant(kind, seats, truth, chance)
    matches = FEW if way == Way.FEW else MATCHES
    world = _World(name, way, truth, planted, seats, chance)
    played = [_match(world, 0) for _ in range(matches)]
    played += [_match(world, None) for _ in range(matches * (BOTS - seats) // seats)]
    return planted, played


class _World(NamedTuple):
    """What the matches of a season have in common."""

    name: str
    way: Way
    truth: list[float]
    planted: Planted
    seats: int
    chance: random.Random

    def ranks(self, bots: list[int], strengths: list[float]) -> list[int]:
        partly = self.way == Way.MIXED and 0 in bots and not set(bots).isdisjoint(DETERMINISTIC)
        if self.way == Way.SEATED or partly:
            return ranking(strengths, random.Random(f"{self.name} {bots}"))
        if self.way == Way.SYMMETRIC:  # the first seat is worth nothing then; see _match
            order = sorted(range(len(bots)), key=bots.__getitem__)
            ranks = ranking([strengths[seat] for seat in order], random.Random(f"{self.name} {sorted(bots)}"))
            return [ranks[order.index(seat)] for seat in range(len(bots))]
        if self.way == Way.DRAWS:
            return ranks_of([round(score(strength, self.chance) / ROUNDED) for strength in strengths])
        ranks = ranking(strengths, self.chance)
        if self.way == Way.COPIES and 0 in bots:
            own = ranks[bots.index(0)]
            ranks = [own if bot in COPIES else rank for bot, rank in zip(bots, ranks, strict=True)]
        return ranks


def _plant(kind: str, seats: int, truth: list[float], chance: random.Random) -> Planted:
    below = [bot for bot in range(1, BOTS) if truth[bot] < truth[0]]
    weakest = min(range(1, BOTS), key=truth.__getitem__)
    values: dict[str, float | str] = {
        "opponent": chance.choice(below or [weakest]),
        "seat": chance.randrange(seats),
        "steps": chance.uniform(0.5, 0.8),
        "fault": chance.choice(FAULTS),
    }
    return Planted(kind, values.get(kind, ""))


def _match(world: _World, bot: int | None) -> Played:
    """Simulate a match, of `bot` or else of bots without a weakness."""
    planted, seats, chance = world.planted, world.seats, world.chance
    others = chance.sample(range(1, BOTS), seats - (bot is not None))
    bots = chance.sample([*others, *([] if bot is None else [bot])], seats)
    length = chance.random()  # as a quantile
    faults: tuple[FaultSeen, ...] = ()
    slowest = chance.betavariate(2, 8)
    first = 0.0 if world.way == Way.SYMMETRIC else FIRST_SEAT
    strengths = [world.truth[player] + first * (seat == 0) for seat, player in enumerate(bots)]
    if bot is not None:
        own = bots.index(bot)
        steps = 40 + int(80 * length)
        if planted.kind == "fault" and chance.random() < FAULTY:
            faults = (FaultSeen(str(planted.value), chance.randrange(steps)),)
        if planted.kind == "slow" and chance.random() < SLOW:
            slowest = chance.uniform(0.9, 1.2)
            faults = (FaultSeen("timeout", chance.randrange(steps)),) if slowest > 1 else ()
        if planted.kind == "opponent" and planted.value in bots:
            strengths[bots.index(int(planted.value))] += RARE
        strengths[own] -= {
            "seat": WEAK * (planted.value == own),
            "steps": WEAK * (planted.kind == "steps" and length >= float(planted.value)),
            "fault": RARE * bool(faults),
            "slow": RARE * (slowest >= 0.9),
        }.get(planted.kind, 0.0)
    return Played(bots, world.ranks(bots, strengths), 40 + int(80 * length), faults, slowest)


def outcomes_of(played: list[Played]) -> tuple[list[Outcome], dict[int, float]]:
    """The matches of bot 0, and the standard errors of ratings."""
    pairs: list[Pair] = added(pair for match in played for pair in of_match(match.bots, match.ranks))
    ratings = publish(fit(range(BOTS), pairs), range(1, BOTS), range(BOTS))
    elsewhere = [
        (number, rank, ratings[bot].rating)
        for number, match in enumerate(played)
        if 0 not in match.bots
        for bot, rank in zip(match.bots, match.ranks, strict=True)
    ]
    bonuses = seat_bonuses(*map(np.array, zip(*elsewhere, strict=True)))
    outcomes = []
    for number, result in enumerate(played):
        if 0 not in result.bots:
            continue
        own = result.bots.index(0)
        others = [
            (bot, rank, ratings[bot].rating)
            for bot, rank in zip(result.bots, result.ranks, strict=True)
            if bot
        ]
        bonus = bonuses.get((len(result.bots), own), 0.0)
        comparisons = compared(result.ranks[own], others, ratings[0].rating, bonus)
        outcomes.append(Outcome(number, own, comparisons, result.steps, result.faults, result.time))
    errors = {bot: (rating.high - rating.low) / 3.92 for bot, rating in ratings.items()}
    return outcomes, errors


def named(outcomes: list[Outcome], errors: dict[int, float]) -> list[Finding]:
    return findings(Parts(outcomes, quarters(outcome.steps for outcome in outcomes), errors))


def named_first(kind: str, seats: int, runs: int, way: Way = Way.USUAL) -> float:
    """The share of seasons in which the planted weakness is named first; for "none": in which any is."""
    count = 0
    for number in range(runs):
        planted, weaknesses = season(kind, seats, number, way)
        count += bool(weaknesses) and (kind == "none" or planted.is_named(weaknesses[0]))
    return count / runs


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=200)
    runs = parser.parse_args().runs
    print(f"{runs} seasons each\n\nplanted    season                    seats  named first  seconds")
    for way in Way:
        for seats in (2, 4, 8) if way == Way.USUAL else (2, 4):
            for kind in KINDS:
                began = time.process_time()
                share = named_first(kind, seats, runs, way)
                seconds = time.process_time() - began
                print(f"{kind:10} {way:25} {seats:5}  {share:11.1%}  {seconds:7.1f}", flush=True)


if __name__ == "__main__":
    main()
