"""A pack: the texts of many recordings, compressed together with bz2, which makes them a fourth as large.

Of each kind of text (records, times, output files, logs) there is one stream, so that what is alike is side
by side. `contents` says which matches a pack has, how long their texts are, and the SHA-256 of each stream.
A stream is decompressed when a text of it is asked for, and none is read that has another digest.
"""

import bz2
import hashlib
import json
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

MOST_RECORDINGS = 200
MOST_BYTES = 1 << 19  # of texts, unless one recording alone has more: what reading one text has to decompress
PARTS = ("record", "times", "files", "log")


class DamagedPack(Exception):
    """Bytes of a pack are not those that were written. str(e): which."""


class Item(NamedTuple):
    """The texts of one match, b"" where there is none; see matches.models.Recording."""

    match: int
    record: bytes
    times: bytes
    files: bytes
    log: bytes


class Encoded(NamedTuple):
    """A pack as bytes: its contents, and a stream of each part; b"" for one without texts."""

    contents: bytes
    record: bytes
    times: bytes
    files: bytes
    log: bytes


def encode(items: Sequence[Item]) -> Encoded:
    """items: in the order of their matches."""
    about: dict[str, object] = {"matches": [item.match for item in items]}
    streams = []
    for part in PARTS:
        texts = [getattr(item, part) for item in items]
        whole = b"".join(texts)
        about[part] = {"lengths": list(map(len, texts)), "sha256": hashlib.sha256(whole).hexdigest()}
        streams.append(bz2.compress(whole) if whole else b"")
    return Encoded(bz2.compress(json.dumps(about).encode()), *streams)


def divided(items: Sequence[Item]) -> Iterator[list[Item]]:
    """The items of one pack after the other: each takes as many as have room in it."""
    part: list[Item] = []
    size = 0
    for item in items:
        own = sum(len(getattr(item, name)) for name in PARTS)
        if part and (len(part) == MOST_RECORDINGS or size + own > MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(item)
        size += own
    if part:
        yield part


class Opened:
    """A pack that is read. Raises DamagedPack."""

    def __init__(self, encoded: Encoded) -> None:
        self._encoded = encoded
        self._texts: dict[str, bytes] = {}
        try:
            self._about = json.loads(bz2.decompress(encoded.contents))
            self.matches: list[int] = self._about["matches"]
            self._ends = {part: list(accumulate(self._about[part]["lengths"])) for part in PARTS}
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise DamagedPack(f"contents: {error}") from error
        self._places = {match: place for place, match in enumerate(self.matches)}

    def __contains__(self, match: int) -> bool:
        return match in self._places

    def text(self, match: int, part: str) -> bytes:
        """The text of a match that is in the pack; b"" if it has none. Raises DamagedPack."""
        place, ends = self._places[match], self._ends[part]
        return self._text(part)[ends[place - 1] if place else 0 : ends[place]]

    def items(self) -> list[Item]:
        """All that is in the pack. Raises DamagedPack."""
        return [Item(match, *(self.text(match, part) for part in PARTS)) for match in self.matches]

    def _text(self, part: str) -> bytes:
        text = self._texts.get(part)
        if text is None:
            stream = getattr(self._encoded, part)
            try:
                text = bz2.decompress(stream) if stream else b""
            except (OSError, ValueError) as error:
                raise DamagedPack(f"{part}: {error}") from error
            if hashlib.sha256(text).hexdigest() != self._about[part]["sha256"]:
                raise DamagedPack(f"{part}: its SHA-256 is another one")
            self._texts[part] = text
        return text
