"""Negotiate and Conquer (SamurAI Coding 2014).

Four daimyo choose at once which of six lords to negotiate with: five times by day, twice by night. Days gain
1 intimacy, nights 2; what is shown gains by day only, until the end of turn 5 reveals the nights so far.
After turns 5 and 9 each lord's strength goes to those he likes best and turns against those he likes least.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

from games.core.game import Ask, Game, Json, Play

LORDS = 6
TURNS = 9
REVEAL = 5
BATTLES = (5, 9)
# Shares have denominators 1 to 4: counted in twelfths they are whole numbers, exact and quick.
WHOLE = 12
_TOKENS = re.compile(r"[^ \t\r]+").findall
_LORD = re.compile(r"\+?0*([0-5])", re.ASCII).fullmatch
_PLAIN = {str(lord): lord for lord in range(LORDS)}


class Samurai(Game):
    slug = "samurai"
    version = "1"

    def __init__(self, seats: int, seed: int) -> None:
        super().__init__(seats, seed)
        self.strengths = [self.rng.randint(3, 6) for _ in range(LORDS)]
        self.real = [[0] * seats for _ in range(LORDS)]
        self.shown = [[0] * seats for _ in range(LORDS)]
        self.night_picks = [0] * LORDS
        self.twelfths = [0] * seats
        self.turn = 0
        self._columns = [_own_first(seat, seats) for seat in range(seats)]

    def play(self) -> Play:
        self.frame(turn=0, strengths=list(self.strengths))
        for self.turn in range(1, TURNS + 1):
            chosen = yield Ask("negotiate", default=(0,) * self._count())
            self._negotiate(chosen)
            if self.turn == REVEAL:
                self.shown = [list(row) for row in self.real]
            if self.turn in BATTLES:
                self._battle()
            self._picture(chosen)
        return self._totals()

    def view(self, seat: int) -> str:
        """The block of the turn; before the first one, the settings."""
        own, a, b, c = self._columns[seat]
        lines = [f"{self.turn} {'D' if self._is_day() else 'N'}"]
        lines += [f"{row[own]} {row[a]} {row[b]} {row[c]}" for row in self.shown]
        lines.append(_line([row[own] for row in self.real]))
        if self._is_day():
            lines.append(_line(self.night_picks))
        block = "\n".join(lines) + "\n"
        if self.turn > 1:
            return block
        return f"{TURNS} {self.seats} {LORDS}\n{_line(self.strengths)}\n{block}"

    def move(self, seat: int, raw: Json) -> tuple[int, ...]:
        """The lords picked. Each pick stands alone: what is missing or no lord is lord 0, never Illegal."""
        count = self._count()
        picks = [_lord(token) for token in _TOKENS(str(raw))[:count]]
        return (*picks, *(0,) * (count - len(picks)))

    def moment(self) -> str:
        return f"turn {self.turn}, {'day' if self._is_day() else 'night'}"

    def facts(self) -> dict[str, Json]:
        """`winner` is a seat, or None in a draw: several maxima, nobody wins."""
        best = max(self.twelfths)
        draw = self.twelfths.count(best) > 1
        return {
            "strengths": list(self.strengths),
            "draw": draw,
            "winner": None if draw else self.twelfths.index(best),
        }

    def _is_day(self) -> bool:
        return self.turn % 2 == 1

    def _count(self) -> int:
        return 5 if self._is_day() else 2

    def _negotiate(self, chosen: Mapping[int, Sequence[int]]) -> None:
        if self._is_day():
            for seat, lords in chosen.items():
                for lord in lords:
                    self.real[lord][seat] += 1
                    self.shown[lord][seat] += 1
        else:
            self.night_picks = [0] * LORDS
            for seat, lords in chosen.items():
                for lord in lords:
                    self.real[lord][seat] += 2
                    self.night_picks[lord] += 1

    def _battle(self) -> None:
        """Each lord's strength, shared: for the daimyo he likes best, against those he likes least."""
        for strength, row in zip(self.strengths, self.real, strict=True):
            most, least = max(row), min(row)
            gain = strength * WHOLE // row.count(most)
            loss = strength * WHOLE // row.count(least)
            for seat, intimacy in enumerate(row):
                if intimacy == most:
                    self.twelfths[seat] += gain
                if intimacy == least:
                    self.twelfths[seat] -= loss

    def _totals(self) -> list[Fraction]:
        return [Fraction(twelfths, WHOLE) for twelfths in self.twelfths]

    def _picture(self, chosen: Mapping[int, Sequence[int]]) -> None:
        self.frame(
            turn=self.turn,
            phase="D" if self._is_day() else "N",
            picks=[list(chosen[seat]) for seat in range(self.seats)],
            shown=[list(row) for row in self.shown],
            real=[list(row) for row in self.real],
            totals=[str(total) for total in self._totals()],
        )


def _own_first(seat: int, seats: int) -> list[int]:
    """The order of a bot's columns: itself, then the others by ascending seat."""
    return [seat, *(other for other in range(seats) if other != seat)]


def _line(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))


def _lord(token: str) -> int:
    """The lord a token names; 0 for whatever is no whole number from 0 to 5."""
    if token in _PLAIN:
        return _PLAIN[token]
    match = _LORD(token)
    return int(match[1]) if match else 0
