"""Seeds as data, and the random generator of a match.

A seed is a whole number of up to 256 bits. There are two kinds, and its size says which one it is:

- Below LARGE it is for people: typed on the command line, a number in JSON. It can be found by brute force,
  and its generator is Python's own, a Mersenne Twister, whose state can be computed from its output.
- From LARGE on it is a secret, drawn or derived by a site, and decimal text in JSON, since many JSON parsers
  keep only 53 bits of a number. Its generator is SHA-256 in counter mode: no number of outputs reveals the
  seed or any further output.

So the seed in a record says which generator the match was played with.
"""

import hashlib
import random
import re
from typing import Any

LARGE = 1 << 63
SEED_BITS = 256
LARGEST_SEED = (1 << SEED_BITS) - 1
_DIGITS = re.compile(r"[1-9][0-9]{18,77}", re.ASCII)


def to_data(seed: int) -> int | str:
    """The seed as JSON data."""
    return seed if seed < LARGE else str(seed)


def from_text(text: str) -> int | None:
    """The large seed with these decimal digits; None if there is no such seed."""
    seed = int(text) if _DIGITS.fullmatch(text) else 0
    return seed if LARGE <= seed <= LARGEST_SEED else None


def generator(seed: int, game: str, version: str) -> random.Random:
    """The generator of one match, derived from all bits of the seed, the game and its version."""
    digest = hashlib.sha256(f"{seed}\n{game}\n{version}".encode()).digest()
    kind = random.Random if seed < LARGE else Stream
    return kind(int.from_bytes(digest, "big"))


class Stream(random.Random):
    """The bytes of SHA-256(key, 0), SHA-256(key, 1), ...; each draw takes whole bytes."""

    def seed(self, a: Any = None, version: int = 2) -> None:
        """a: the key, a whole number of at most 256 bits."""
        self._key: bytes = a.to_bytes(32, "big")
        self._block = 0
        self._left = b""
        self.gauss_next = None

    def getrandbits(self, k: int, /) -> int:
        size = (k + 7) // 8
        while len(self._left) < size:
            self._left += hashlib.sha256(self._key + self._block.to_bytes(8, "big")).digest()
            self._block += 1
        taken, self._left = self._left[:size], self._left[size:]
        return int.from_bytes(taken, "big") >> (size * 8 - k)

    def random(self) -> float:
        return self.getrandbits(53) / (1 << 53)

    def getstate(self) -> tuple[Any, ...]:
        return self._key, self._block, self._left, self.gauss_next

    def setstate(self, state: tuple[Any, ...]) -> None:
        self._key, self._block, self._left, self.gauss_next = state

    def __reduce__(self) -> tuple[Any, ...]:
        return Stream, (0,), self.getstate()
