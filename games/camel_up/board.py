"""The track: camels in stacks, traps, and who is ahead of whom."""

from __future__ import annotations

from typing import NamedTuple

from games.core.game import Illegal
from games.core.story import mark
from games.core.wording import numeral

CAMELS = 5
SQUARES = 29
FINISH = 16
TRAP_SQUARES = range(1, 28)
TRAP_REASONS = {
    "no_type": mark("expected a trap of type 1 or -1, got %(number)s"),
    "no_square": mark("expected a trap on a square from 1 to 27, got %(number)s"),
    "near_trap": mark("no trap may lie on square %(square)s: player %(player)s has one on square %(near)s"),
}


class Trap(NamedTuple):
    """kind: 1 sends on by a square, -1 back by one. owner: the seat that earns from it."""

    kind: int
    owner: int


class Board:
    """track: for each square its camels, the bottom one first. traps: for each square a Trap or None."""

    def __init__(self) -> None:
        self.track: list[list[int]] = [[] for _ in range(SQUARES)]
        self.traps: list[Trap | None] = [None] * SQUARES

    def square_of(self, camel: int) -> int:
        return next(square for square, stack in enumerate(self.track) if camel in stack)

    def move(self, camel: int, die: int) -> Trap | None:
        """Move a camel and all above it; the trap that it hits, if any. Traps do not chain."""
        square = self.square_of(camel)
        place = self.track[square].index(camel)
        unit = self.track[square][place:]
        del self.track[square][place:]
        trap = self.traps[square + die]
        if trap is None:
            self.track[square + die] += unit
        elif trap.kind == 1:
            self.track[square + die + 1] += unit
        else:  # back, and under the camels that stand there
            self.track[square + die - 1][:0] = unit
        return trap

    def ranking(self) -> list[int]:
        """The camels, first to last: the higher square first, then the higher place in the stack."""
        return [camel for stack in reversed(self.track) for camel in reversed(stack)]

    def finished(self) -> bool:
        return any(self.track[FINISH:])

    def check_trap(self, seat: int, kind: int, square: int) -> None:
        """Raises Illegal if this seat may not put such a trap there."""
        if kind not in (1, -1):
            raise Illegal("no_type", number=numeral(kind))
        if square not in TRAP_SQUARES:
            raise Illegal("no_square", number=numeral(square))
        for near in (square - 1, square, square + 1):
            trap = self.traps[near]
            if trap is not None and trap.owner != seat:
                raise Illegal("near_trap", square=square, player=trap.owner, near=near)

    def place(self, seat: int, kind: int, square: int) -> None:
        """Place the seat's trap, or move it."""
        self.traps = [None if trap is not None and trap.owner == seat else trap for trap in self.traps]
        self.traps[square] = Trap(kind, seat)
