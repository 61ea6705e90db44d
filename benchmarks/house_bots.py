"""Tests whether every house bot beats the next weaker one, in enough matches to rule out chance.

python -m benchmarks.house_bots GAME [MATCHES]      prints the rows of a table in results/house_bots.json

The bots of a game, in the order of its manifest, are built and played in the sandbox like all bots. Each
plays MATCHES matches against the next weaker one, with seeds on which no bot was tuned. In a game for four,
the other seats go to two other house bots, drawn at random, and not to copies of the two: copies see and do
the same, and share what they get. Each seating is played twice, with the two bots exchanged. The bot with the
better rank wins.

The test: if both were equally strong, each decided match would be the toss of a fair coin. p is the
probability of that many wins or more: the exact one-sided binomial (sign) test on decided matches. The last
column is p after Holm's correction for the number of pairs. If it is below 0.05 in every row, the probability
that any bot is above its neighbor by chance is below one in twenty.
"""

from __future__ import annotations

import itertools
import math
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from benchmarks.house import House, house
from benchmarks.measure import one_core
from games.core.manifest import house_bots, load

MATCHES = 400
FIRST_SEED = 100_001


@dataclass(frozen=True)
class Pair:
    """Two neighbors on the ladder and the results of their matches. level: matches with equal ranks."""

    stronger: str
    weaker: str
    won: int
    lost: int
    level: int

    @property
    def p(self) -> float:
        """The probability that equally strong bots do as well as `stronger` did, or better."""
        decided = self.won + self.lost
        heads = sum(math.comb(decided, count) for count in range(self.won, decided + 1))
        return float(Fraction(heads, 2**decided))


def main() -> None:
    slug, matches = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else MATCHES
    with one_core():
        pairs = list(ladder(slug, matches))
    for line in table(pairs):
        print(line)


def ladder(slug: str, matches: int) -> Iterator[Pair]:
    """Play every bot against the one below it, the strongest first. Raises RuntimeError at a fault."""
    bots = house_bots(load(slug))[::-1]
    with house(slug, [bot.path for bot in bots], "bubblewrap") as agon:
        for stronger, weaker in itertools.pairwise(range(len(bots))):
            winners = Counter(matches_between(agon, stronger, weaker, matches))
            yield Pair(
                bots[stronger].name, bots[weaker].name, winners[stronger], winners[weaker], winners[None]
            )


def matches_between(agon: House, first: int, second: int, matches: int) -> Iterator[int | None]:
    """The winner of each match: one of the two, or None."""
    for seed in range(FIRST_SEED, FIRST_SEED + matches):
        seats = seating(agon, first, second, seed)
        ranks = dict(zip(seats, agon.play(seats, seed).ranks, strict=True))
        yield None if ranks[first] == ranks[second] else min(first, second, key=ranks.__getitem__)


def seating(agon: House, first: int, second: int, match: int) -> Sequence[int]:
    """The seats of a match: drawn for odd matches; in the next one, the two bots are exchanged."""
    rng = random.Random((match + 1) // 2)
    others = [number for number in range(len(agon.players)) if number not in (first, second)]
    pair = [first, second] if match % 2 else [second, first]
    empty = agon.info.max_seats - 2
    seats = [*pair, *rng.sample(others, empty)]
    return rng.sample(seats, len(seats))


def table(pairs: Sequence[Pair]) -> Iterator[str]:
    """Lines of Markdown."""
    yield "| bot | beats | matches | won | lost | level | of decided | p | p after Holm |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for pair, corrected in zip(pairs, holm([pair.p for pair in pairs]), strict=True):
        share = pair.won / max(1, pair.won + pair.lost)
        played = pair.won + pair.lost + pair.level
        yield (
            f"| {pair.stronger} | {pair.weaker} | {played} | {pair.won} | {pair.lost} | {pair.level} "
            f"| {share:.1%} | {pair.p:.1e} | {corrected:.1e} |"
        )


def holm(chances: Sequence[float]) -> Sequence[float]:
    """Holm's correction: the smallest of n p-values is multiplied by n, the next one by n - 1, and so on."""
    corrected = dict.fromkeys(range(len(chances)), 0.0)
    least = 0.0
    for rank, number in enumerate(sorted(corrected, key=chances.__getitem__)):
        least = max(least, min(1.0, chances[number] * (len(chances) - rank)))
        corrected[number] = least
    return list(corrected.values())


if __name__ == "__main__":
    main()
