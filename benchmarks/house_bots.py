"""Does every house bot beat the one below it? Neighbours of the ladder meet until chance is ruled out.

python -m benchmarks.house_bots GAME [MATCHES]      prints a table for docs/house-bots.md

The bots of a game, in the order of its manifest, are built and played in the sandbox like all bots. Each
meets the next one below in MATCHES matches of their own seeds, on none of which a bot was tuned. A game for
four has two more seats: two other bots of the ladder are drawn for them, because a table with a bot and its
twin is another game (twins see the same, do the same and share what they get). Each table is played twice,
with the seats of the two exchanged. Who is ranked above the other has won the match.

The test. Were the two equally strong, each match that one of them won would be a fair coin. p is the chance
of as many heads or more: the exact binomial (sign) test of one side, on the decided matches. The last column
holds p after Holm's correction for the number of pairs. Where that is below 0.05 all the way down, the chance
that any step of the ladder is an accident is below one in twenty.
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
    """Two neighbours and how their matches ended; level: they were level."""

    stronger: str
    weaker: str
    won: int
    lost: int
    level: int

    @property
    def p(self) -> float:
        """The chance that equals would do as well as `stronger` did, or better."""
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
    """Every bot against the one below it, the strongest first. Raises RuntimeError when a bot faults."""
    bots = house_bots(load(slug))[::-1]
    with house(slug, [bot.path for bot in bots], "bubblewrap") as home:
        for stronger, weaker in itertools.pairwise(range(len(bots))):
            ended = Counter(matches_between(home, stronger, weaker, matches))
            yield Pair(bots[stronger].name, bots[weaker].name, ended[stronger], ended[weaker], ended[None])


def matches_between(home: House, one: int, other: int, matches: int) -> Iterator[int | None]:
    """Who won each match: one of the two, or None."""
    for seed in range(FIRST_SEED, FIRST_SEED + matches):
        seats = seating(home, one, other, seed)
        ranks = dict(zip(seats, home.play(seats, seed).ranks, strict=True))
        yield None if ranks[one] == ranks[other] else min(one, other, key=ranks.__getitem__)


def seating(home: House, one: int, other: int, match: int) -> Sequence[int]:
    """A table drawn for the first match of two; in the second, the two bots change places."""
    drawing = random.Random((match + 1) // 2)
    others = [number for number in range(len(home.players)) if number not in (one, other)]
    pair = [one, other] if match % 2 else [other, one]
    empty = home.info.max_seats - 2
    seats = [*pair, *drawing.sample(others, empty)]
    return drawing.sample(seats, len(seats))


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
    """p-values corrected for their number: the smallest counts that often, the next once less, and so on."""
    corrected = dict.fromkeys(range(len(chances)), 0.0)
    least = 0.0
    for rank, number in enumerate(sorted(corrected, key=chances.__getitem__)):
        least = max(least, min(1.0, chances[number] * (len(chances) - rank)))
        corrected[number] = least
    return list(corrected.values())


if __name__ == "__main__":
    main()
