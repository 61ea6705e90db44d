"""Derives the seed of each match, and makes commitments to secret seeds before they are revealed.

There are three ways (`Seeding`):

- Placed, used by contests today: a match's seed is HMAC-SHA256 over its round, its place in the round and the
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
- Counted: match i of seed S has the seed S + i. Used by older archives, and if one seating is repeated, as in
  `agon play`.
- Indexed: HMAC with the salt over the contest's seed, the match's index in the schedule, the artifacts in its
  seats and the attempt. Used by older archives.

A `commitment` is the SHA-256 of the secret's text, published beforehand and checked afterwards with
`printf %s SECRET | sha256sum`. The secret is too long for brute force.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from contest.formats import Pairing
from games.core.record import SeatInfo
from games.core.seeds import LARGE, SEED_BITS

MOST_ATTEMPTS = 100  # at a match: three, and three more each time that an organizer has it run again
_MOST_INDEXED = 9  # the same for Seeding.INDEXED, which counts attempts from 1 again in each run
_TYPED_BITS = 53  # exact in every JSON reader


class Seeding(StrEnum):
    """How the seeds of matches are derived from the contest's seed."""

    PLACED = "placed"
    INDEXED = "indexed"
    COUNTED = "counted"


@dataclass(frozen=True)
class Seeds:
    """The seeds of one contest.

    salt: 64 hexadecimal digits, or "" for a contest without secrets. draw: 64 hexadecimal digits, drawn when
    the entrants were frozen; "" without a salt or in older contests. entrants: in entry order.
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
        if self.seeding == Seeding.INDEXED:
            return _large(_mac(bytes.fromhex(self.salt), "seatings", self.seed))
        return _large(_mac(self._key, "seatings"))

    def of_schedule(self, schedule: Iterable[Pairing]) -> Iterator[int]:
        """The seed of the first attempt at each match. `schedule` begins with the first match of a round."""
        return (self.first(pairing, place) for pairing, place in placed(schedule))

    def first(self, pairing: Pairing, place: int) -> int:
        """The seed of the first attempt at a match. place: as `placed` counts it."""
        seated = self._seat_infos(pairing.seats)
        if self.seeding == Seeding.COUNTED:
            return self.seed + pairing.index
        if self.seeding == Seeding.INDEXED:
            return self._indexed(pairing.index, [seat.submission for seat in seated], 1)
        return self._to_seed(_mac(self._key, "match", pairing.round, place, [list(seat) for seat in seated]))

    def anew(self, salt: str, draw: str) -> Seeds:
        """The seeds of the same contest from another salt and draw."""
        return replace(self, salt=salt, draw=draw, seeding=Seeding.PLACED)

    def again(self, seed: int, index: int, submissions: Sequence[str], attempt: int) -> int:
        """The seed of a further attempt (from 2) at match `index`.

        seed: the former attempt's. submissions: the digests of the artifacts' sources, by seat.
        """
        if self.seeding == Seeding.INDEXED:
            return self._indexed(index, submissions, attempt)
        if self.seeding == Seeding.COUNTED:
            return seed
        return self._to_seed(_mac(self._key, "again", str(seed)))

    def of_attempts(self, first: int, pairing: Pairing) -> list[int]:
        """Every seed that a match may have been played from. first: the first attempt's."""
        seeds = [first]
        if self.salt:
            submissions = [seat.submission for seat in self._seat_infos(pairing.seats)]
            most = _MOST_INDEXED if self.seeding == Seeding.INDEXED else MOST_ATTEMPTS
            for attempt in range(2, most + 1):
                seeds.append(self.again(seeds[-1], pairing.index, submissions, attempt))
        return seeds

    def _indexed(self, index: int, submissions: Sequence[str], attempt: int) -> int:
        mac = _mac(bytes.fromhex(self.salt), "match", self.seed, index, list(submissions), attempt)
        return _large(mac)

    def _seat_infos(self, seats: Sequence[int]) -> tuple[SeatInfo, ...]:
        return tuple(self.entrants[number] for number in seats)

    def _to_seed(self, mac: bytes) -> int:
        return _large(mac) if self.salt else int.from_bytes(mac, "big") >> SEED_BITS - _TYPED_BITS

    @cached_property
    def _key(self) -> bytes:
        """The tournament's own seed."""
        if not self.salt:
            return hashlib.sha256(str(self.seed).encode()).digest()
        entrants = [list(entrant) for entrant in self.entrants]
        return _mac(bytes.fromhex(self.salt), "tournament", self.seed, self.draw, entrants)


def placed(schedule: Iterable[Pairing]) -> Iterator[tuple[Pairing, int]]:
    """Each match with its place among those of its round with the same bots in the same seats, from 0.

    `schedule` begins with the first match of a round.
    """
    places: Counter[tuple[int, ...]] = Counter()
    round = -1
    for pairing in schedule:
        if pairing.round != round:
            round = pairing.round
            places.clear()
        yield pairing, places[pairing.seats]
        places[pairing.seats] += 1


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
