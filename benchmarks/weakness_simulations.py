"""Measures how often a planted weakness is named first, in simulated seasons of a bot with one weakness.

.venv/bin/python -m benchmarks.weakness_simulations [--runs 200]

Results follow the Plackett-Luce model, as in rating_simulations. Ratings are fitted to the season's results,
those of the weak bot included, and the first seat is worth 60 points to every bot. The weakness is drawn: one
opponent below the bot's level, a seat, all matches of some length or more, a kind of fault, or slowness. WEAK
and RARE say how weak the bot is there. The number of a season is its random seed. For "none", a bot without a
weakness, the table has the share of seasons in which any weakness is named.
"""

import argparse
import random
import time
from typing import NamedTuple

from agon.statistics.ratings.counts import Pair, added, of_match
from agon.statistics.ratings.fit import fit
from agon.statistics.ratings.published import publish
from agon.statistics.ratings.scale import POINTS
from agon.statistics.weaknesses.findings import Finding, findings
from agon.statistics.weaknesses.groups import Kind
from agon.statistics.weaknesses.outcomes import FaultSeen, Outcome, compared, seat_bonuses
from benchmarks.rating_simulations import ranking

BOTS = 12
MATCHES = 700  # of the weak bot
FIRST_SEAT = 60 / POINTS
WEAK = 250 / POINTS  # how much weaker the bot is in a seat or a length, in natural units
RARE = 500 / POINTS  # and where the weakness concerns fewer matches: an opponent, a fault, slowness
FAULTY = 0.1  # of the matches, with a fault
SLOW = 0.15  # of the matches, with an answer in the last tenth of the limit or after it
KINDS = ("opponent", "seat", "steps", "fault", "slow", "none")
FAULTS = ("crash", "illegal", "memory", "flood")


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


def season(kind: str, seats: int, number: int) -> tuple[Planted, list[Finding]]:
    chance = random.Random(f"{kind} {seats} {number}")
    truth = [chance.gauss(0.0, 1.0) for _ in range(BOTS)]
    planted = _plant(kind, seats, truth, chance)
    played = [_match(truth, planted, seats, chance, 0) for _ in range(MATCHES)]
    played += [_match(truth, planted, seats, chance, None) for _ in range(MATCHES * (BOTS - seats) // seats)]
    return planted, _findings(played)


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


def _match(
    truth: list[float], planted: Planted, seats: int, chance: random.Random, bot: int | None
) -> Played:
    """Simulate a match, of `bot` or else of bots without a weakness."""
    others = chance.sample(range(1, BOTS), seats - (bot is not None))
    bots = chance.sample([*others, *([] if bot is None else [bot])], seats)
    length = chance.random()  # as a quantile
    faults: tuple[FaultSeen, ...] = ()
    slowest = chance.betavariate(2, 8)
    strengths = [truth[each] + FIRST_SEAT * (seat == 0) for seat, each in enumerate(bots)]
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
    return Played(bots, ranking(strengths, chance), 40 + int(80 * length), faults, slowest)


def _findings(played: list[Played]) -> list[Finding]:
    pairs: list[Pair] = added(pair for each in played for pair in of_match(each.bots, each.ranks))
    ratings = publish(fit(range(BOTS), pairs), range(1, BOTS), range(BOTS))
    bonuses = seat_bonuses(
        [(rank, ratings[bot].rating) for bot, rank in zip(each.bots, each.ranks, strict=True)]
        for each in played
        if 0 not in each.bots
    )
    outcomes = []
    for number, each in enumerate(played):
        if 0 not in each.bots:
            continue
        own = each.bots.index(0)
        others = [
            (bot, rank, ratings[bot].rating) for bot, rank in zip(each.bots, each.ranks, strict=True) if bot
        ]
        bonus = bonuses.get((len(each.bots), own), 0.0)
        comparisons = compared(each.ranks[own], others, ratings[0].rating, bonus)
        outcomes.append(Outcome(number, own, comparisons, each.steps, each.faults, each.time))
    errors = {bot: (found.high - found.low) / 3.92 for bot, found in ratings.items()}
    return findings(outcomes, errors)


def named_first(kind: str, seats: int, runs: int) -> float:
    """The share of seasons in which the planted weakness is named first; for "none": in which any is."""
    named = 0
    for number in range(runs):
        planted, found = season(kind, seats, number)
        named += bool(found) and (kind == "none" or planted.is_named(found[0]))
    return named / runs


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=200)
    runs = parser.parse_args().runs
    print(f"{runs} seasons of {MATCHES} matches each\n\nplanted    seats  named first  seconds")
    for seats in (2, 4):
        for kind in KINDS:
            began = time.process_time()
            share = named_first(kind, seats, runs)
            print(f"{kind:10} {seats:5}  {share:11.1%}  {time.process_time() - began:7.1f}", flush=True)


if __name__ == "__main__":
    main()
