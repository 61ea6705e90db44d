"""What every tournament format is made of."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

Seating: TypeAlias = tuple[int, ...]  # the entrants' numbers by seat


class Round(NamedTuple):
    """What a format needs to know to fill one round."""

    entrants: int
    seats: int
    round: int
    seed: int

    def draw(self) -> random.Random:
        """The round's own source of chance."""
        return random.Random(f"seatings {self.seed} {self.round}")


@dataclass(frozen=True)
class Format:
    """A way to schedule a round. title: marked for translation. count: how many matches `fill` yields."""

    name: str
    title: str
    least_seats: int
    most_seats: int
    fill: Callable[[Round], Iterator[Seating]]
    count: Callable[[Round], int]


def blocks(round: Round, number: int) -> Iterator[Seating]:
    """So many blocks: in each there is a match for every entrant, and every entrant sits once in every seat.

    In a block the entrants form a drawn circle; match i takes those at drawn distances from i. The distances
    differ, so no entrant meets itself, and each place is a given distance from exactly one i.
    """
    draw = round.draw()
    for _ in range(number):
        circle = draw.sample(range(round.entrants), round.entrants)
        distances = draw.sample(range(round.entrants), round.seats)
        for start in range(round.entrants):
            yield tuple(circle[(start + distance) % round.entrants] for distance in distances)
