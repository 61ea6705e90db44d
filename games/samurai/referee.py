"""Negotiate and Conquer (SamurAI Coding 2014).

Four daimyo choose at once which of six lords to negotiate with: five times by day, twice by night. Days gain
1 intimacy, nights 2; what is shown gains by day only, until the end of turn 5 reveals the nights so far.
After turns 5 and 9 each lord's strength goes to those that the lord likes best and counts against those that
it likes least.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.core.game import Ask, Game, Json, Play
from games.core.reason import Reason
from games.core.story import mark
from games.hidden_favor import TARGETS, TURNS, Favor, draw_worths, line, picks_of

LORDS = TARGETS
REVEAL = 5
BATTLES = (5, 9)


class Samurai(Game):
    slug = "samurai"
    version = "1"
    reasons = {"day": mark("turn %(turn)s, day"), "night": mark("turn %(turn)s, night")}

    def __init__(self, seats: int, seed: int) -> None:
        super().__init__(seats, seed)
        self.strengths = draw_worths(self.rng)
        self.intimacy = Favor(seats)
        self.turn = 0

    def play(self) -> Play:
        self.frame(turn=0, strengths=list(self.strengths))
        for self.turn in range(1, TURNS + 1):
            chosen = yield Ask("negotiate", default=(0,) * self._pick_count())
            if self._is_day():
                self.intimacy.win_openly(chosen)
            else:
                self.intimacy.win_secretly(chosen)
            if self.turn == REVEAL:
                self.intimacy.reveal()
            if self.turn in BATTLES:
                self.intimacy.share_out(self.strengths)
            self._add_frame(chosen)
        return self.intimacy.points()

    def view(self, seat: int) -> str:
        """The block of the turn; before the first one, the settings."""
        block = self.intimacy.block(seat, f"{self.turn} {self._phase()}", secret_picks=self._is_day())
        if self.turn > 1:
            return block
        settings = f"{TURNS} {self.seats} {LORDS}\n{line(self.strengths)}\n"
        return settings + block  # mutants: nothing is secret yet

    def move(self, seat: int, raw: Json) -> tuple[int, ...]:
        """The lords picked; never Illegal."""
        return picks_of(raw, self._pick_count())

    def position(self) -> Reason:
        return Reason("day" if self._is_day() else "night", turn=self.turn)

    def summary(self) -> dict[str, Json]:
        """`winner` is a seat, or None in a draw, when several have the maximum."""
        winner = self.intimacy.winner()
        return {"strengths": list(self.strengths), "draw": winner is None, "winner": winner}

    def _is_day(self) -> bool:
        return self.turn % 2 == 1

    def _phase(self) -> str:
        return "D" if self._is_day() else "N"

    def _pick_count(self) -> int:
        return 5 if self._is_day() else 2

    def _add_frame(self, chosen: Mapping[int, Sequence[int]]) -> None:
        self.frame(
            turn=self.turn,
            phase=self._phase(),
            picks=[list(chosen[seat]) for seat in range(self.seats)],
            shown=[list(row) for row in self.intimacy.shown],
            real=[list(row) for row in self.intimacy.real],
            totals=[str(total) for total in self.intimacy.points()],
        )
