"""The board of Samurai and Language Survival: favour that is won in the open and in secret.

Players choose at once, turn by turn, with which of six targets (lords, languages) they win favour: on open
turns five times, 1 each, for all to see; on secret ones twice, 2 each, and all that is told is how often each
target was picked. Two tables are kept, the real one and the one that is shown, which becomes a copy of the
real one when the referee reveals it. When, and when points are shared out, is each game's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random

from games.core.game import Json

TARGETS = 6
TURNS = 9
# Shares have denominators 1 to 4: counted in twelfths they are whole numbers, exact and quick.
_WHOLE = 12
_TOKENS = re.compile(r"[^ \t\r]+").findall
_TARGET = re.compile(r"\+?0*([0-5])", re.ASCII).fullmatch
_PLAIN = {str(target): target for target in range(TARGETS)}


def draw_worths(rng: Random) -> list[int]:
    """What each target is worth: 3 to 6, uniform and independent."""
    return [rng.randint(3, 6) for _ in range(TARGETS)]


def picks_of(raw: Json, count: int) -> tuple[int, ...]:
    """The targets in an answer. Each pick stands alone: what is missing or no target is target 0."""
    picks = [_target(token) for token in _TOKENS(str(raw))[:count]]
    return (*picks, *(0,) * (count - len(picks)))


class Favour:
    """Who stands how with whom. Tables are lists of rows, a row a target, a column a seat."""

    def __init__(self, seats: int) -> None:
        self.real = [[0] * seats for _ in range(TARGETS)]
        self.shown = [[0] * seats for _ in range(TARGETS)]
        self.secret_picks = [0] * TARGETS
        self.twelfths = [0] * seats
        self._columns = [_own_first(seat, seats) for seat in range(seats)]

    def win_openly(self, chosen: Mapping[int, Sequence[int]]) -> None:
        """1 a pick, seen by all. chosen: targets by seat."""
        for seat, targets in chosen.items():
            for target in targets:
                self.real[target][seat] += 1
                self.shown[target][seat] += 1

    def win_secretly(self, chosen: Mapping[int, Sequence[int]]) -> None:
        """2 a pick, unseen; the picks (not the gain) are counted for all."""
        self.secret_picks = [0] * TARGETS
        for seat, targets in chosen.items():
            for target in targets:
                self.real[target][seat] += 2
                self.secret_picks[target] += 1

    def reveal(self) -> None:
        """Show everything won so far: a copy, so that later gains do not count twice."""
        self.shown = [list(row) for row in self.real]

    def share_out(self, worths: Sequence[int]) -> None:
        """Each target's worth: shared by those it favours most, lost by those it favours least."""
        for worth, row in zip(worths, self.real, strict=True):
            most, least = max(row), min(row)
            gain = worth * _WHOLE // row.count(most)
            loss = worth * _WHOLE // row.count(least)
            for seat, favour in enumerate(row):
                if favour == most:
                    self.twelfths[seat] += gain
                if favour == least:
                    self.twelfths[seat] -= loss

    def points(self) -> list[Fraction]:
        """By seat, exact."""
        return [Fraction(twelfths, _WHOLE) for twelfths in self.twelfths]

    def winner(self) -> int | None:
        """The seat with the most points; None when several have them: a draw, nobody wins."""
        best = max(self.twelfths)
        return self.twelfths.index(best) if self.twelfths.count(best) == 1 else None

    def block(self, seat: int, heading: str, *, secret_picks: bool) -> str:
        """What a seat reads each turn: all that is shown, itself first; its own real favour; secret picks."""
        own, a, b, c = self._columns[seat]
        lines = [heading]
        lines += [f"{row[own]} {row[a]} {row[b]} {row[c]}" for row in self.shown]
        lines.append(line([row[own] for row in self.real]))
        if secret_picks:
            lines.append(line(self.secret_picks))
        return "\n".join(lines) + "\n"


def line(numbers: Sequence[int]) -> str:
    """Numbers with single blanks between them."""
    return " ".join(map(str, numbers))


def _own_first(seat: int, seats: int) -> list[int]:
    """The order of a bot's columns: itself, then the others by ascending seat."""
    return [seat, *(other for other in range(seats) if other != seat)]


def _target(token: str) -> int:
    """The target a token names; 0 for whatever is no whole number from 0 to 5."""
    if token in _PLAIN:
        return _PLAIN[token]
    match = _TARGET(token)
    return int(match[1]) if match else 0
