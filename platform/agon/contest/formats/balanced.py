"""Balanced blocks, for games of 2 seats or more: they balance seats and, over the blocks, who meets whom.

The entrants form one drawn circle. In a block, match i seats the entrants at chosen distances from i, so
there is a match for every entrant, and every entrant sits once in every seat (base.turned). Two entrants at
distance d on the circle meet in a block as often as d is a difference of two chosen distances. So the
distances of a block are chosen to make the meetings so far as even as can be found: the sum of their squares
is minimized one distance at a time, from three drawn starts.

Guarantees. In each round every entrant plays exactly once in every seat. The numbers of meetings of any two
pairs differ by two at most after any number of rounds: this is tested, not proved. With two seats, all pairs
have met equally often after each n - 1 rounds of n entrants.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random

from agon.contest.formats.base import Format, Plan, Seating, fixed, turned
from games.core.story import mark

STARTS = 3


def block(plan: Plan, number: int) -> Iterator[Seating]:
    """Block `number`: a match for every entrant."""
    circle = plan.draw("circle").sample(range(plan.entrants), plan.entrants)
    return turned(circle, _meetings(plan.entrants, plan.seats, plan.seed).distances(number))


def _count(plan: Plan) -> int:
    return plan.rounds * plan.entrants


@lru_cache(maxsize=16)
def _meetings(entrants: int, seats: int, seed: int) -> "_Meetings":
    return _Meetings(Plan("balanced", entrants, seats, 1, seed))


class _Meetings:
    """The distances of each block. met: how often two entrants at each distance have met so far."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._blocks: list[tuple[int, ...]] = []
        self._met = [0] * (plan.entrants // 2 + 1)

    def distances(self, number: int) -> tuple[int, ...]:
        """The distances of block `number`. Those of the blocks before it are found first, and kept."""
        while len(self._blocks) <= number:
            self._blocks.append(self._next(self._plan.draw("distances", len(self._blocks))))
        return self._blocks[number]

    def _next(self, draw: Random) -> tuple[int, ...]:
        everyone = range(self._plan.entrants)
        starts = [draw.sample(everyone, self._plan.seats) for _ in range(STARTS)]
        chosen = min((self._improved(start) for start in starts), key=self._unevenness)
        draw.shuffle(chosen)
        for place, distance in enumerate(chosen):
            self._add(self._met, distance, chosen[:place])
        return tuple(chosen)

    def _improved(self, chosen: list[int]) -> list[int]:
        """Replace one distance after another by the best one, until none can be improved."""
        improved = True
        while improved:
            improved = False
            for place in range(len(chosen)):
                others = chosen[:place] + chosen[place + 1 :]
                met = self._met_with(others)
                free = [distance for distance in range(self._plan.entrants) if distance not in others]
                best = min(free, key=lambda distance: self._cost(met, distance, others))
                if self._cost(met, best, others) < self._cost(met, chosen[place], others):
                    chosen = [*chosen[:place], best, *chosen[place + 1 :]]
                    improved = True
        return chosen

    def _unevenness(self, chosen: Sequence[int]) -> int:
        met = self._met_with(chosen)
        return sum(self._pairs(apart) * times**2 for apart, times in enumerate(met))

    def _met_with(self, chosen: Sequence[int]) -> list[int]:
        met = list(self._met)
        for place, distance in enumerate(chosen):
            self._add(met, distance, chosen[:place])
        return met

    def _cost(self, met: Sequence[int], new: int, others: Sequence[int]) -> int:
        """The increase of the sum of the squares of `met` if the distance `new` is added."""
        times = dict.fromkeys((self._apart(new, distance) for distance in others), 0)
        for distance in others:
            times[self._apart(new, distance)] += self._times(self._apart(new, distance))
        return sum(
            self._pairs(apart) * ((met[apart] + more) ** 2 - met[apart] ** 2) for apart, more in times.items()
        )

    def _add(self, met: list[int], new: int, others: Sequence[int]) -> None:
        for distance in others:
            met[self._apart(new, distance)] += self._times(self._apart(new, distance))

    def _apart(self, first: int, second: int) -> int:
        """How far apart on the circle, the shorter way."""
        distance = abs(first - second)
        return min(distance, self._plan.entrants - distance)

    def _times(self, apart: int) -> int:
        """How often two entrants so far apart meet in a block, for one difference of two distances."""
        return 2 if 2 * apart == self._plan.entrants else 1

    def _pairs(self, apart: int) -> int:
        """Pairs of entrants so far apart, in halves of the number of entrants."""
        return 1 if 2 * apart == self._plan.entrants else 2


FORMAT = Format(
    "balanced",
    mark("Balanced blocks"),
    mark(
        "In each round, every entrant plays once in every seat. Over the rounds, all pairs meet as evenly "
        "as can be: any two pairs differ by two meetings at most."
    ),
    2,
    64,
    fixed(block),
    _count,
)
