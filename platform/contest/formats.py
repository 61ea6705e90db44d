"""Tournament formats: which entrants meet in which seats, in which order.

A schedule is a pure function of the number of entrants, the seats of a match, the rounds and the seed. Match
i of a tournament with seed S is played from seed S + i, so any match can be replayed alone.

`round_robin` (games of 2 seats): a round is every ordered pair of different entrants once, in entry order, as
`itertools.permutations` gives them (rules/coup.md section 8). N rounds: each ordered pair exactly N times.
The seed changes nothing.

`round_robin_self` (games of 2 seats): the same with every entrant against itself too, in the order of
`itertools.product` (rules/honest_rps.md section 5).

`rotations` (games of 3 seats or more): a round is every subset of k entrants for k seats, once in each of its
k rotations; so each entrant sits in each seat equally often. The order in which a subset sits round the table
is drawn from the seed. Where a round would be more than SUBSETS_LIMIT matches it is drawn instead, as many
whole blocks (see `drawn`) as fit into SUBSETS_LIMIT, at least one. With four seats every subset is played up
to 12 entrants (1,980 matches a round); from 13 on the round is drawn.

`drawn` (games of 2 seats or more): a round is one block drawn from the seed: as many matches as there are
entrants, in which every entrant sits exactly once in every seat.

`started_tens` (games of 2 seats or more): a round is one match for every ten entrants, the last ten perhaps
incomplete; each match has different entrants in seats drawn from the seed (rules/camel_up.md, Tournament).
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import comb
from typing import NamedTuple

from games.core.story import mark

SUBSETS_LIMIT = 2_000
MOST_MATCHES = 1_000_000
SERIES = "series"  # not a tournament's format: the same seating again and again, seed after seed


_ = mark


class BadFormat(ValueError):
    """A tournament that cannot be scheduled. str(e): the field, what was expected and what came.

    text % values says the same without the field; text is marked for translation.
    """

    def __init__(self, field: str, text: str, **values: object) -> None:
        super().__init__(f"{field}: {text % values}")
        self.field = field
        self.text = text
        self.values = values


@dataclass(frozen=True, slots=True)
class Pairing:
    """One match to be played.

    index: 0, 1, ... through the whole tournament. round: from 0. number: its place within the round, from 0.
    seats: the entrants' numbers (from 0, in entry order) by seat.
    """

    index: int
    round: int
    number: int
    seats: tuple[int, ...]


class Round(NamedTuple):
    """What a format needs to know to fill one round."""

    entrants: int
    seats: int
    round: int
    seed: int


@dataclass(frozen=True)
class Format:
    """A way of scheduling. `count` tells how many matches `fill` yields, without making them."""

    name: str
    title: str
    least_seats: int
    most_seats: int
    fill: Callable[[Round], Iterator[tuple[int, ...]]]
    count: Callable[[Round], int]


def schedule(format: str, entrants: int, seats: int, rounds: int, seed: int) -> list[Pairing]:
    """All matches of a tournament in order of play. Raises BadFormat."""
    count(format, entrants, seats, rounds)
    fill = FORMATS[format].fill
    places = (
        (number, place, seating)
        for number in range(rounds)
        for place, seating in enumerate(fill(Round(entrants, seats, number, seed)))
    )
    return [Pairing(index, *place) for index, place in enumerate(places)]


def count(format: str, entrants: int, seats: int, rounds: int) -> int:
    """How many matches `schedule` makes of the same arguments. Raises BadFormat."""
    chosen = FORMATS.get(format)
    if chosen is None:
        raise BadFormat(
            "format", _("expected one of %(known)s, came %(came)r"), known=", ".join(FORMATS), came=format
        )
    if not chosen.least_seats <= seats <= chosen.most_seats:
        fitting = ", ".join(formats_for(seats)) or "none"
        raise BadFormat(
            "format",
            _("%(format)s does not fit a game of %(seats)d seats; fitting: %(fitting)s"),
            format=format,
            seats=seats,
            fitting=fitting,
        )
    if entrants < seats:
        raise BadFormat(
            "entrants",
            _("expected %(least)d or more, came %(came)d"),
            least=seats,
            came=entrants,
        )
    if rounds < 1:
        raise BadFormat("rounds", _("expected 1 or more, came %(came)d"), came=rounds)
    matches = rounds * chosen.count(Round(entrants, seats, 0, 0))
    if matches > MOST_MATCHES:
        raise BadFormat(
            "rounds",
            _("%(rounds)d rounds are %(matches)s matches, expected at most %(most)s"),
            rounds=rounds,
            matches=f"{matches:,}",
            most=f"{MOST_MATCHES:,}",
        )
    return matches


def series(seats: Sequence[int], matches: int) -> list[Pairing]:
    """Matches of the same entrants in the same seats, each a round of its own. Raises BadFormat."""
    if not 1 <= matches <= MOST_MATCHES:
        raise BadFormat(
            "matches", _("expected 1 to %(most)s, came %(came)d"), most=f"{MOST_MATCHES:,}", came=matches
        )
    return [Pairing(index, index, 0, tuple(seats)) for index in range(matches)]


def formats_for(seats: int) -> tuple[str, ...]:
    """The names of the formats for games of so many seats."""
    return tuple(name for name, each in FORMATS.items() if each.least_seats <= seats <= each.most_seats)


def _ordered_pairs(round: Round) -> Iterator[tuple[int, ...]]:
    return itertools.permutations(range(round.entrants), 2)


def _count_ordered_pairs(round: Round) -> int:
    return round.entrants * (round.entrants - 1)


def _pairs_with_self(round: Round) -> Iterator[tuple[int, ...]]:
    return itertools.product(range(round.entrants), repeat=2)


def _count_pairs_with_self(round: Round) -> int:
    return round.entrants**2


def _rotations(round: Round) -> Iterator[tuple[int, ...]]:
    if _count_subsets(round) > SUBSETS_LIMIT:
        return _blocks(round, _blocks_within_limit(round))
    return _rotated_subsets(round)


def _count_rotations(round: Round) -> int:
    every = _count_subsets(round)
    return every if every <= SUBSETS_LIMIT else _blocks_within_limit(round) * round.entrants


def _count_subsets(round: Round) -> int:
    return comb(round.entrants, round.seats) * round.seats


def _blocks_within_limit(round: Round) -> int:
    return max(1, SUBSETS_LIMIT // round.entrants)


def _rotated_subsets(round: Round) -> Iterator[tuple[int, ...]]:
    draw = _draw(round)
    for subset in itertools.combinations(range(round.entrants), round.seats):
        table = draw.sample(subset, round.seats)
        for first in range(round.seats):
            yield tuple(table[first:] + table[:first])


def _drawn(round: Round) -> Iterator[tuple[int, ...]]:
    return _blocks(round, 1)


def _count_drawn(round: Round) -> int:
    return round.entrants


def _blocks(round: Round, blocks: int) -> Iterator[tuple[int, ...]]:
    """In each block the entrants stand in a drawn circle; match i takes those at drawn distances from i.

    The distances are different, so nobody meets himself; and each place is a given distance away from exactly
    one i, so everybody sits once in every seat.
    """
    draw = _draw(round)
    for _ in range(blocks):
        circle = draw.sample(range(round.entrants), round.entrants)
        distances = draw.sample(range(round.entrants), round.seats)
        for start in range(round.entrants):
            yield tuple(circle[(start + distance) % round.entrants] for distance in distances)


def _started_tens(round: Round) -> Iterator[tuple[int, ...]]:
    draw = _draw(round)
    for _ in range(_count_started_tens(round)):
        yield tuple(draw.sample(range(round.entrants), round.seats))


def _count_started_tens(round: Round) -> int:
    return -(-round.entrants // 10)


def _draw(round: Round) -> random.Random:
    return random.Random(f"seatings {round.seed} {round.round}")


FORMATS = {
    each.name: each
    for each in (
        Format("round_robin", "every ordered pair", 2, 2, _ordered_pairs, _count_ordered_pairs),
        Format(
            "round_robin_self",
            "every ordered pair, and everybody with itself",
            2,
            2,
            _pairs_with_self,
            _count_pairs_with_self,
        ),
        Format("rotations", "every group in rotated seats", 3, 64, _rotations, _count_rotations),
        Format("drawn", "seatings drawn from the seed", 2, 64, _drawn, _count_drawn),
        Format("started_tens", "a drawn match per ten entrants", 2, 64, _started_tens, _count_started_tens),
    )
}
