"""The referee of every game that a library plays. The library's module says how to ask it.

A seat is sent lines: its own number (from 0), how many lines it sees, and how many moves it has; then the
lines; then its legal moves, one a line. Its answer is one of these, letter by letter.
"""

import json
import random
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import isfinite
from typing import Any, ClassVar, NamedTuple

from games.core.game import Ask, Game, Illegal, Json, Play, Score
from games.core.library import versions
from games.core.reason import Reason
from games.core.story import mark
from games.core.wording import clip, quote

MOST_TEXT = 2800  # bytes of a frame, as JSON, for the library's drawing
MOST_EVENTS = 900  # bytes for the moves that led to it
CHANCE = -1  # the "seat" of a move that no seat made
Event = tuple[int, str]


class Refused(Exception):
    """A library's game that cannot be played here; str(e) says why."""


class Facts(NamedTuple):
    """What the library says of a game. name: as the library reads it. libraries: those that it needs."""

    name: str
    title: str
    seats: int
    libraries: tuple[str, ...]


class LibraryGame(Game):
    """A game of a library. Subclasses, one a library, say what is asked, seen, legal, and what a move does.

    source: the name of the game, as the library reads it.
    """

    source: ClassVar[str]
    reasons = {
        "move": mark("move %(number)s"),
        "no_move": mark("expected one of the moves sent, such as %(legal)s; got %(text)s"),
    }

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "version" in vars(cls):
            versions.check(cls.version)

    def __init__(self, seats: int, seed: int) -> None:
        super().__init__(seats, seed)
        self._moves: dict[int, Mapping[str, int]] = {}
        self._asks = 0

    @abstractmethod
    def begin(self) -> Sequence[Event]:
        """Set up the game, and return what happened by chance before the first move."""

    @abstractmethod
    def asked(self) -> tuple[int, ...]:
        """The seats that move now; () when the game is over."""

    @abstractmethod
    def sees(self, seat: int) -> str:
        """All that the player in this seat may know now."""

    @abstractmethod
    def legal(self, seat: int) -> Sequence[tuple[str, int]]:
        """The legal moves of a seat that is asked: each as text and as the library's number."""

    @abstractmethod
    def carry_out(self, moves: Mapping[int, int]) -> Sequence[Event]:
        """Make these moves, and what follows by chance; returns all of that as text."""

    @abstractmethod
    def drawn(self) -> str:
        """The whole game as text, secrets included."""

    @abstractmethod
    def totals(self) -> Sequence[float]:
        """What each seat has got so far."""

    @abstractmethod
    def redeal(self, seat: int, rng: random.Random) -> bool:
        """Change what this seat cannot know, for the compliance suite; False if nothing was changed."""

    def play(self) -> Play:
        self._frame(self.begin())
        while seats := self.asked():
            self._asks += 1
            moves = yield Ask("move", seats, default=lambda seat: next(iter(self.moves(seat).values())))
            self._moves = {}
            self._frame(self.carry_out(moves))
        return [exact(total) for total in self.totals()]

    def moves(self, seat: int) -> Mapping[str, int]:
        """The legal moves of a seat that is asked, by their text, in the library's order.

        Moves that the library calls alike have their numbers behind their texts.
        """
        if seat not in self._moves:
            legal = [(_printable(text).strip(), number) for text, number in self.legal(seat)]
            counts = Counter(text for text, _ in legal)
            self._moves[seat] = {
                text if text and counts[text] == 1 else f"{text} ({number})".strip(): number
                for text, number in legal
            }
        return self._moves[seat]

    def view(self, seat: int) -> str:
        lines, moves = _lines(self.sees(seat)), [*self.moves(seat)]
        return "".join(f"{line}\n" for line in (f"{seat} {len(lines)} {len(moves)}", *lines, *moves))

    def move(self, seat: int, raw: Json) -> int:
        text = str(raw).strip()
        moves = self.moves(seat)
        if text not in moves:
            some = clip(", ".join(moves), 80)
            raise Illegal("no_move", legal=some, text=quote(text), moves=clip(" ".join(moves)))
        return moves[text]

    def position(self) -> Reason:
        return Reason("move", number=self._asks)

    def _frame(self, events: Sequence[Event]) -> None:
        moves: list[Json] = [[seat, clip(text, 60)] for seat, text in events]
        while _size(moves) > MOST_EVENTS:
            moves = moves[1:]
        self.frame(
            moves=moves,
            text=_cut("\n".join(_lines(self.drawn()))),
            scores=[str(exact(total)) for total in self.totals()],
        )


def exact(total: float) -> Score:
    """A whole number, or the shortest decimal that reads back as this number. Raises ValueError for none."""
    value = float(total)
    if not isfinite(value):
        raise ValueError(f"the library gives {value} points")
    return int(value) if value.is_integer() else Fraction(repr(value))


def _lines(text: str) -> list[str]:
    """The text as lines that a bot can read: without the characters that end or hide others."""
    lines = text.rstrip("\n").split("\n") if text.strip() else []
    return [_printable(line).rstrip() for line in lines]


def _printable(text: str) -> str:
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def _cut(text: str) -> str:
    kept = text
    while _size(kept) > MOST_TEXT:
        kept = kept[: len(kept) * 3 // 4]
    return kept if kept == text else f"{kept}..."


def _size(value: Any) -> int:
    return len(json.dumps(value))
