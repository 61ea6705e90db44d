"""What is played to compare two versions, and what a cycle of matches says.

A **cycle** is all seatings of one seed, so that luck and seats favor neither version. Cycles are independent
of each other and have the same distribution, which is what the sequential test needs.

- Without opponents, NEW and OLD share the seats. Up to four seats, every assignment is played in which they
  have equally many; with more seats, they alternate, and that seating is rotated and exchanged. With an odd
  number of seats, each has the additional one equally often.
- With opponents, a group that fills the other seats is drawn by the seed; NEW and then OLD takes each seat
  among them in turn. Each opponent is equally likely to be drawn.

A bot's **share** of a match is the part of the seats of others that it beats, by rank, an equal rank counting
half: 1, 1/2 or 0 with two seats. A cycle's **difference** is the mean share of NEW less that of OLD: an exact
number from -1 to 1. Without opponents, 1/10 means that NEW beats OLD in 55 of 100 matches. Ratings count
matches in the same way; the scores of games have no common scale.
"""

import hashlib
import hmac
import itertools
import random
from collections.abc import Sequence
from fractions import Fraction

NEW, OLD = 0, 1  # numbers of entrants; the opponents follow from 2
_SEED_BITS = 53  # exact in every JSON reader
_EVERY_SEATING = 4  # seats
Seats = tuple[int, ...]


def seed_of(seed: int, cycle: int) -> int:
    """The seed of all matches of a cycle, from 0: HMAC-SHA256 with the SHA-256 of the user's seed as key."""
    key = hashlib.sha256(str(seed).encode()).digest()
    mac = hmac.digest(key, f"compare {cycle}".encode(), "sha256")
    return int.from_bytes(mac, "big") >> len(mac) * 8 - _SEED_BITS


def seatings(seed: int, seats: int, opponents: int) -> tuple[Seats, ...]:
    """The matches of the cycle with this seed: entrants by seat. opponents: 0, or `seats` - 1 or more."""
    if not opponents:
        return _shared_seatings(seats)
    group = random.Random(seed).sample(range(OLD + 1, OLD + 1 + opponents), seats - 1)
    return tuple(
        seating for place in range(seats) for seating in _rotated([(NEW, *group), (OLD, *group)], place)
    )


def matches_in(seats: int, opponents: int) -> int:
    """How many matches a cycle has."""
    return 2 * seats if opponents else len(_shared_seatings(seats))


def difference(played: Sequence[tuple[Seats, Sequence[int]]]) -> Fraction:
    """What a cycle says. played: entrants and ranks by seat, of each match."""
    return _mean_share(played, NEW) - _mean_share(played, OLD)


def _shared_seatings(seats: int) -> tuple[Seats, ...]:
    if seats <= _EVERY_SEATING:
        assignments = itertools.product((NEW, OLD), repeat=seats)
        return tuple(
            assignment
            for assignment in assignments
            if abs(assignment.count(NEW) - assignment.count(OLD)) <= 1
        )
    alternating = tuple(seat % 2 for seat in range(seats))
    exchanged = tuple(1 - entrant for entrant in alternating)
    rotations = (seating for place in range(seats) for seating in _rotated([alternating, exchanged], place))
    return tuple(dict.fromkeys(rotations))


def _rotated(seatings: Sequence[Seats], places: int) -> list[Seats]:
    return [(*seating[-places:], *seating[:-places]) for seating in seatings]


def _mean_share(played: Sequence[tuple[Seats, Sequence[int]]], entrant: int) -> Fraction:
    shares = [_share(seats, ranks, entrant) for seats, ranks in played if entrant in seats]
    return sum(shares, Fraction()) / len(shares)


def _share(seats: Seats, ranks: Sequence[int], entrant: int) -> Fraction:
    own = [rank for seat, rank in zip(seats, ranks, strict=True) if seat == entrant]
    others = [rank for seat, rank in zip(seats, ranks, strict=True) if seat != entrant]
    halves = sum(2 * (rank < other) + (rank == other) for rank in own for other in others)
    return Fraction(halves, 2 * len(own) * len(others))
