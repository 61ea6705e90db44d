"""A game: one class whose `play` is a generator that reads like the rules.

`play` yields asks and receives only legal moves. What happens to a bot that times out, crashes or answers
garbage is policy, declared in the game's manifest and applied by the driver. A game sees no process, no clock
and no file. Its only randomness is `self.rng`, and the order of draws must depend on nothing but the moves
played. `view` is the only channel to a bot: what it does not contain, no bot can know.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, TypeAlias

from games.core.reason import NO_REASON, Reason, Value
from games.core.seeds import generator

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
Score: TypeAlias = int | Fraction


class Illegal(Exception):
    """A move that the rules refuse. The reason says to the bot's author what was expected and what was found.

    code: of the game's `reasons`; values: for the placeholders of its sentence. The value `moves`, if there
    is one, has the words that are moves: advice to the author looks there for the one that was meant.
    """

    def __init__(self, code: str, /, **values: Value) -> None:
        self.reason = Reason(code, **values)
        super().__init__(str(self.reason))


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to several seats at once; no seat learns another's answer before all have answered.

    kind: a short word for the match log ("move", "claim").
    seats: the seats to ask; None for all.
    default: the move of a seat that makes no legal move: a move, or a callable that takes the seat and
    returns its move. None if the manifest's policies never need one.
    """

    kind: str
    seats: tuple[int, ...] | None = None
    default: Any = None


class Invocation(NamedTuple):
    """The input of a `program` bot: argv after the file's name, and the file's content before the call."""

    args: tuple[str, ...]
    file: str


Play: TypeAlias = Generator[Ask, dict[int, Any], Sequence[Score]]


class Game(ABC):
    """One match of a game. Subclasses set `slug` and `version` and write `play`, `view` and `move`.

    reasons: the sentences of the game's positions and illegal moves, by code; marked for translation.
    """

    slug: ClassVar[str]
    version: ClassVar[str]
    reasons: ClassVar[Mapping[str, str]] = {}

    def __init__(self, seats: int, seed: int) -> None:
        """seats: how many, numbered from 0. Equal seeds give equal games for equal moves."""
        self.seats = seats
        self.rng = generator(seed, self.slug, self.version)
        self.frames: list[dict[str, Json]] = []

    @abstractmethod
    def play(self) -> Play:
        """Yield asks, receive {seat: legal move} for the seats asked, and return every seat's exact score."""

    @abstractmethod
    def view(self, seat: int) -> str | Invocation:
        """Return what is new for `seat` since its last ask. Called exactly once per ask for each seat asked.

        `stdio` and `function` games return lines, each ended by a newline; `program` games an Invocation.
        """

    @abstractmethod
    def move(self, seat: int, raw: Json) -> Any:
        """Parse the reply `raw` into a move. Must not change the game. Raises Illegal.

        `stdio` and `function`: raw is a str, the bot's line without its newline. `program`: raw is
        {"appended": str, "stdout": str}, each of at most 4096 bytes, or {"changed": {"code", "values"}}, a
        Reason as data, with what happened to the file.
        """

    def forfeited(self, seats: frozenset[int]) -> Sequence[Score]:
        """The scores when the match ends because `seats` forfeited."""
        return [0 if seat in seats else 1 for seat in range(self.seats)]

    def position(self) -> Reason:
        """Where the game stands ("turn 4, night"), by a code of `reasons`. It precedes a fault's reason."""
        return NO_REASON

    def files(self) -> dict[str, str]:
        """The game's own output files so far: {name: contents}."""
        return {}

    def summary(self) -> dict[str, Json]:
        """Facts about the result for the match log, besides scores and ranks. Called after the end."""
        return {}

    def frame(self, **fields: Json) -> None:
        """Append a snapshot of the game to the match log: small, JSON, and never changed afterwards."""
        self.frames.append(fields)
