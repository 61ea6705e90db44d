"""For games of 2 seats or more: a round is one match for every ten entrants, the last ten perhaps incomplete.

Each match seats different entrants, drawn from the seed (rules/camel_up.md, Tournament).
"""

from __future__ import annotations

from collections.abc import Iterator

from contest.formats.base import Format, Round, Seating
from games.core.story import mark


def _fill(round: Round) -> Iterator[Seating]:
    draw = round.draw()
    for _ in range(_count(round)):
        yield tuple(draw.sample(range(round.entrants), round.seats))


def _count(round: Round) -> int:
    return -(-round.entrants // 10)


FORMAT = Format(
    "started_tens", mark("Random: one match per round for every ten entrants"), 2, 64, _fill, _count
)
