"""A large JSON object, read member by member, so that it is never in memory as a whole.

Its text comes in pieces. Each value is parsed by itself, from a few KiB at most; a longer value is refused.
So an object of any origin and size costs only a piece of it and what the reader makes of its values.
"""

import codecs
import json
import re
from collections.abc import Iterable, Iterator

LARGEST_VALUE = 16 << 10  # characters
_USUAL = 512
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class JsonStream:
    """A position in a text (UTF-8). Raises ValueError where it is not as expected, or a value is too long."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = codecs.iterdecode(pieces, "utf-8")
        self._text = ""  # of what was not read yet, at least the next value, from self._at
        self._at = 0
        self._before = 0

    @property
    def position(self) -> int:
        """How many characters were read."""
        return self._before + self._at

    @property
    def next(self) -> str:
        """The first character of what follows; "" at the end."""
        self._skip_space()
        return self._text[self._at : self._at + 1]

    def value(self) -> object:
        """A value, whole."""
        self._skip_space()
        for size in (_USUAL, LARGEST_VALUE):
            self._need(size + 1)
            piece = self._text[self._at : self._at + size]
            whole = self._at + size >= len(self._text)
            try:
                value, length = _DECODER.raw_decode(piece)
            except RecursionError:
                raise ValueError("nested too deeply") from None
            except json.JSONDecodeError as error:
                wrong = self._wrong(error.msg, error.pos)
            else:
                if length < len(piece) or whole:  # otherwise a number may continue
                    self._at += length
                    return value
        raise wrong if whole else self._wrong(f"expected a value of at most {LARGEST_VALUE >> 10} KiB")

    def elements(self) -> Iterator[None]:
        """Stops at each element of a list; its value is to be read before the next."""
        return self._stops("[", "]")

    def members(self) -> Iterator[str]:
        """The name of each member of an object; its value is to be read before the next."""
        for _ in self._stops("{", "}"):
            name = self.value()
            if not isinstance(name, str):
                raise self._wrong("expected a name in double quotes")
            self._take(":")
            yield name

    def end(self) -> None:
        """Require that nothing follows the value. Raises the same error as reading."""
        if self.next:
            raise self._wrong("extra data")

    def _stops(self, opening: str, closing: str) -> Iterator[None]:
        self._take(opening)
        if self.next == closing:
            self._at += 1
            return
        while True:
            yield
            if self.next == closing:
                self._at += 1
                return
            self._take(",")

    def _take(self, char: str) -> None:
        if self.next != char:
            raise self._wrong(f"expected {char!r}")
        self._at += 1

    def _skip_space(self) -> None:
        while spaces := _SPACE.match(self._text, self._at):
            self._at = spaces.end()
            if self._at < len(self._text) or not self._need(1):
                return

    def _need(self, characters: int) -> bool:
        """Have so many characters in the text, or all that are left. Returns whether there are so many."""
        while len(self._text) - self._at < characters:
            piece = next(self._pieces, None)
            if piece is None:
                return False
            self._before += self._at
            self._text = self._text[self._at :] + piece
            self._at = 0
        return True

    def _wrong(self, what: str, further: int = 0) -> ValueError:
        return ValueError(f"{what}: character {self.position + further}")
