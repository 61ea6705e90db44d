"""The seed of each match, and the commitment to a secret one before it is revealed.

Without a salt, match i of a contest with seed S has the seed S + i, and seatings are drawn from S. That is
how the command line works, where users choose their seeds. With a salt, a secret of 256 bits, every match has
a seed of its own: HMAC-SHA256 with the salt as the key over the contest's seed, the match's index in the
schedule, the submissions in its seats and the attempt. So a match's seed reveals nothing about the salt or
any other match's seed, and what bots learned in a failed attempt is useless in the next one.

A `commitment` is the SHA-256 of the secret's text, published beforehand and checked afterwards with
`printf %s SECRET | sha256sum`. The secret is too long for brute force.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from games.core.seeds import LARGE, SEED_BITS

MOST_ATTEMPTS = 9  # no site makes more attempts at a match


@dataclass(frozen=True)
class Seeds:
    """The seeds of one contest. salt: 64 hexadecimal digits, or "" for a contest without secrets."""

    salt: str
    seed: int

    def of_seatings(self) -> int:
        """The seed for the format's seatings."""
        return self._derived("seatings") if self.salt else self.seed

    def of_match(self, index: int, submissions: Sequence[str], attempt: int = 1) -> int:
        """index: the match's place in the schedule, from 0. submissions: their digests, by seat."""
        if not self.salt:
            return self.seed + index
        return self._derived("match", index, list(submissions), attempt)

    def of_attempts(self, index: int, submissions: Sequence[str]) -> list[int]:
        """Every seed that the match may have been played from, the first attempt's first."""
        return [self.of_match(index, submissions, attempt) for attempt in range(1, MOST_ATTEMPTS + 1)]

    def _derived(self, *facts: object) -> int:
        message = json.dumps([facts[0], self.seed, *facts[1:]], separators=(",", ":")).encode()
        mac = hmac.digest(bytes.fromhex(self.salt), message, "sha256")
        # A large seed, whatever the digest: see games.core.seeds.
        return int.from_bytes(mac, "big") | 1 << SEED_BITS - 1


def new_salt() -> str:
    return secrets.token_hex(32)


def draw() -> int:
    """A secret seed for one match."""
    return secrets.randbits(SEED_BITS) | 1 << SEED_BITS - 1


def commitment(secret: str | int) -> str:
    """The digest to publish before the secret; "" for a seed so small that brute force would reveal it."""
    if isinstance(secret, int) and secret < LARGE:
        return ""
    return hashlib.sha256(str(secret).encode()).hexdigest() if secret != "" else ""
