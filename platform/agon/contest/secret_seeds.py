"""Derives the seed of each match, and makes commitments to secret seeds before they are revealed.

There are two ways (`Seeding`):

- Placed, used by tournaments: a match's seed is HMAC-SHA256 over its round, its place in the round and the
  bots in its seats (names and artifacts), with the tournament's own key. The place is counted among the
  matches of the same bots in the same seats. So one more round or entrant changes no other match, no two
  matches share a seed, and no seed can be computed from another one.

  - On the command line the key is the SHA-256 of the seed that users choose, and a match's seed is a number
    that every JSON parser keeps exact, so that it can be typed.
  - On a site the key is HMAC-SHA256 over the seed, the frozen entrants and the draw (a random value made when
    they are frozen), with a secret salt of 256 bits as the key. A match that failed is played again from
    another seed, derived from the former one. docs/explanations/trust.md says why these seeds cannot be
    chosen.
    What is played once the salt may be public has a salt and a draw of its own (`Seeds.anew`).
- Counted, used if one seating is repeated, as in `agon play`: match i of seed S has the seed S + i.

A `commitment` is the SHA-256 of the secret's text, published beforehand and checked afterwards with
`printf %s SECRET | sha256sum`. The secret is too long for brute force.
"""

import hashlib
import hmac
import json
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from agon.contest.formats import ScheduledMatch
from games.core.record import SeatInfo
from games.core.seeds import LARGE, SEED_BITS

MOST_ATTEMPTS = 100  # at a match: three, and three more each time that an organizer has it run again
_TYPED_BITS = 53  # exact in every JSON reader


class Seeding(StrEnum):
    """How the seeds of matches are derived from the contest's seed."""

    PLACED = "placed"
    COUNTED = "counted"


@dataclass(frozen=True)
class Seeds:
    """The seeds of one contest.

    salt: 64 hexadecimal digits, or "" for a contest without secrets. draw: 64 hexadecimal digits, drawn when
    the entrants were frozen; "" without a salt. entrants: in entry order.
    """

    salt: str
    seed: int
    seeding: Seeding
    entrants: tuple[SeatInfo, ...] = ()
    draw: str = ""

    def of_seatings(self) -> int:
        """The seed for the format's seatings."""
        if not self.salt:
            return self.seed
        return _large(_mac(self._key, "seatings"))

    def of_schedule(self, schedule: Iterable[ScheduledMatch]) -> Iterator[int]:
        """The seed of the first attempt at each match. `schedule` begins with the first match of a round."""
        return (self.first(scheduled, place) for scheduled, place in placed(schedule))

    def first(self, scheduled: ScheduledMatch, place: int) -> int:
        """The seed of the first attempt at a match. place: as `placed` counts it."""
        if self.seeding == Seeding.COUNTED:
            return self.seed + scheduled.index
        seated = [list(self.entrants[number]) for number in scheduled.seats]
        return self._to_seed(_mac(self._key, "match", scheduled.round, place, seated))

    def anew(self, salt: str, draw: str) -> "Seeds":
        """The seeds of the same contest from another salt and draw."""
        return replace(self, salt=salt, draw=draw)

    def again(self, seed: int) -> int:
        """The seed of a further attempt at a match. seed: the former attempt's."""
        return self._to_seed(_mac(self._key, "again", str(seed)))

    def of_attempts(self, first: int) -> list[int]:
        """Every seed that a match may have been played from. first: the first attempt's."""
        seeds = [first]
        if self.salt:
            for _attempt in range(1, MOST_ATTEMPTS):
                seeds.append(self.again(seeds[-1]))
        return seeds

    def _to_seed(self, mac: bytes) -> int:
        return _large(mac) if self.salt else int.from_bytes(mac, "big") >> SEED_BITS - _TYPED_BITS

    @cached_property
    def _key(self) -> bytes:
        """The tournament's own seed."""
        if not self.salt:
            return hashlib.sha256(str(self.seed).encode()).digest()
        entrants = [list(entrant) for entrant in self.entrants]
        return _mac(bytes.fromhex(self.salt), "tournament", self.seed, self.draw, entrants)


def placed(schedule: Iterable[ScheduledMatch]) -> Iterator[tuple[ScheduledMatch, int]]:
    """Each match with its place among those of its round with the same bots in the same seats, from 0.

    `schedule` begins with the first match of a round.
    """
    places: Counter[tuple[int, ...]] = Counter()
    round = -1
    for scheduled in schedule:
        if scheduled.round != round:
            round = scheduled.round
            places.clear()
        yield scheduled, places[scheduled.seats]
        places[scheduled.seats] += 1


def _mac(key: bytes, *facts: object) -> bytes:
    return hmac.digest(key, json.dumps(facts, separators=(",", ":")).encode(), "sha256")


def _large(mac: bytes) -> int:
    """A large seed, whatever the digest: see games.core.seeds."""
    return int.from_bytes(mac, "big") | 1 << SEED_BITS - 1


def new_salt() -> str:
    """A random salt of 256 bits, as hexadecimal digits."""
    return secrets.token_hex(32)


def new_draw() -> str:
    """The random value that is drawn, and shown, when the bots of matches are fixed."""
    return secrets.token_hex(32)


def draw() -> int:
    """A secret seed for one match."""
    return secrets.randbits(SEED_BITS) | 1 << SEED_BITS - 1


def commitment(secret: str | int) -> str:
    """The digest to publish before the secret; "" for a seed so small that brute force would reveal it."""
    if isinstance(secret, int) and secret < LARGE:
        return ""
    return hashlib.sha256(str(secret).encode()).hexdigest() if secret != "" else ""
